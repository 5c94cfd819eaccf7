"""Chat: conversations, follow-ups, and messages of Slack and Teams."""
