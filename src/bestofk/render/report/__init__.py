"""The report: what it says, its search-reporting table, its methods paragraph, and writing it."""
