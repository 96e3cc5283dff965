"""Every claim of README and docs has a test or a source behind it, which docs/claims.md names.

`python tools/claims.py` prints the rows that are missing.
"""

from __future__ import annotations

import doctest
import math
import re
import sys

import numpy as np
import pytest
from scipy import stats

import bestofk as bk
from bestofk.monitor import Monitor
from bestofk.numeric.noncrossing.critical import critical_level
from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
try:
    import claims
finally:
    sys.path.pop(0)

LISTED = claims.listed((ROOT / "docs/claims.md").read_text())
PAGES = claims.pages()
SOURCE = re.compile(r"\b(?:19|20)\d\d, (?:section|appendix|figure|table|equation|theorem)", re.I)
EXAMPLE = re.compile(r"^(?:>>>|\$) ", re.M)


def unlisted(text, rows):
    return [claim for claim in claims.claims(text) if claim not in rows]


def dead(text, rows):
    return sorted(set(rows) - set(claims.claims(text)))


def wrong(text, rows, root=ROOT):
    """Return the rows that name nothing, or something that is not there."""
    found = []
    for claim, behind in rows.items():
        tests = claims.tests_named(behind)
        files = re.findall(r"`([\w./-]+/[\w./-]+)`", behind)
        shown = claims.SHOWN in behind
        if not (tests or files or shown or SOURCE.search(behind)):
            found.append(f"{claim}: nothing stands behind it")
        found += [f"{claim}: no test {test}" for test in tests if not claims.exists(test, root)]
        found += [f"{claim}: no file {file}" for file in files if not (root / file).exists()]
        if shown and not EXAMPLE.search(text):
            found.append(f"{claim}: no example on the page")
    return found


def test_only_pages_that_there_are_have_rows():
    assert LISTED.keys() <= PAGES.keys()
    assert "docs/api.md" not in PAGES
    assert {"README.md", "docs/confidence.md", "docs/monitoring.md"} <= LISTED.keys()


@pytest.mark.parametrize("page", PAGES)
def test_every_claim_is_listed(page):
    assert unlisted(PAGES[page], LISTED.get(page, {})) == []


@pytest.mark.parametrize("page", LISTED)
def test_every_row_still_stands_on_its_page(page):
    assert dead(PAGES[page], LISTED[page]) == []


@pytest.mark.parametrize("page", LISTED)
def test_what_stands_behind_a_claim_exists(page):
    assert wrong(PAGES[page], LISTED[page]) == []


def test_the_examples_of_the_tool():
    assert doctest.testmod(claims).failed == 0


PAGE = """# A page

It just works. **Exact.** The band
covers in 80 % of searches, as all of you can see. See [this](that.md).

- It is never wrong, it says.

| what | how often |
| --- | --- |
| a band | 5 % |

```console
$ bestofk never --at-most 3
```

`exact=True` is an argument.
"""
CLAIMS = [
    "Exact. The band covers in 80 % of searches, as all of …",
    "It is never wrong, it says",
    "a band / 5 %",
]
GOOD = "`tests/test_claims.py::test_a_claim_that_is_not_listed_is_found`"


def test_a_claim_that_is_not_listed_is_found():
    assert claims.claims(PAGE) == CLAIMS
    assert unlisted(PAGE, dict.fromkeys(CLAIMS, GOOD)) == []
    assert unlisted(PAGE, dict.fromkeys(CLAIMS[:2], GOOD)) == CLAIMS[2:]
    assert unlisted(PAGE.replace("80 %", "81 %"), dict.fromkeys(CLAIMS, GOOD)) != []


@pytest.mark.parametrize(
    "word", ["Exactly so", "uncertified", "It certifies", "at most", "at least", "never", "9.5%"]
)
def test_every_word_makes_a_claim(word):
    assert len(claims.claims(f"So it is {word} here.")) == 1
    assert claims.claims("So it is, hardly ever more than nine in ten.") == []


def test_a_row_without_its_sentence_is_found():
    rows = dict.fromkeys([*CLAIMS, "It is exact"], GOOD)
    assert dead(PAGE, rows) == ["It is exact"]


@pytest.mark.parametrize(
    ("behind", "message"),
    [
        ("`tests/test_claims.py::test_not_there`", "no test"),
        ("`tests/test_not_there.py::test_x`", "no test"),
        ("`tests/test_claims.py::TestNone::test_every_claim_is_listed`", "no test"),
        ("`tests/test_claims.py::unlisted`", "no test"),  # a function, but no test
        ("`bench/results/none.md`", "no file"),
        ("trust us", "nothing stands behind it"),
        ("Lourie et al. 2024", "nothing stands behind it"),  # where?
        ("", "nothing stands behind it"),
    ],
)
def test_a_row_without_a_test_or_a_source_is_found(behind, message):
    (found,) = wrong(PAGE, {CLAIMS[0]: behind})
    assert message in found


@pytest.mark.parametrize(
    "behind",
    [
        GOOD,
        "`tests/curves/test_bands.py::TestReach::test_it_is_where_the_far_side_ends`",
        "Lourie et al. 2024, section 2",
        "`bench/results/bands.md`",
        "shown on the page",
    ],
)
def test_a_row_with_one_passes(behind):
    assert wrong(PAGE, {CLAIMS[0]: behind}) == []


def test_shown_on_the_page_needs_an_example():
    assert wrong("It is exact.", {"It is exact": claims.SHOWN}) != []


def test_two_rows_for_one_claim_are_refused():
    page = "## a.md\n\n| claim | behind |\n| --- | --- |\n| It is exact | x |\n"
    assert claims.listed(page) == {"a.md": {"It is exact": "x"}}
    with pytest.raises(AssertionError, match="listed twice"):
        claims.listed(page + "| It is exact | y |\n")


# --- figures that stand on a page and that no other test computes


def test_chances_of_a_wrong_band_under_a_monitor():
    """docs/monitoring.md: 14, 16 and 4 %; a look is wrong if its band is, at any real budget."""
    x = np.random.default_rng(1).random((50_000, 48))
    plans = [({}, 14), ({"horizon": 48, "looks": 3}, 16), ({"schedule": range(10, 49)}, 4)]
    for plan, said in plans:
        schedule = Monitor(confidence=0.8, **plan).schedule
        missed, look = np.zeros(len(x), dtype=bool), 1
        while (n := schedule.size(look)) is not None and n <= 48:
            level = 1 - 0.2 * schedule.share(look)
            band = bk.cdf_band(np.arange(float(n)), confidence=level)
            f = np.sort(x[:, :n], axis=1)
            missed |= ((f < band.lower) | (f > band.upper)).any(axis=1)
            look += 1
        # Half a point of rounding, and five standard errors.
        assert abs(100 * missed.mean() - said) < 0.5 + 0.8


def test_the_price_of_looking():
    """docs/monitoring.md: how far 160 trials reach in one look, the last of five, the fifth."""
    planned = Monitor(confidence=0.8, horizon=160, looks=5).schedule
    shares = [1, planned.share(5), Monitor(confidence=0.8).schedule.share(5)]
    reach = [round(bk.plan(trials=160, confidence=1 - 0.2 * s).reach, 1) for s in shares]
    assert reach == [33, 21, 15]


def test_the_effective_number_of_ranks():
    """docs/methods-bands.md, highest density."""
    for n, confidence, said in ((48, 0.5, 11.7), (48, 0.95, 15.5), (262_144, 0.95, 116)):
        eta = critical_level(n, confidence=confidence, kind="highest-density").eta
        assert math.log(confidence) / math.log1p(-eta) == pytest.approx(said, rel=0.005)


def test_the_error_of_the_fit():
    """docs/methods-bands.md: below 9e-9 everywhere, 1.2e-9 at 95 %."""
    for kind in ("highest-density", "equal-tailed"):
        for n in (16_385, 100_000, 2**20):
            for alpha in (1e-5, 1e-3, 0.05, 0.2, 0.4, 0.6, 0.79):
                level = critical_level(n, alpha=alpha, kind=kind, exact=False)
                assert not level.exact
                assert level.error < (1.2e-9 if alpha == 0.05 else 9e-9)


def test_what_conditioning_does_to_the_weight_of_a_path():
    """docs/methods-bands.md: at most 1.65 times, root of 2 for large n."""
    for n in (*range(1, 60), 1001, 100_001):
        rate = n * np.linspace(0.5, 1, 401)
        most = stats.poisson.pmf(np.floor(rate), rate).max() / stats.poisson.pmf(n, n)
        assert most < 1.65
    assert most == pytest.approx(math.sqrt(2), rel=1e-4)
