"""Monitor: watch one search or several while they run, and stop when enough is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.text import percent
from bestofk._base.types import (
    BANDS,
    BandKind,
    Bounds,
    Direction,
    FloatArray,
    Simultaneous,
    Statistic,
)
from bestofk.curves.budget_band import asked_of, checked_simultaneous, chosen_simultaneous
from bestofk.curves.make_band import tuning_band
from bestofk.errors import ArgumentError, arg
from bestofk.monitor.ranges import in_words, runs
from bestofk.monitor.rules import Beats, Rule, Width
from bestofk.monitor.schedule import Schedule, Spacing, make_schedule
from bestofk.monitor.status import MethodStatus, MonitorBand, MonitorStatus, sides
from bestofk.monitor.track import OPEN, Terms, Track, take
from bestofk.monitor.verdict import certified_orders, verdict

UNNAMED = "search"


class Monitor:
    """Watch random searches while they run; what it certifies holds at every moment together.

    Holds if the trials of each method are independent draws from one search distribution and
    everything below is fixed before the data.

    Parameters
    ----------
    confidence : float
        Joint confidence level of all statements about all methods at all moments.
    statistic : "median", "mean" or float
        What is said about the best of k.
    band : {"ld-highest-density", "ld-equal-tailed", "ks", "dkw"}
        How the bands are made, see `cdf_band`.
    simultaneous : {"whole", "real", "range", "listed"}, optional
        The budgets at which the bands hold together, as in `tuning_band`: by default, all whole
        ones for a quantile and all real ones for a mean.  "range" and "listed" are those of
        `budgets`.
    direction : {"maximize", "minimize"}
        Whether larger or smaller is better.
    bounds : (low, high), optional
        The lowest and the highest score that is possible.  By default, what the searches say.
    budgets : array_like, optional
        Where bands are shown and methods compared.  By default, up to the number of trials used.
    methods : sequence of str, optional
        The names of the methods; each gets its share of the error.  By default, one without a name.
    horizon : int, optional
        The planned number of trials of each method.  By default, open-ended, with looks at `first`,
        2 `first`, 4 `first`, ... trials.
    looks : int, optional
        Number of looks up to the horizon.  By default, sizes about double from `first` on.
    first : int
        The number of trials at the first look.
    spacing : {"geometric", "even"}
        How the looks are spread up to the horizon.
    schedule : sequence of int, optional
        The sizes of all looks, instead of `horizon` and `looks`.
    rule : optional
        When to stop: `StopWhen.width(...)` or `StopWhen.beats(...)`.
    failed : {"raise", "worst"}
        What a failed or pruned trial counts as, see `Search.scores`.

    Notes
    -----
    Look m takes exactly the first n_m trials in start order, once all of them have ended, and makes
    a band that misses with a chance of at most alpha_m; the chances of all looks at all methods sum
    to at most 1 - confidence, so that with the stated confidence no look misses.  Then what all
    looks have in common at a budget holds too, whenever one stops.  With an open end alpha_m is
    proportional to 1 / m^2, otherwise all are equal.  See docs/monitoring.md.

    Examples
    --------
    >>> monitor = Monitor(confidence=0.8, horizon=40, bounds=(0, 1), budgets=[1, 2])
    >>> monitor.schedule
    looks at 10, 20, 40 trials
    >>> monitor.update([0.62, 0.81, 0.75, 0.79, 0.33, 0.84, 0.70, 0.77, 0.58, 0.82, 0.80, 0.66])
    >>> print(monitor.status().summary)
    search: 12 trials seen, 12 ended; 10 used in 1 look; next look at 20 trials.
    >>> monitor.status().band()
    MonitorBand 'search': median of the best of k, 10 trials in 1 look, maximize, \
80 % confidence at every moment, at all whole budgets, ld-highest-density
    budget  estimate  lower  upper
         1      0.75   0.58   0.82
         2      0.81    0.7      1
    ! how the trials were drawn is not known: independent draws are assumed (state it with
    sampling="iid" in read() or Scores())
    """

    def __init__(
        self,
        *,
        confidence: float = 0.95,
        statistic: Statistic = "median",
        band: BandKind = "ld-highest-density",
        simultaneous: Simultaneous | None = None,
        direction: Direction = "maximize",
        bounds: Bounds | None = None,
        budgets: ArrayLike | None = None,
        methods: Sequence[str] | None = None,
        horizon: int | None = None,
        looks: int | None = None,
        first: int = 10,
        spacing: Spacing = "geometric",
        schedule: Iterable[int] | None = None,
        rule: Rule | None = None,
        failed: Literal["raise", "worst"] = "raise",
    ) -> None:
        self.confidence = arguments.confidence(confidence)
        if self.confidence > 1 - 1e-6:
            raise ArgumentError(
                argument="confidence",
                must="be at most 1 - 1e-6 for a monitor",
                got=repr(confidence),
            )
        self.statistic = arguments.statistic(statistic)[0]
        self.budgets = None if budgets is None else arguments.fixed(arguments.budgets(budgets))
        self.rule = rule
        self.methods = _names(methods)
        if rule is not None:
            if not isinstance(rule, Width | Beats):
                raise ArgumentError(
                    argument="rule",
                    must="be StopWhen.width(...) or StopWhen.beats(...)",
                    got=type(rule).__name__,
                )
            rule.check(self.methods)
        if failed == "drop":  # type: ignore[comparison-overlap]
            raise ArgumentError(
                f'{arg("failed")} must be "raise" or "worst" for a monitor: dropping trials '
                "would change which are the first n, and with that what the looks mean."
            )
        how, way = arguments.choice("band", band, BANDS), arguments.direction(direction)
        chosen = chosen_simultaneous(checked_simultaneous(simultaneous), self.statistic, how)
        self._terms = Terms(
            schedule=make_schedule(
                horizon=horizon, looks=looks, first=first, spacing=spacing, schedule=schedule
            ),
            alpha=(1 - self.confidence) / len(self.methods),
            band=how,
            asked=asked_of(chosen, self.statistic, self.budgets, minimize=way == "minimize"),
            direction=way,
            bounds=None if bounds is None else arguments.bounds(bounds),
            failed=arguments.choice("failed", failed, ("raise", "worst")),
        )
        self._named = methods is not None
        self._tracks = {name: Track(label=name) for name in self.methods}

    @property
    def simultaneous(self) -> Simultaneous:
        """The budgets at which the bands hold together."""
        return "real" if self._terms.asked is None else self._terms.asked.simultaneous

    @property
    def schedule(self) -> Schedule:
        """At how many trials the monitor looks."""
        return self._terms.schedule

    def level(self, look: int) -> float:
        """Return the confidence of the band that look 1, 2, ... takes at one method.

        Examples
        --------
        >>> Monitor(confidence=0.8, horizon=40, looks=2).level(1)
        0.9
        """
        return 1 - self._terms.alpha * self.schedule.share(arguments.whole("look", look))

    def update(self, scores: Any) -> None:
        """Take note of all trials so far; look at them if the next look's trials have all ended.

        Parameters
        ----------
        scores : array_like, Scores or Search; or a mapping from method to such
            All trials so far in start order, running ones included, numbered from 0.  In an array
            NaN is a failed trial.  Trials that had ended must be there unchanged.  Methods that are
            not in the mapping stay as they are.

        Raises
        ------
        DataError
            If a trial that had ended is gone or different.  Nothing is taken note of then.
        """
        tracks = dict(self._tracks)
        for name, data in self._by_method(scores).items():
            snapshot = take(name, data, self._terms)
            tracks[name] = tracks[name].extended(snapshot, self._terms)
        self._tracks = tracks

    def add(self, score: float, *, label: str | None = None) -> None:
        """Take note of one more trial that has ended, in start order; NaN if it failed.

        Parameters
        ----------
        score : float
            Its score.
        label : str, optional
            Label of the method; may be left out if there is only one.

        Examples
        --------
        >>> monitor = Monitor(first=2)
        >>> for score in (0.71, 0.83, 0.75):
        ...     monitor.add(score)
        >>> monitor.status().methods[0].used
        2
        """
        if label is None and len(self.methods) > 1:
            raise ArgumentError(
                argument="label", must=f"say whose score it is: one of {self._listing()}"
            )
        name = self.methods[0] if label is None else self._known(label)
        self._tracks[name] = self._tracks[name].with_score(score, self._terms)

    def status(self) -> MonitorStatus:
        """Return what is certified now and whether the stopping rule is met."""
        budgets = self.budgets
        if budgets is None:
            used = max(track.used for track in self._tracks.values())
            budgets = arguments.fixed(arguments.default_budgets(used or self.schedule.sizes[0]))
        methods = tuple(self._method(track, budgets) for track in self._tracks.values())
        bands = [m.band for m in methods]
        stop, reason = verdict(self.rule, bands)
        several = len(methods) > 1
        return MonitorStatus(
            methods=methods,
            certified=certified_orders(bands),
            rule=self.rule,
            stop=stop,
            reason=reason,
            confidence=self.confidence,
            statistic=self.statistic,
            direction=self._terms.direction,
            band_kind=self._terms.band,
            asked=self._terms.asked,
            schedule=self.schedule,
            caveats=tuple(
                caveat.of(m.label) if several else caveat
                for m in methods
                for caveat in m.band.caveats
            ),
        )

    def __repr__(self) -> str:
        names = ", ".join(self.methods)
        rule = "" if self.rule is None else f", stop when {self.rule}"
        return (
            f"Monitor of {names}: {self.schedule}, {self._terms.direction}, "
            f"{percent(self.confidence)} confidence at every moment, "
            f"{self._terms.band}{rule}"
        )

    def _by_method(self, scores: Any) -> dict[str, Any]:
        if isinstance(scores, Mapping):
            if not self._named:
                raise ArgumentError(
                    "the methods must be named before the data; got a mapping. "
                    f"Pass methods={[str(name) for name in scores]} to Monitor."
                )
            return {self._known(name): data for name, data in scores.items()}
        if len(self.methods) > 1:
            raise ArgumentError(
                argument="scores",
                must=f"map each method to its scores, {self._listing()}",
                got=type(scores).__name__,
            )
        return {self.methods[0]: scores}

    def _known(self, name: object) -> str:
        return arguments.choice("label", name, self.methods)

    def _listing(self) -> str:
        return ", ".join(map(repr, self.methods))

    def _method(self, track: Track, budgets: FloatArray) -> MethodStatus:
        snapshot = track.snapshot
        ready = 0 if snapshot is None else snapshot.ready
        next_look = self.schedule.size(track.looks + 1)
        waits = snapshot is not None and bool(snapshot.ended[ready:].any())
        return MethodStatus(
            label=track.label,
            seen=0 if snapshot is None else snapshot.seen,
            ended=0 if snapshot is None else snapshot.finished,
            used=track.used,
            looks=track.looks,
            next_look=next_look,
            waits_for=ready if waits and next_look is not None else None,
            band=self._band(track, budgets),
        )

    def _band(self, track: Track, budgets: FloatArray) -> MonitorBand:
        terms = self._terms
        bounds = terms.bounds or OPEN
        if track.snapshot is not None:
            bounds = track.snapshot.bounds
        common = None if track.is_empty else track.common
        lower, upper = sides(common, self.statistic, bounds, budgets)
        curve, caveats = None, []
        if track.common is not None:
            last = tuning_band(
                track.common.scores,
                confidence=self.level(track.looks),
                statistic=self.statistic,
                band=terms.band,
                simultaneous=self.simultaneous,
                budgets=budgets,
            )
            curve, caveats = last.curve, list(last.caveats)
            if common is None:
                text = (
                    "the bands of the looks have nothing in common: trials not IID, or the rare "
                    f"event of at most {percent(1 - self.confidence)}; nothing is "
                    "certified"
                )
                caveats.append(Caveat(kind="looks-disagree", text=text))
            outside = _outside(curve.estimate, lower, upper)
            if outside.any():
                text = (
                    "the estimate from the last look lies outside the band, which all looks share, "
                    f"at {in_words(runs(budgets, outside))}; the band holds"
                )
                caveats.append(Caveat(kind="estimate-outside", text=text))
        return MonitorBand(
            label=track.label,
            budgets=budgets,
            lower=arguments.fixed(lower),
            upper=arguments.fixed(upper),
            common=common,
            asked=terms.asked,
            curve=curve,
            looks=track.looks,
            statistic=self.statistic,
            direction=terms.direction,
            bounds=bounds,
            confidence=self.confidence,
            band=terms.band,
            caveats=tuple(caveats),
        )


def _names(methods: Sequence[str] | None) -> tuple[str, ...]:
    if methods is None:
        return (UNNAMED,)
    names = tuple(str(name) for name in arguments.texts(methods))
    if not names or len(set(names)) < len(names):
        raise ArgumentError(
            argument="methods", must="be different names, one or more", got=repr(methods)
        )
    return names


def _outside(values: FloatArray, lower: FloatArray, upper: FloatArray) -> Any:
    """Tell where the estimate leaves the band by more than the rounding of a mean."""
    with np.errstate(over="ignore"):
        near = np.isclose(values, lower, rtol=1e-12, atol=0) | np.isclose(
            values, upper, rtol=1e-12, atol=0
        )
    return ((values < lower) | (values > upper)) & ~near
