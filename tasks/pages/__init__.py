"""The pages that answers are quoted from: where a quote is printed."""
