"""What bestofk raises.  Each message is one sentence: what must hold, what came, the way out."""

from __future__ import annotations


class BestofkError(Exception):
    """Any error that bestofk raises on purpose."""


class ArgumentError(BestofkError, ValueError):
    """An argument or option has a value it may not have."""


class DataError(BestofkError, ValueError):
    """The data cannot be used as they are."""


class MissingPackageError(BestofkError, ImportError):
    """A feature needs an optional package that is not installed."""

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(f'{feature} needs {package}: pip install "bestofk[{extra}]"')
