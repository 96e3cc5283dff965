"""The game Countdown: make a number of some numbers with +, - and *, each used once.

A problem is its numbers and its target; written "3,7,12=33 ", it is the prompt of a model, which
goes on with an answer such as "(7*3)+12" and a line break.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, TypeAlias

Part: TypeAlias = Literal["test", "pilot", "training"]

SIZES = (3, 4, 5, 6)  # how many numbers a problem has
LARGEST = 50
TARGETS = (10, 200)
LIMIT = 999  # of every value on the way
LONGEST_ANSWER = 26  # six numbers of two digits, five signs, four pairs of brackets, a line break
LONGEST = 22 + LONGEST_ANSWER
OPERATIONS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}
_TOKEN = re.compile(r"0|[1-9]\d*|[-+*()]")


@dataclass(frozen=True)
class Problem:
    """Numbers in rising order, and the target."""

    numbers: tuple[int, ...]
    target: int

    @property
    def name(self) -> str:
        """The problem as it is written, such as "3,7,12=33"."""
        return f"{','.join(map(str, self.numbers))}={self.target}"

    @property
    def prompt(self) -> str:
        """What the model goes on from."""
        return self.name + " "

    @property
    def part(self) -> Part:
        """What the problem may be used for, by a hash of its name: 1 in 64 for test, 1 for pilot.

        The split is by problem, not by draw: a problem drawn twice is in the same part twice.
        """
        digest = blake2b(self.name.encode(), digest_size=8).digest()
        at = int.from_bytes(digest, "big") % 64
        return "test" if at == 0 else "pilot" if at == 1 else "training"

    @classmethod
    def of_name(cls, name: str) -> Problem:
        """Read a problem from its name."""
        numbers, target = name.split("=")
        return cls(tuple(map(int, numbers.split(","))), int(target))


def draw(rng: random.Random, part: Part) -> tuple[Problem, str]:
    """Draw a problem of some part and one answer to it.

    The number of numbers is drawn first, so that it is as often 3 as 6; then numbers and an
    expression, again and again, until every value on the way is from 0 to 999, the last one from
    10 to 200, and the problem belongs to the part.
    """
    size = rng.choice(SIZES)
    while True:
        numbers = [rng.randint(1, LARGEST) for _ in range(size)]
        found = _expression(rng, numbers)
        if found is not None and TARGETS[0] <= found[0] <= TARGETS[1]:
            problem = Problem(tuple(sorted(numbers)), found[0])
            if problem.part == part:
                return problem, found[1][1:-1]


def _expression(rng: random.Random, numbers: list[int]) -> tuple[int, str] | None:
    """Join two terms at random until one is left; None if a value leaves its limits."""
    terms = [(number, str(number)) for number in numbers]
    while len(terms) > 1:
        i, j = rng.sample(range(len(terms)), 2)
        (a, left), (b, right) = terms[i], terms[j]
        sign = rng.choice("+-*")
        value = OPERATIONS[sign](a, b)
        if not 0 <= value <= LIMIT:
            return None
        terms = [term for at, term in enumerate(terms) if at not in (i, j)]
        terms.append((value, f"({left}{sign}{right})"))
    return terms[0]


def solves(problem: Problem, answer: str) -> bool:
    """Whether an answer is an expression that uses each number once and makes the target.

    Examples
    --------
    >>> problem = Problem((3, 7, 12), 33)
    >>> solves(problem, "(12-3)*7"), solves(problem, "7*3+12"), solves(problem, "7+7+7+12")
    (False, True, False)
    """
    tokens = _TOKEN.findall(answer)
    if "".join(tokens) != answer:
        return False
    if sorted(int(t) for t in tokens if t.isdigit()) != list(problem.numbers):
        return False
    try:
        value, rest = _sum(tokens, 0)
    except ValueError:
        return False
    return rest == len(tokens) and value == problem.target


def _sum(tokens: list[str], at: int) -> tuple[int, int]:
    """Read products joined by + and - from the left; return the value and where reading stopped."""
    value, at = _product(tokens, at)
    while at < len(tokens) and tokens[at] in "+-":
        sign = tokens[at]
        other, at = _product(tokens, at + 1)
        value = OPERATIONS[sign](value, other)
    return value, at


def _product(tokens: list[str], at: int) -> tuple[int, int]:
    value, at = _factor(tokens, at)
    while at < len(tokens) and tokens[at] == "*":
        other, at = _factor(tokens, at + 1)
        value *= other
    return value, at


def _factor(tokens: list[str], at: int) -> tuple[int, int]:
    """Read a number or an expression in brackets."""
    if at < len(tokens) and tokens[at].isdigit():
        return int(tokens[at]), at + 1
    if at < len(tokens) and tokens[at] == "(":
        value, at = _sum(tokens, at + 1)
        if at < len(tokens) and tokens[at] == ")":
            return value, at + 1
    raise ValueError("a number or a bracket must stand here")
