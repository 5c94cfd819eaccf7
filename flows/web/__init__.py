"""The HTTP door: questions, pages of documents, chat, and hooks of Slack and Teams."""
