"""The checker agrees with an independent one, and the parts of the problems do not meet."""

from __future__ import annotations

import ast
import operator
import random
import tokenize

import pytest

OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}


def naive(problem, answer):
    """Another checker: Python's own grammar, without evaluating anything but +, - and *."""
    if set(answer) - set("0123456789+-*()"):
        return False
    try:
        tree = ast.parse(answer, mode="eval").body
    except (SyntaxError, MemoryError, tokenize.TokenError):
        return False
    used = []

    def value(node):
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
            return OPERATIONS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.Constant) and type(node.value) is int:
            used.append(node.value)
            return node.value
        raise LookupError  # a sign, a power, a call: not part of the game

    try:
        made = value(tree)
    except LookupError:
        return False
    return made == problem.target and sorted(used) == list(problem.numbers)


def answers(game, rng, n):
    """Yield problems with right answers, and with answers that were changed a little."""
    for _ in range(n):
        problem, answer = game.draw(rng, "training")
        for _ in range(rng.choice([0, 1, 1, 2])):
            at = rng.randrange(len(answer) + 1)
            kind = rng.randrange(3)
            new = "" if kind == 0 else rng.choice("0123456789+-*()= ")
            answer = answer[:at] + new + answer[at + (kind != 1) :]
        yield problem, answer


def disagreements(game, seed, n):
    right, different = 0, []
    for problem, answer in answers(game, random.Random(seed), n):
        said = game.solves(problem, answer)
        right += said
        if said != naive(problem, answer):
            different.append((problem, answer))
    assert 0.2 * n < right < 0.6 * n  # both verdicts are tried
    return different


@pytest.mark.filterwarnings("ignore::SyntaxWarning")  # such as 5(3)
def test_the_checker_agrees_with_another(game):
    assert disagreements(game, 21, 2000) == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_the_checker_agrees_with_another_on_100_000_expressions(game):
    assert disagreements(game, 22, 100_000) == []


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("(7*3)+12", True),
        ("7*3+12", True),
        ("12+7*3", True),
        ("((12)+(7*3))", True),
        ("(12+7)*3", False),  # another value
        ("7+7+7+12", False),  # other numbers
        ("33", False),
        ("12+07*3", False),
        ("12+7*3-", False),
        ("12+7**3", False),
        ("+12+7*3", False),
        ("12+7*3)", False),
        ("(12+7*3", False),
        ("12+(7*3)()", False),
        ("12 +7*3", False),
        ("", False),
        ("()", False),
    ],
)
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_answers_to_3_7_12_33(game, answer, right):
    problem = game.Problem((3, 7, 12), 33)
    assert game.solves(problem, answer) is right
    if answer != "+12+7*3":  # a sign is an operation of Python that is none of the game
        assert naive(problem, answer) is right


@pytest.mark.slow
def test_no_part_has_a_problem_of_another(game, study):
    """The hash decides, not the draw: a problem that is drawn again is in the same part again."""
    tested = set(study.problems("test", 400))
    assert {problem.part for problem in tested} == {"test"}
    rng = random.Random(3)
    drawn = [game.draw(rng, "training")[0] for _ in range(2000)]
    assert {problem.part for problem in drawn} == {"training"}
    assert not tested & set(drawn)
    few = [game.Problem((1, 2, target), target) for target in range(10, 200)]
    assert {p.part for p in few} >= {"training", "test"}  # small problems are not favoured


def test_a_problem_is_read_from_its_name(game):
    rng = random.Random(4)
    for _ in range(100):
        problem, answer = game.draw(rng, "pilot")
        assert game.Problem.of_name(problem.name) == problem
        assert game.solves(problem, answer)
        assert len(problem.prompt) + len(answer) + 1 <= game.LONGEST
