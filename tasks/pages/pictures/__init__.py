"""Pictures of pages, with a quote marked on them."""
