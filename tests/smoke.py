"""Run by tools/check_wheel.sh in an empty environment: the core works on its own."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import bestofk as bk

for optional in ("matplotlib", "pandas", "narwhals", "sklearn", "sqlalchemy", "pytest"):
    assert find_spec(optional) is None, f"{optional} is installed: not an empty environment"

assert bk.tuning_curve([0.72, 0.83, 0.92, 0.68, 0.75]).at(2) == 0.83
assert bk.tuning_band(range(48), confidence=0.8).at(2) == (27.0, 33.0, 39.0)
assert bk.datasets.load_example()["svm"].scores().n == 256
assert bk.datasets.load_sst5()["cnn"].n >= 256
Path("ys.csv").write_text("score\n0.5\n0.7\n", encoding="utf-8")
command = [sys.executable, "-m", "bestofk", "curve", "ys.csv", "--format", "json"]
done = subprocess.run(command, capture_output=True, text=True, check=True)
assert json.loads(done.stdout)["estimate"] == [0.5, 0.7]
done = subprocess.run(
    [sys.executable, "-m", "bestofk", "demo"], capture_output=True, text=True, check=True
)
assert 'pip install "bestofk[show]"' in done.stderr
instead = "run it in WSL" if os.name == "nt" else 'pip install "bestofk[search]"'
assert instead in done.stderr, done.stderr
assert "It depends on the budget: ridge is ahead from 1 to 2 trials and network" in done.stdout
study = "study coverage ys.csv --n 4 --band ks --samples 9 --truth bag"
subprocess.run([sys.executable, "-m", "bestofk", *study.split()], capture_output=True, check=True)
done = subprocess.run(
    [sys.executable, "-m", "bestofk", "reproduce", "dodge2021-tables23"],
    capture_output=True, text=True, check=False,
)  # fmt: skip
assert done.returncode == 2, done
assert "pip install ./reproduction" in done.stderr
try:
    bk.tuning_curve([1, 2]).plot()
except bk.BestofkError as error:
    assert "bestofk[show]" in str(error)
else:
    raise AssertionError("plot() without matplotlib must be refused")
print("smoke: core only, 1 passed, 0 failed")
