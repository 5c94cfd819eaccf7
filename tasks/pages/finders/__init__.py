"""Page finders: the page of a file on which a text stands, and how often each is right."""
