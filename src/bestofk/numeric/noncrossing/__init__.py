"""Exact simultaneous bands from the non-crossing probability of uniform order statistics."""
