"""The pages as plain dataclasses: the list, one search, a comparison, a plan, a running search."""
