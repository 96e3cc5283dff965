"""What bestofk raises.  Each message is one sentence: what must hold, what came, the way out.

A message names an argument with `arg`, so that Python, the command line and the page each word it
their own way: `failed="worst"`, ``--failed worst``, the control “Failed: count as worst”.  What
tells how to call bestofk is `advice`: a report leaves it out, whose reader cannot follow it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# Private-use characters enclose the three wordings of an argument; no text of a user has them.
_OPEN, _NEXT, _CLOSE = "\ue000", "\ue001", "\ue002"
_MARKED = re.compile(f"{_OPEN}(.*?){_NEXT}(.*?){_NEXT}(.*?){_CLOSE}", re.DOTALL)
_ADVICE, _END = "\ue003", "\ue004"
_ADVISED = re.compile(f"{_ADVICE}[^{_END}]*{_END}")
_PASSED = re.compile(rf"\b([Pp])ass (?={_OPEN}[^{_CLOSE}]*{_NEXT}“)")  # a control is chosen
# Options that are not spelled like their argument.
_OPTIONS = {
    "rng": "--seed",
    "costs": "--cost",
    "metric": "--score",
    "objective": "MODULE:FUNCTION",
    "planned": "--attempts",
    "seeds": "--seed",
    "tests": "--test",
    **{f"n_{what}": f"--{what}" for what in ("trials", "resamples", "samples", "jobs", "workers")},
    **{f"n_{what}": f"--{what}" for what in ("repeats", "problems")},
}

# What the page calls an argument with a value, where it has a control for it.
_CONTROLS = {
    ("axis", "cost"): "Budget in: total cost",
    ("failed", "drop"): "Failed: leave out",
    ("failed", "worst"): "Failed: count as worst",
    ("of", "test"): "Of: its test score",
    ("paired", True): "Shared seeds: compare seed by seed",
    ("statistic", "mean"): "Statistic: mean",
    ("statistic", "median"): "Statistic: median",
    ("unequal", "interval"): "Unequal lengths: shorter ones as intervals",
}


def arg(name: str, value: object = None, *, to: str = "", option: str | None = None) -> str:
    """Name an argument in a message, with a value to pass, or the call it belongs to.

    `option` is what the command line says instead, if not ``--name value``.

    Examples
    --------
    >>> in_python(arg("failed", "worst")), on_command_line(arg("failed", "worst"))
    ('failed="worst"', '--failed worst')
    >>> in_python(arg("test", to="read()")), on_command_line(arg("test", to="read()"))
    ('test= to read()', '--test')
    >>> in_python(arg("n_trials")), on_command_line(arg("n_trials"))
    ('`n_trials`', '--trials')
    """
    flag = _OPTIONS.get(name) or "--" + name.replace("_", "-")
    if value is not None:
        python = f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}"
        control = _CONTROLS.get((name, value)) if isinstance(value, str | bool) else None
        page = f"“{control}”" if control else f"{name} {value}"
        return marked(python, option or f"{flag} {value}", page)
    return marked(f"{name}= to {to}" if to else f"`{name}`", option or flag, name)


def marked(python: str, command_line: str, page: str | None = None) -> str:
    """Return a piece of a message that has another wording in each place.

    Examples
    --------
    >>> on_command_line(f"{marked('plan()', 'bestofk plan')} says how many")
    'bestofk plan says how many'
    """
    return f"{_OPEN}{python}{_NEXT}{command_line}{_NEXT}{page or python}{_CLOSE}"


def in_python(text: str) -> str:
    """Return a message in the words of Python."""
    return _plain(_MARKED.sub(r"\1", text))


def on_command_line(text: str) -> str:
    """Return a message in the words of the command line."""
    return _plain(_MARKED.sub(r"\2", text))


def on_page(text: str) -> str:
    """Return a message in the words of the page.

    Examples
    --------
    >>> on_page(f"Pass {arg('failed', 'worst')} to count it.")
    'Choose “Failed: count as worst” to count it.'
    """
    text = _PASSED.sub(lambda found: "Choose " if found[1] == "P" else "choose ", text)
    return _plain(_MARKED.sub(r"\3", text))


def _plain(text: str) -> str:
    return text.replace(_ADVICE, "").replace(_END, "")


def advice(text: str) -> str:
    """Return a piece of a message that tells how to call bestofk.

    Examples
    --------
    >>> in_report(f"the range is not known{advice(' (pass bounds)')}.")
    'the range is not known.'
    """
    return f"{_ADVICE}{text}{_END}"


def is_advice(text: str) -> bool:
    """Tell whether a text as a whole is advice: it names arguments, and no part is marked so."""
    return _OPEN in text and _ADVICE not in text


def in_report(text: str, words: Callable[[str], str] = in_python) -> str:
    """Return a message as a report says it, without advice."""
    return words(_ADVISED.sub("", text))


def shortened(text: str, most: int = 400) -> str:
    """Return a message of one line and at most so many characters in each of its wordings.

    What is left out stood in the middle: the way out is at the end.

    Examples
    --------
    >>> in_python(shortened(f"{'a' * 300} is no step; pass {arg('take', 'last')}", 60))
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa … ; pass take="last"'
    """
    text = re.sub(r"\s*[\n\r]\s*", " ", text)
    if max(map(len, (in_python(text), on_command_line(text), on_page(text)))) <= most:
        return text
    pieces: list[tuple[int, str]] = []
    place = 0
    for match in _MARKED.finditer(text):
        pieces += [(1, character) for character in text[place : match.start()]]
        words = [
            word if len(word) <= most // 4 else f"{word[: most // 4 - 1]}…"
            for word in match.groups()
        ]
        pieces.append((max(map(len, words)), marked(*words)))
        place = match.end()
    pieces += [(1, character) for character in text[place:]]
    start, end = _fitting(pieces, 2 * most // 3 - 1), _fitting(pieces[::-1], most // 3 - 2)
    return f"{''.join(start)} … {''.join(reversed(end))}".replace("  ", " ")


def _fitting(pieces: list[tuple[int, str]], most: int) -> list[str]:
    """Return the first pieces that are together at most so long."""
    found = []
    for size, piece in pieces:
        most -= size
        if most < 0:
            break
        found.append(piece)
    return found


class BestofkError(Exception):
    """Any error that bestofk raises on purpose.

    Parameters
    ----------
    text : str
        The message; or instead of it:
    argument, must, got, remedy : str
        The argument's name, what must hold, what came and the way out.

    Examples
    --------
    >>> str(BestofkError(argument="first", must="be a whole number", got="2.5"))
    '`first` must be a whole number; got 2.5.'
    """

    def __init__(
        self,
        text: str = "",
        *,
        argument: str | None = None,
        must: str = "",
        got: str | None = None,
        remedy: str = "",
    ) -> None:
        self.argument, self.must, self.got, self.remedy = argument, must, got, remedy
        if argument is not None:
            came = "" if got is None else f"; got {got}"
            text = f"{arg(argument)} must {must}{came}.{' ' if remedy else ''}{remedy}"
        self.text = text
        super().__init__(in_python(text))

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[BestofkError], args: tuple[Any, ...], state: dict[str, Any]) -> BestofkError:
    """Make an error again that was sent to another process."""
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class ArgumentError(BestofkError, ValueError):
    """An argument or option has a value it may not have.

    Examples
    --------
    >>> from bestofk import plan
    >>> try:
    ...     plan(budget=0)
    ... except ArgumentError as error:
    ...     print(error.argument, error.got)
    budget 0
    """


class DataError(BestofkError, ValueError):
    """The data cannot be used as they are.

    Examples
    --------
    >>> from bestofk import tuning_curve
    >>> try:
    ...     tuning_curve([0.5, float("nan")])
    ... except DataError as error:
    ...     print(error.argument, error.got)
    scores one at position 1 (1 in all)
    """


class CaveatWarning(UserWarning):
    """A number was asked for that cannot carry its caveat: the warning says it."""


class MissingPackageError(BestofkError, ImportError):
    """A feature needs an optional package that is not installed."""

    def __init__(self, feature: str, package: str, extra: str, *, also: str = "") -> None:
        super().__init__(f'{feature} needs {package}: pip install "bestofk[{extra}]"{also}')


@contextmanager
def needing(feature: str, package: str, extra: str) -> Iterator[None]:
    """Say how to get the package that is imported within, if it is not installed."""
    try:
        yield
    except ImportError:
        raise MissingPackageError(feature, package, extra) from None


class UnsupportedPlatformError(BestofkError):
    """Searches are run, merged and removed on Linux and macOS only; all else runs everywhere."""

    def __init__(self, feature: str) -> None:
        super().__init__(
            f"{feature} needs the file locks and process groups of Linux or macOS; on Windows, run "
            "it in WSL and read its store here."
        )
