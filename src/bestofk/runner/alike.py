"""The first failures of a search: told when they happen, and a reason to stop if all are alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from bestofk.errors import DataError, arg
from bestofk.runner.store.tables import TrialRow

ALIKE = 3  # so many failures in the same words, before any success, stop a search
_LONGEST = 300  # characters of a reason
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_PATH = re.compile(r"[^\s'\"]*[/\\][^\s'\"]*")
_NUMBER = re.compile(r"[-+]?\d[\d.,:_]*(?:e[-+]?\d+)?")


class AllFailedError(DataError):
    """The first trials failed alike, so that the search is not worth going on with."""


def told(error: str) -> str:
    r"""Return why a trial failed in one line; of a command also the last line that it said.

    Examples
    --------
    >>> told("the command ended with exit status 1\nTraceback\nValueError: no data")
    'the command ended with exit status 1: ValueError: no data'
    >>> told("ValueError: no data\n  File ...")
    'ValueError: no data'
    """
    first, _, rest = error.partition("\n")
    if first.startswith("the command") and rest.strip():
        first = f"{first}: {rest.strip().splitlines()[-1].strip()}"
    whole = first if len(first) <= _LONGEST else f"{first[:_LONGEST]}…"
    # a terminal takes no half characters, and control characters of a trial could disturb it
    return "".join(c if c.isprintable() else " " if ord(c) < 0x3000 else "?" for c in whole)


def masked(reason: str) -> str:
    """Return a reason without what differs from trial to trial: paths, numbers, addresses.

    Examples
    --------
    >>> masked("FileNotFoundError: '/tmp/17/train.py' at step 3.5e-2")
    "FileNotFoundError: 'PATH' at step #"
    """
    return _NUMBER.sub("#", _PATH.sub("PATH", _ADDRESS.sub("#", reason)))


class FirstFailures:
    """Counts failures until a trial succeeds.

    Parameters
    ----------
    known : iterable of str
        The states of the trials that are recorded already.
    keep_going : bool
        Whether to go on however many fail alike.
    """

    def __init__(self, known: Iterable[str], *, keep_going: bool) -> None:
        self._watching = not keep_going and all(state == "failed" for state in known)
        self._kinds: Counter[str] = Counter()
        self._said = False
        self.numbers: list[int] = []  # failures of this run, before any success

    def first_of(self, ended: Iterable[TrialRow]) -> str:
        """Return what to say of the first failure of this run, the first time that there is one."""
        if self._said:
            return ""
        failed = next((t for t in ended if t.state == "failed"), None)
        if failed is None:
            return ""
        self._said = True
        return f"trial {failed.number} failed: {told(failed.error)}"

    def check(self, ended: Iterable[TrialRow]) -> None:
        """Raise if enough trials have failed alike before any success."""
        for trial in ended:
            if not self._watching:
                return
            if trial.state != "failed":
                self._watching = False
                return
            self.numbers.append(trial.number)
            reason = told(trial.error)
            kind = masked(reason)
            self._kinds[kind] += 1
            if self._kinds[kind] >= ALIKE:
                many = len(self.numbers)
                first = many == ALIKE
                whole = f"all {ALIKE} first trials failed" if first else f"{ALIKE} trials failed"
                end = "" if first else f", and all {many} so far failed"
                raise AllFailedError(
                    f"{whole} alike{end}: {reason.rstrip('.')}. They are not kept in the store; "
                    f"fix this and run the search again, or add "
                    f"{arg('keep_going', True, option='--keep-going')}."
                )
