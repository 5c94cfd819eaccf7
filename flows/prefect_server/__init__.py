"""Prefect's own server: its environment, its database, its forms, and its end."""
