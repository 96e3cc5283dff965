"""Count the lines of code of src/bestofk: without blanks, comments and docstrings."""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[1]
SKIPPED = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def code_lines(text: str) -> int:
    r"""Return how many lines hold code.

    >>> code_lines('"A docstring."\n\n# a comment\nx = 1  # one\n')
    1
    """
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SKIPPED:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        if isinstance(node, kinds) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            lines -= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return len(lines)


def main(folders: list[str]) -> None:
    total = 0
    for folder in folders or ["src/bestofk"]:
        root = ROOT / folder
        parts: dict[str, int] = {}
        for path in sorted(root.rglob("*.py")):
            part = path.relative_to(root).parts[0]
            parts[part] = parts.get(part, 0) + code_lines(path.read_text())
        for part, count in sorted(parts.items(), key=lambda item: -item[1]):
            print(f"{count:6} {folder}/{part}")
        total += sum(parts.values())
    print(f"{total:6} lines of code")


if __name__ == "__main__":
    main(sys.argv[1:])
