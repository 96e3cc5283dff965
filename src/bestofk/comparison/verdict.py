"""What a comparison says, in words."""

from __future__ import annotations

from collections.abc import Sequence

from bestofk._base.text import format_number
from bestofk.comparison.pair import Pair, Range


def of_two(pair: Pair, sure: str, unit: str) -> str:
    """Return two or three sentences: what is certified, who leads, how strong the evidence."""
    spoken = pair.certified_stretches()
    wins = {who: ranges for who, ranges in spoken.items() if who}
    if wins:
        others = {pair.first: pair.second, pair.second: pair.first}
        parts = [
            f"{who} beats {others[who]} {in_words(ranges, pair.span, unit)}"
            for who, ranges in wins.items()
        ]
        certified = f"With {sure}, {'; '.join(parts)}"
        certified += "; elsewhere it is undecided" if "" in spoken else ""
    else:
        certified = f"At {sure} neither is certified better at any budget"
    return f"{certified}. {_lead(pair, unit)} {_evidence(pair, unit)}"


def of_many(
    best: Sequence[Range],
    pairs: Sequence[Pair],
    order: Sequence[str],
    span: tuple[float, float],
    sure: str,
    unit: str,
) -> str:
    """Say who is certified best where, how many pairs are decided, and who leads at the end."""
    spoken: dict[str, list[Range]] = {}
    for r in best:
        spoken.setdefault(r.what, []).append(r)
    parts = [
        f"{who} is the best {in_words(ranges, span, unit)}" for who, ranges in spoken.items() if who
    ]
    decided = sum(any(r.what for r in pair.certified_ranges) for pair in pairs)
    return (
        f"With {sure}, all pairs together: "
        f"{'; '.join(parts) or 'no method is certified the best'}; "
        f"{decided} of {len(pairs)} pairs are decided at some budget. "
        f"By the point estimates at {format_number(span[1])} {unit}: {' > '.join(order)}."
    )


def in_words(ranges: Sequence[Range], whole: tuple[float, float], unit: str) -> str:
    """Return where something holds: one stretch, or several with what lies between."""
    low, high = ranges[0].low, ranges[-1].high
    if low == high:
        return f"at {format_number(low)} {unit.removesuffix('s') if low == 1 else unit}"
    span = f"from {format_number(low)} to {format_number(high)} {unit}"
    if len(ranges) == 1:
        return f"at every budget {span}" if (low, high) == whole else span
    share = sum(r.high - r.low for r in ranges) / (high - low)
    return f"at {'most' if share > 0.5 else 'some'} budgets {span}"


def _lead(pair: Pair, unit: str) -> str:
    leaders = [who for who in pair.leader_stretches() if who]
    if not leaders:
        return "The point estimates are equal."
    if len(leaders) == 1:
        return f"By the point estimates {leaders[0]} leads wherever they differ."
    if len(pair.crossings) != 1:
        return f"The point estimates cross {len(pair.crossings)} times."
    c = pair.crossings[0]
    low = "" if c.low is None else f"not before {format_number(c.low)}"
    high = "" if c.high is None else f"not after {format_number(c.high)}"
    true = " and ".join(filter(None, (low, high))) or "anywhere or nowhere"
    return (
        f"The point estimates cross from {c.before} to {c.after} at "
        f"{format_number(c.budget)} {unit} (the true curves: {true})."
    )


def _evidence(pair: Pair, unit: str) -> str:
    start = "By the heuristic of Lourie et al."
    if pair.evidence == "none":
        some = pair.evidence_shares["none"] < 1
        where = "over less than a twentieth of the axis only" if some else "either way"
        return f"{start} there is {'' if some else 'no '}evidence {where}."
    parts = [
        f"{in_words(ranges, pair.span, unit)} for {who}"
        for (level, who), ranges in pair.evidence_stretches().items()
        if level == pair.evidence and who
    ]
    where = f" {' and '.join(parts)}" if parts else ""
    return f"{start} the evidence is {pair.evidence}{where}."
