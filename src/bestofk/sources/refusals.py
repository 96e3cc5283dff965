"""What readers say when others fail: packages that are not there, errors of other packages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from bestofk._base.redact import redact
from bestofk.errors import BestofkError, DataError, in_python, shortened


def reason(error: Exception, address: str = "") -> str:
    """Return what another package says, in one line and without the password of an address.

    Examples
    --------
    >>> reason(OSError("no  entry for s3cr3t"), "postgresql://ann:s3cr3t@db/studies")
    'no entry for ***'
    """
    return " ".join(redact(getattr(error, "orig", None) or error, address).split())


@contextmanager
def in_one_sentence(shown: str) -> Iterator[None]:
    """Let nothing out but values and our own errors, each a sentence of at most 400 characters.

    Whatever a file holds, and whatever another package makes of it, what is `shown` cannot be read.
    """
    try:
        yield
    except BestofkError as error:
        error.text = shortened(error.text)
        error.args = (in_python(error.text),)
        raise
    except RecursionError:
        raise DataError(f"{shown}: cannot be read: it is nested too deeply.") from None
    except MemoryError:
        raise DataError(f"{shown}: cannot be read: there is not enough memory.") from None
    except Exception as error:
        why = reason(error, shown)
        what = f"{type(error).__name__}: {why}" if why else type(error).__name__
        raise DataError(shortened(f"{shown}: cannot be read: {what}")) from error


def shown(x: object) -> str:
    """Return what `x` is called in a message."""
    if isinstance(x, str | os.PathLike):
        return redact(os.fsdecode(x))[:200]
    return f"an object of type {type(x).__name__}"
