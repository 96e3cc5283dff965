"""Attempts: several tries at each of many problems, and what k of them are worth."""
