"""What the name of a score says: that it is a loss, a test score or a validation score."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bestofk._base import arguments
from bestofk._base.types import Direction
from bestofk.errors import ArgumentError, arg, marked

_LOSSES = frozenset({
    "loss", "err", "error", "rmse", "mae", "mse", "nll", "ppl", "perplexity", "wer", "cer", "bpb",
    "latency", "cost", "mape", "smape", "msle", "rmsle", "brier", "deviance", "fid", "xent",
    "crossentropy", "negloglik", "negloglikelihood",
})  # fmt: skip
_NEGATED = frozenset({"neg", "negative"})  # scikit-learn's neg_log_loss is better when larger
_LIKELIHOODS = frozenset({"lik", "likelihood", "loglik", "loglikelihood"})  # negated, a loss
_TEST = frozenset({"test"})
_TRAINING = frozenset({"train", "training"})
_VALIDATION = frozenset({"val", "valid", "validation", "dev"})
# val_loss, valLoss, MSELoss, eval/loss
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words(name: str) -> tuple[str, ...]:
    """Return the words of a name, in lower case.

    Examples
    --------
    >>> words("eval/valLoss"), words("test_MSE")
    (('eval', 'val', 'loss'), ('test', 'mse'))
    """
    return tuple(word.lower() for word in _WORD.findall(name))


def looks_like_loss(name: str) -> bool:
    """Tell whether a name has the word for something that is better when smaller.

    Examples
    --------
    >>> [looks_like_loss(name) for name in ("val_logloss", "lossless", "neg_log_loss", "neg_lik")]
    [True, False, False, True]
    """
    found = set(words(name))
    if found & _NEGATED:
        return bool(found & _LIKELIHOODS)
    two_words = {"cross", "entropy"} <= found
    return bool(found & _LOSSES) or two_words or any(word.endswith("loss") for word in found)


def stated_direction(name: str, direction: Direction | None) -> Direction:
    """Return the stated direction of a score; if None, "maximize", unless it looks like a loss.

    Examples
    --------
    >>> stated_direction("accuracy", None), stated_direction("loss", "minimize")
    ('maximize', 'minimize')
    """
    if direction is not None:
        return arguments.direction(direction)
    if looks_like_loss(name):
        other = marked('"maximize"', "maximize", "maximize")
        raise ArgumentError(
            f"{name} looks like a loss. Say {arg('direction', 'minimize')} (or {other})."
        )
    return "maximize"


def says_test(name: str) -> bool:
    """Tell whether a name says that it is a test score."""
    return bool(set(words(name)) & _TEST)


def says_validation(name: str) -> bool:
    """Tell whether a name says that it is a validation score."""
    return bool(set(words(name)) & _VALIDATION)


def is_validation(name: str, *, beside_test: bool) -> bool:
    """Tell whether a score may be called a validation score: its name or its role says so.

    `beside_test`: another column was named as its test score.

    Examples
    --------
    >>> is_validation("val_acc", beside_test=False), is_validation("acc", beside_test=False)
    (True, False)
    >>> is_validation("acc", beside_test=True), is_validation("train_acc", beside_test=True)
    (True, False)
    """
    other = set(words(name)) & (_TEST | _TRAINING)
    return says_validation(name) or (beside_test and not other)


def validation_of(test: str, names: Iterable[str]) -> str | None:
    """Return the validation score that a test score belongs to, None if there is none.

    Examples
    --------
    >>> validation_of("test_acc", ["test_acc", "val_loss", "val_acc"])
    'val_acc'
    """
    return _partner(test, [n for n in names if says_validation(n)]) if says_test(test) else None


def matching_test(validation: str, names: Iterable[str]) -> str | None:
    """Return the test score that belongs to a validation score, None if none is named alike.

    Examples
    --------
    >>> matching_test("val_acc", ["test_f1", "test_acc"])
    'test_acc'
    """
    if not says_validation(validation):
        return None
    return next((n for n in names if says_test(n) and _bare(n) == _bare(validation)), None)


def _partner(name: str, others: list[str]) -> str | None:
    same = [other for other in others if _bare(other) == _bare(name)]
    return next(iter(same or others), None)


def _bare(name: str) -> frozenset[str]:
    return frozenset(words(name)) - _TEST - _VALIDATION
