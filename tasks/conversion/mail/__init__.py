"""Mails: EML and MSG files with who wrote what to whom, and their attachments."""
