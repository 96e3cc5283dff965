"""What the readers' tests ask about caveats."""

from __future__ import annotations


def said(result, kind, *words, validity="holds"):
    """Assert that there is one caveat of a kind, with these words and this validity."""
    found = [c for c in result.caveats if c.kind == kind]
    assert len(found) == 1, f"{kind} is not once among {[c.kind for c in result.caveats]}"
    assert found[0].validity == validity
    for word in words:
        assert word in str(found[0])


def kinds(result):
    """Return the kinds of all caveats, in order."""
    return [c.kind for c in result.caveats]
