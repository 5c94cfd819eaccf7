"""Optical character recognition: pictures of text to lines with their places."""
