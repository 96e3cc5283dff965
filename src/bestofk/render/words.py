"""What one curve or band says in words, and the words around tables and figures.

Arguments in what the answers say are still marked (`errors.marked`): a report and a page each word
them their own way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bestofk._base.caveat import Caveat, Validity, remedies
from bestofk._base.chart.data import FEW
from bestofk._base.result import Result
from bestofk._base.text import capital, format_number, in_series, percent
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.costs import ESTIMATED
from bestofk.curves.band import Band
from bestofk.curves.budget_band import BudgetBand
from bestofk.curves.tuning import Curve
from bestofk.curves.words import ASSUMED, holds_for
from bestofk.numeric.noncrossing.snapping import Asked


def standing(validity: Validity, void: Sequence[str] = (), labels: Sequence[str] = ()) -> str:
    """Return a few words on what a page may claim; none if everything holds.

    `void` are those of the `labels` about which nothing can be claimed.

    Examples
    --------
    >>> standing("void"), standing("void", ["tpe"], ["svm", "forest", "tpe"]), standing("holds")
    ('void: descriptive only', 'void for tpe: descriptive only', '')
    """
    if validity != "void":
        return "" if validity == "holds" else validity
    whom = f" for {in_series(list(void))}" if 0 < len(void) < len(labels) else ""
    return f"void{whom}: descriptive only"


def unsaid(caveats: Iterable[Caveat], *, condition_said: bool = True) -> list[Caveat]:
    """Return the caveats that a verdict does not say already.

    It begins with what is void, and then with the assumption it rests on, if it states anything.
    """
    said = ASSUMED if condition_said else ()
    return [c for c in caveats if c.validity != "void" and c.kind not in said]


def words_for_one(result: Curve | Band) -> str:
    """Return what a curve or band of one method says, after the reason if it is void."""
    said = result.summary if isinstance(result, Curve) else result.marked_summary
    return f"{result._marked_warning()} {said}".strip()


def table_caption(result: Result) -> str:
    """Return what the cells of `budget_table` are."""
    if isinstance(result, Band) and result.is_void:
        return f"{result.curve.title}: descriptive."
    if not isinstance(result, Comparison):
        return f"{result.title}."
    what = f"{capital(result.curves[0].meaning)} by {_axis(result)}"
    sound = result.sound
    if not sound:
        guessed = any(unit.basis == "estimated" for unit in result.units)
        at = ", at the estimated mean costs" if guessed else ""
        return f"{what}{at}: estimates, descriptive."
    sure = percent(result.confidence)
    text = f"{what}: estimate [lower, upper], all bands together with {sure} confidence"
    others = [label for label in result.labels if label not in sound]
    return f"{text}; of {in_series(others)} the estimate alone." if others else f"{text}."


def rank_caption(result: Comparison) -> str:
    """Return what the cells of `rank_table` are; nothing if it is empty."""
    sound = result.sound
    if len(result.labels) < 3 or len(sound) < 2:
        return ""
    others = [label for label in result.labels if label not in sound]
    text = f"Best and worst rank by {_axis(result)}, all together with"
    end = f"; {in_series(others)} cannot be ranked." if others else "."
    return f"{text} {percent(result.confidence)} confidence{end}"


def _axis(result: Comparison) -> str:
    return "number of trials" if result.axis == "trials" else "total cost"


def asked_by(result: Curve | Band | Comparison) -> Asked | None:
    """Return the budgets that the bands of a result hold for together; None if all real ones."""
    if isinstance(result, Comparison):
        return result.asked
    base = result.base if isinstance(result, Band) else None
    return base.asked if isinstance(base, BudgetBand) else None


def at_once(asked: Asked | None) -> str:
    """Return at which budgets bands hold together, in the words of a caption.

    Examples
    --------
    >>> at_once(None), at_once(Asked("whole", 0.5)), at_once(Asked("range", 0.5, (1.0, 5.0)))
    ('at every budget', 'at every whole number of trials', 'at all budgets from 1 to 5')
    """
    if asked is None:
        return "at every budget"
    return "at every whole number of trials" if asked.simultaneous == "whole" else holds_for(asked)


def curves_caption(
    confidence: float | None, sound: Sequence[str], labels: Sequence[str], asked: Asked | None
) -> str:
    """Return what the figure of the curves shows; `confidence` is None if bands were not asked."""
    text = "Tuning curves: how good the best of k trials is."
    if confidence is None:
        return text
    if not sound:
        return f"{text} Descriptive: estimates alone."
    sure = percent(confidence)
    if len(labels) == 1:
        return f"{text} Shaded: the {sure} band, which holds {at_once(asked)} at once."
    if len(labels) > FEW:
        text += (
            f" Under them: where each method's curve lies at one budget and which ranks it can "
            f"have, by {sure} bands that hold {at_once(asked)} at once, all methods jointly."
        )
    else:
        text += f" Shaded: {sure} bands that hold {at_once(asked)} at once, all methods jointly."
    text += _alone(sound, labels)
    if len(sound) > 1:
        some = f" of {in_series(list(sound))}" if len(sound) <= FEW else " of the others"
        among = "" if len(sound) == len(labels) else some
        text += f" The strip at the bottom shows where which method{among} is certified the best."
    return text


def cost_caption(by_cost: Comparison) -> str:
    """Return what the figure at equal cost shows and says, beyond what is void at any cost."""
    text = "The same at equal total cost, in whole trials at each method's mean cost per trial"
    said = by_cost.marked_verdict.removeprefix(by_cost._marked_warning()).strip()
    guessed = [
        f"{label} {format_number(unit.cost)}"
        for label, unit in zip(by_cost.labels, by_cost.units, strict=True)
        if unit.basis == "estimated"
    ]
    only_costs = {c.kind for c in by_cost.caveats if c.validity == "void"} == {ESTIMATED.kind}
    if not guessed or (only_costs and len(by_cost.labels) == 2):
        return f"{text}. {said}".strip()
    why = f"Descriptive: the mean costs are estimates ({', '.join(guessed)})."
    said = "" if only_costs else said  # which points to a table that is not here
    return f"{text}. {why}{remedies([ESTIMATED])} {said}".strip()


def cdf_caption(confidence: float, sound: Sequence[str], labels: Sequence[str]) -> str:
    """Return what the figure of the distributions shows."""
    text = "Share of trials up to a score"
    if not sound:
        return f"{text}: descriptive."
    sure = percent(confidence)
    if len(labels) == 1:
        return f"{text}, with its {sure} band."
    if len(labels) > FEW:
        return f"{text}: estimates."
    return f"{text}, with {sure} bands, each on its own.{_alone(sound, labels)}"


def _alone(sound: Sequence[str], labels: Sequence[str]) -> str:
    others = [label for label in labels if label not in sound]
    return f" Of {in_series(others)} the estimate alone is shown." if others else ""
