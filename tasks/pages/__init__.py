"""Page lookup: find the page and the position where a quote is printed, and render the page as a picture."""
