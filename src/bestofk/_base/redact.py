"""Passwords in addresses: taken out of everything that is shown."""

from __future__ import annotations

import re
from urllib.parse import unquote

_LOGIN = re.compile(r"(\w:/{1,2}[^/\s:@]*:)\S*(?=@)")  # a path takes the second slash away
_QUERY = re.compile(r"([?&;](?:[\w-]*(?:password|passwd|pwd|token|secret))=)[^&;\s'\"]+", re.I)


def redact(text: object, *addresses: str) -> str:
    """Return a text without the passwords in it, nor those of the addresses given.

    Examples
    --------
    >>> redact("postgresql://ann:s3cr3t@db/studies?sslpassword=x")
    'postgresql://ann:***@db/studies?sslpassword=***'
    >>> redact("no entry for s3cr3t", "postgresql://ann:s3cr3t@db/studies")
    'no entry for ***'
    """
    shown = str(text)
    for address in addresses:
        for secret in sorted(_secrets(address), key=len, reverse=True):
            if len(secret) > 2:  # a shorter one would tear words apart
                shown = shown.replace(secret, "***")
    return _QUERY.sub(r"\1***", _LOGIN.sub(r"\1***", shown))


def _secrets(address: str) -> set[str]:
    login = re.search(r"\w:/{1,2}[^/\s:@]*:(\S*)@", address)
    found = {login.group(1)} if login else set()
    found |= {match.group(0)[len(match.group(1)) :] for match in _QUERY.finditer(address)}
    return found | {unquote(secret) for secret in found}
