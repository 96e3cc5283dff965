"""The terminal and its shell: what it can show, how words are quoted, what it leaves to programs.

Python writes to a pipe in the encoding of the system, which on Windows lacks most letters.
"""

from __future__ import annotations

import codecs
import glob
import io
import os
import re
import shlex
import sys
from collections.abc import Sequence

WINDOWS = os.name == "nt"
_ASCII = {
    "…": "...", "–": "-", "—": "-", "−": "-", "±": "+-", "×": "x", "≤": "<=", "≥": ">=",
    "“": '"', "”": '"', "‘": "'", "’": "'", "→": "->", "∞": "inf",
}  # fmt: skip
_USUAL = ("strict", "backslashreplace", "surrogateescape")  # what Python starts with
_PLAIN = re.compile(r"[\w+:./\\=-]+", re.ASCII)


def show_anything() -> None:
    """Print in ASCII what the encoding of the output lacks, instead of failing.

    A letter without a counterpart is printed as its number, so that two names stay apart.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in _USUAL:
            stream.reconfigure(errors="bestofk")


def print_as_file() -> None:
    """Print data as they would be written to a file: in UTF-8, with its ends of lines."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="bestofk", newline="\n")


def _in_ascii(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letter = error.object[error.start]
    if "\udc80" <= letter <= "\udcff":  # a byte of a file's name that is no text: as it is
        return bytes([ord(letter) - 0xDC00]), error.start + 1
    return _ASCII.get(letter) or letter.encode("ascii", "backslashreplace"), error.start + 1


codecs.register_error("bestofk", _in_ascii)


def quoted(words: Sequence[str]) -> str:
    r"""Return words as the shell of this system takes them.

    On Windows, double quotes are what both cmd and PowerShell know.

    Examples
    --------
    >>> print(quoted(["compare", "my runs.csv"]))
    compare 'my runs.csv'
    """
    return " ".join(map(_in_double_quotes, words)) if WINDOWS else shlex.join(words)


def _in_double_quotes(word: str) -> str:
    if _PLAIN.fullmatch(word):
        return word
    # Backslashes stand for themselves, but before a quote they have to be doubled.
    inside = re.sub(r'(\\*)"', r'\1\1\\"', word)
    at_the_end = len(inside) - len(inside.rstrip("\\"))
    return '"' + inside + "\\" * at_the_end + '"'


def expanded(words: Sequence[str]) -> list[str]:
    """Return words with the files that a pattern such as ``*.csv`` stands for.

    The shells of Windows leave this to programs; those of other systems have done it.
    """
    if not WINDOWS:
        return list(words)
    found: list[str] = []
    for word in words:
        is_pattern = not word.startswith("-") and any(c in word for c in "*?")
        found += (sorted(glob.glob(word)) if is_pattern else []) or [word]  # noqa: PTH207
    return found
