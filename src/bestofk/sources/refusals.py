"""What readers say when others fail: packages that are not there, errors of other packages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bestofk._base.redact import redact
from bestofk.errors import MissingPackageError


@contextmanager
def needing(feature: str, package: str, extra: str) -> Iterator[None]:
    """Say how to get the package that is imported within, if it is not installed."""
    try:
        yield
    except ImportError:
        raise MissingPackageError(feature, package, extra) from None


def reason(error: Exception, address: str = "") -> str:
    """Return what another package says, in one line and without the password of an address.

    Examples
    --------
    >>> reason(OSError("no  entry for s3cr3t"), "postgresql://ann:s3cr3t@db/studies")
    'no entry for ***'
    """
    return " ".join(redact(getattr(error, "orig", None) or error, address).split())
