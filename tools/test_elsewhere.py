"""Run the fast tests of what claims to run everywhere, with nothing but `show` installed.

Numbers, command line, figures, reports and the page; not the runner, and no other tool.  The hosted
tests call it on macOS and Windows: `python tools/test_elsewhere.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = [
    "tests/attempts", "tests/cli/test_console.py", "tests/comparison", "tests/curves",
    "tests/iid", "tests/monitor", "tests/numeric", "tests/planning", "tests/render",
    "tests/repeats", "tests/scores", "tests/space", "tests/web",
]  # fmt: skip
# Tests in these folders that drive other packages, look at images that one version drew, or start
# a search beside the page.
WITHOUT = [
    "tests/curves/test_opda.py", "tests/render/test_images.py", "tests/web/test_serve.py",
]  # fmt: skip


def main() -> None:
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--constraint", "constraints.txt"]
    tools = ["httpx", "hypothesis", "jsonschema", "pytest", "narwhals", "pandas", "polars"]
    subprocess.run([*install, "--editable", ".[show]", *tools], cwd=ROOT, check=True)
    ignored = [f"--ignore={name}" for name in WITHOUT]
    command = [sys.executable, "-m", "pytest", "-q", *ignored, *TESTS, *sys.argv[1:]]
    # A test that needs the runner, or another package, is skipped: tests/conftest.py.
    environment = {**os.environ, "CI": "", "BESTOFK_ELSEWHERE": "1", "MPLBACKEND": "agg"}
    raise SystemExit(subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
