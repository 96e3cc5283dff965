"""``python -m bestofk``."""

from bestofk.cli.main import main

main()
