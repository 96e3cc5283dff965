"""Small files of every format that holds attempts, as the tools write them."""

from __future__ import annotations

import json
from typing import Any

# Three problems, four attempts each: `one` always right, `two` in every other, `three` never.
PASSED = {"one": [1, 1, 1, 1], "two": [1, 0, 1, 0], "three": [0, 0, 0, 0]}


def rows() -> list[tuple[str, int, int]]:
    """One row per attempt: all first attempts, then all second ones."""
    return [(p, i, PASSED[p][i]) for i in range(4) for p in PASSED]


def lines(records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def humaneval() -> str:
    return lines(
        {"task_id": p, "completion": "    return 4", "result": "passed", "passed": bool(y)}
        for p, _, y in rows()
    )


def evalplus(plus: bool = True) -> dict[str, Any]:
    """As evalplus writes it since 0.2; half of what passes the base tests of `one` fails others."""

    def solution(problem: str, i: int) -> dict[str, Any]:
        base = "pass" if PASSED[problem][i] else ("fail", "timeout")[i % 2]
        extra = "fail" if problem == "one" and i % 2 else base
        return {
            "task_id": problem,
            "solution": "def f(): ...",
            "base_status": base,
            "plus_status": extra if plus else None,
            "base_fail_tests": [],
            "plus_fail_tests": [],
        }

    solutions = {problem: [solution(problem, i) for i in range(4)] for problem in PASSED}
    return {"date": "2026-01-01 00:00", "hash": "0", "eval": solutions}


def evalplus_before() -> dict[str, Any]:
    def status(right: int) -> list[Any]:
        return ["success" if right else "failed", [True]]

    solutions = {
        problem: {"nfiles": 4, "base": [status(y) for y in each], "plus": [status(1)] * 4}
        for problem, each in PASSED.items()
    }
    return {"date": "2023-06-26 00:00", "hash": "0", "eval": solutions}


def livecodebench() -> list[dict[str, Any]]:
    return [
        {
            "question_id": problem,
            "question_title": "sums",
            "platform": "leetcode",
            "code_list": ["..."] * 4,
            "graded_list": [bool(y) for y in each],
            "pass@1": sum(each) / 4,
        }
        for problem, each in PASSED.items()
    ]


def tau() -> list[dict[str, Any]]:
    return [
        {"task_id": task, "reward": float(each[i]), "info": {"source": "u"}, "traj": [], "trial": i}
        for i in range(4)
        for task, each in enumerate(PASSED.values())
    ]


def tau2() -> dict[str, Any]:
    runs = [
        {
            "id": f"{problem}-{i}",
            "task_id": problem,
            "trial": i,
            "duration": 3.5,
            "termination_reason": "user_stop",
            "agent_cost": 0.25,
            "reward_info": {"reward": float(y), "db_check": None},
            "messages": [],
        }
        for problem, i, y in rows()
    ]
    about = {"git_commit": "0", "num_trials": 4, "agent_info": {"llm": "gpt-x"}}
    return {"timestamp": "2026", "info": about, "tasks": [{"id": p} for p in PASSED],
            "simulations": runs}  # fmt: skip


def swebench(attempt: int) -> dict[str, Any]:
    resolved = [problem for problem, each in PASSED.items() if each[attempt]]
    empty = ["three"] if attempt == 3 else []
    rest = [p for p in PASSED if p not in (*resolved, *empty)]
    return {
        "total_instances": 4,
        "submitted_instances": 3,
        "completed_ids": [*resolved, *rest],
        "incomplete_ids": ["four"],
        "empty_patch_ids": empty,
        "submitted_ids": list(PASSED),
        "resolved_ids": resolved,
        "unresolved_ids": rest,
        "error_ids": [],
        "schema_version": 2,
    }


def inspect_log(values: dict[str, Any] | None = None, status: str = "success") -> dict[str, Any]:
    """A log with the names that inspect_ai gives; `values` replace those of single samples."""
    samples = [
        {
            "id": problem,
            "epoch": i + 1,
            "input": "2 + 2?",
            "target": "4",
            "scores": {
                "match": {
                    "value": (values or {}).get(f"{problem}{i}", "C" if y else "I"),
                    "answer": "4" if y else "5",
                }
            },
        }
        for problem, i, y in rows()
    ]
    about = {"task": "sums", "model": "openai/gpt-x", "created": "2026"}
    return {"version": 2, "status": status, "eval": about, "samples": samples}


def lm_eval() -> str:
    return lines(
        {"doc_id": i, "target": "4", "resps": [["4", "5"]], "filtered_resps": ["4"], "acc": 1.0}
        for i in range(5)
    )


def csv_rows() -> str:
    return "problem,attempt,score\n" + "".join(f"{p},{i},{y}\n" for p, i, y in rows())


def counts() -> str:
    return "problem,n,correct\n" + "".join(f"{p},4,{sum(each)}\n" for p, each in PASSED.items())


def files() -> dict[str, bytes]:
    """Return a file of every format by its name."""
    plain = {
        "rows.csv": csv_rows(),
        "counts.csv": counts(),
        "rows.jsonl": lines({"problem": p, "attempt": i, "score": y} for p, i, y in rows()),
        "samples.jsonl_results.jsonl": humaneval(),
        "lm_eval.jsonl": lm_eval(),
    }
    objects = {
        "he_eval_results.json": evalplus(),
        "before_eval_results.json": evalplus_before(),
        "codegen_eval_all.json": livecodebench(),
        "tau.json": tau(),
        "tau2.json": tau2(),
        "gpt-x.run_1.json": swebench(0),
        "log.json": inspect_log(),
        "records.json": [{"problem": p, "attempt": i, "score": y} for p, i, y in rows()],
    }
    texts = plain | {name: json.dumps(held) for name, held in objects.items()}
    return {name: text.encode() for name, text in texts.items()}
