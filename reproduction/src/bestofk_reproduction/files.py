"""Write the files of a reproduction: verdict.json, numbers.json and one CSV file per table."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from bestofk._base.text import to_plain
from bestofk_reproduction.verdicts import Numbers, Verdict


def write_numbers(verdict: Verdict, numbers: Numbers, folder: Path) -> list[Path]:
    """Write a verdict and the numbers behind it, and return the paths of the files."""
    paths = [folder / "verdict.json", folder / "numbers.json"]
    _write_json(paths[0], verdict.to_dict())
    _write_json(paths[1], to_plain({"figures": numbers.figures, "tables": numbers.tables}))
    for name, columns in numbers.tables.items():
        path = folder / f"{name}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(zip(*(c.tolist() for c in columns.values()), strict=True))
        paths.append(path)
    return paths


def _write_json(path: Path, content: object) -> None:
    text = json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
