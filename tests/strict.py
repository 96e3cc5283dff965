"""What counts as a warning that nobody expected, for tests that set the filters themselves."""

from __future__ import annotations

import warnings

from bestofk.errors import CaveatWarning


def every_warning_fails() -> None:
    """Turn warnings into errors, as pytest's settings do, inside ``warnings.catch_warnings()``."""
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", CaveatWarning)
    # Optuna's own storages, in whatever test made them: see filterwarnings in pyproject.toml.
    warnings.filterwarnings("ignore", "unclosed database", ResourceWarning)
