"""The store of searches: its tables, the ledger that writes them, and the lock of the writer."""
