"""How users write distributions in Python: ``space.uniform(0, 1)`` and its siblings.

`Space` and `run_search` take a dict of these.  A space file writes ``{ kind = "uniform", low = 0,
high = 1 }`` for the same distribution, with the same names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from bestofk.space import distributions
from bestofk.space.distributions import Distribution, conditions

When: TypeAlias = Mapping[str, Any]


def uniform(low: float, high: float, *, when: When | None = None) -> Distribution:
    """Draw a number that is uniformly distributed on an interval.

    Parameters
    ----------
    low, high : float
        Ends of the interval.
    when : mapping, optional
        Condition for the parameter to exist: the name of another parameter and the value, or the
        list of values, that it must have in the trial.  By default, the parameter always exists.

    Returns
    -------
    Distribution
        The parameter, for `Space` or `run_search`.

    Examples
    --------
    >>> print(uniform(0, 1))
    uniform(low=0.0, high=1.0)
    >>> print(uniform(0, 1, when={"optimizer": "sgd"}))
    uniform(low=0.0, high=1.0, when={"optimizer": ["sgd"]})
    """
    return distributions.Uniform(low=low, high=high, when=conditions(when))


def loguniform(low: float, high: float, *, when: When | None = None) -> Distribution:
    """Draw a number whose logarithm is uniformly distributed.

    Parameters
    ----------
    low, high : float
        Ends of the interval, both positive.
    when : mapping, optional
        Condition for the parameter to exist, see `uniform`.

    Returns
    -------
    Distribution
        The parameter, for `Space` or `run_search`.

    Examples
    --------
    >>> print(loguniform(1e-5, 1e-1))
    loguniform(low=1e-05, high=0.1)
    """
    return distributions.LogUniform(low=low, high=high, when=conditions(when))


def integer(low: int, high: int, *, log: bool = False, when: When | None = None) -> Distribution:
    """Draw a whole number.

    Parameters
    ----------
    low, high : int
        The smallest and the largest number, both included.
    log : bool
        If True, small numbers are more likely: a log-uniform number is drawn and rounded.  By
        default, all numbers are equally likely.
    when : mapping, optional
        Condition for the parameter to exist, see `uniform`.

    Returns
    -------
    Distribution
        The parameter, for `Space` or `run_search`.

    Examples
    --------
    >>> print(integer(1, 1000, log=True))
    integer(low=1, high=1000, log=true)
    """
    return distributions.Integer(low=low, high=high, log=log, when=conditions(when))


def quantised(low: float, high: float, step: float, *, when: When | None = None) -> Distribution:
    """Draw one of the numbers `low`, `low + step`, ... up to `high`, all equally likely.

    Parameters
    ----------
    low, high : float
        Ends of the interval.  `high` is drawn only if it is a whole number of steps from `low`.
    step : float
        Distance between two neighbouring numbers.
    when : mapping, optional
        Condition for the parameter to exist, see `uniform`.

    Returns
    -------
    Distribution
        The parameter, for `Space` or `run_search`.

    Examples
    --------
    >>> print(quantised(0.0, 0.5, 0.1))
    quantised(low=0.0, high=0.5, step=0.1)
    """
    return distributions.Quantised(low=low, high=high, step=step, when=conditions(when))


def choice(
    values: Sequence[Any], *, weights: Sequence[float] | None = None, when: When | None = None
) -> Distribution:
    """Draw one of several values.

    Parameters
    ----------
    values : sequence
        The values: text, numbers, booleans, None, or lists and dicts of these.
    weights : sequence of float, optional
        How likely each value is relative to the others.  By default, all are equally likely.
    when : mapping, optional
        Condition for the parameter to exist, see `uniform`.

    Returns
    -------
    Distribution
        The parameter, for `Space` or `run_search`.

    Examples
    --------
    >>> print(choice(["sgd", "adam"], weights=[1, 3]))
    choice(values=["sgd", "adam"], weights=[1.0, 3.0])
    """
    given = None if weights is None else tuple(weights)
    return distributions.Choice(values=values, weights=given, when=conditions(when))  # type: ignore[arg-type]


def exponential(
    scale: float, *, high: float, low: float = 0.0, when: When | None = None
) -> Distribution:
    """Draw a number from an exponential distribution truncated to an interval.

    Parameters
    ----------
    scale : float
        Distance over which the density falls by a factor of e.
    high : float
        Upper end of the interval.
    low : float
        Lower end of the interval, where the density is highest.
    when : mapping, optional
        Condition for the parameter to exist, see `uniform`.

    Returns
    -------
    Distribution
        The parameter, for `Space` or `run_search`.

    Examples
    --------
    >>> print(exponential(0.5, high=3))
    exponential(scale=0.5, low=0.0, high=3.0)
    """
    return distributions.Exponential(scale=scale, low=low, high=high, when=conditions(when))


def normal(mean: float, std: float, *, when: When | None = None) -> Distribution:
    """Draw a number from a normal distribution.

    Parameters
    ----------
    mean : float
        Mean of the distribution.
    std : float
        Standard deviation of the distribution.
    when : mapping, optional
        Condition for the parameter to exist, see `uniform`.

    Returns
    -------
    Distribution
        The parameter, for `Space` or `run_search`.

    Examples
    --------
    >>> print(normal(0, 2))
    normal(mean=0.0, std=2.0)
    """
    return distributions.Normal(mean=mean, std=std, when=conditions(when))


def constant(value: Any, *, when: When | None = None) -> Distribution:
    """Use the same value in every trial.

    Parameters
    ----------
    value : object
        The value: text, a number, a boolean, None, or a list or dict of these.
    when : mapping, optional
        Condition for the parameter to exist, see `uniform`.

    Returns
    -------
    Distribution
        The parameter, for `Space` or `run_search`.

    Examples
    --------
    >>> print(constant(10, when={"optimizer": "sgd"}))
    constant(value=10, when={"optimizer": ["sgd"]})
    """
    return distributions.Constant(value=value, when=conditions(when))
