"""Tidying: a home without what no run, plan or version needs."""
