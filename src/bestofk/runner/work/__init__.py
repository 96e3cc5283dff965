"""One trial: its function or command, the process that runs it, and its outcome."""
