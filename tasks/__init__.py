"""Stages of bidfolio, a room each, and below them the records that all of them hand on."""
