"""Queries: what is searched for, expansion, adapter and scope."""
