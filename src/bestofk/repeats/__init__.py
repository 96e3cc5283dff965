"""Repeats of whole searches: what can be said about a search that learns from its own trials."""
