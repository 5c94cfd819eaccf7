"""Documents: assembled from blocks, written as JSON and rows, with places in print."""
