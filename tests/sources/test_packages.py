"""Readers import their packages only when used, and say how to get one that is missing."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

import bestofk as bk
from bestofk.errors import DataError, MissingPackageError


def hide(monkeypatch, *names):
    for name in names:
        for loaded in [m for m in sys.modules if m == name or m.startswith(f"{name}.")]:
            monkeypatch.delitem(sys.modules, loaded)
        monkeypatch.setitem(sys.modules, name, None)


def sqlite(tmp_path):
    import sqlite3

    with sqlite3.connect(tmp_path / "x.db") as database:
        for table in ("studies", "trials", "trial_values"):
            database.execute(f"CREATE TABLE {table} (x)")
    database.close()
    return tmp_path / "x.db"


def journal(tmp_path):
    (tmp_path / "j.log").write_text('{"op_code": 0, "worker_id": "x"}\n')
    return tmp_path / "j.log"


def folder(tmp_path):
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "meta.yaml").write_text("artifact_location: x\nexperiment_id: '1'\n")
    return tmp_path


def multirun(tmp_path):
    (tmp_path / "0" / ".hydra").mkdir(parents=True)
    (tmp_path / "0" / ".hydra" / "overrides.yaml").write_text("- lr=1\n")
    return tmp_path


def table(tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    return tmp_path / "x.parquet"


def offline(tmp_path):
    (tmp_path / "run-x.wandb").write_bytes(b":W&B\xe1\xbe\x00")
    return tmp_path / "run-x.wandb"


@pytest.mark.parametrize(
    ("package", "write", "line"),
    [
        ("sqlalchemy", sqlite, 'needs sqlalchemy: pip install "bestofk[sources]"'),
        ("optuna", sqlite, 'needs optuna: pip install "bestofk[optuna]"'),
        ("optuna", journal, 'needs optuna: pip install "bestofk[optuna]"'),
        ("yaml", folder, 'needs pyyaml: pip install "bestofk[sources]"'),
        ("yaml", multirun, 'needs pyyaml: pip install "bestofk[sources]"'),
        ("pyarrow", table, 'needs pyarrow: pip install "bestofk[sources]"'),
        ("wandb", offline, 'needs wandb: pip install "bestofk[wandb]"'),
    ],
)
def test_a_missing_package_gives_the_pip_line(tmp_path, monkeypatch, package, write, line):
    x = write(tmp_path)
    hide(monkeypatch, package)
    with pytest.raises(MissingPackageError) as error:
        bk.read(x, score="acc")
    assert line in str(error.value)


def test_export_says_what_is_missing(monkeypatch, tmp_path):
    search = bk.Search({"acc": [1.0]})
    hide(monkeypatch, "optuna", "pyarrow")
    with pytest.raises(MissingPackageError, match="needs optuna"):
        bk.export(search, f"sqlite:///{tmp_path}/x.db")
    with pytest.raises(MissingPackageError, match="needs pyarrow"):
        bk.export(search, tmp_path / "x.parquet")
    assert not list(tmp_path.iterdir())


def test_reading_a_table_imports_no_tool(tmp_path):
    (tmp_path / "x.csv").write_text("score\n1\n")
    code = "import sys, bestofk; bestofk.read('x.csv'); print(*sys.modules)"
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    tools = {
        "optuna",
        "sqlalchemy",
        "pyarrow",
        "yaml",
        "ray",
        "mlflow",
        "wandb",
        "sklearn",
        "pandas",
    }
    assert not set(out.stdout.split()) & tools


def test_a_source_that_cannot_be_loaded_is_named(monkeypatch):
    def load():
        raise ImportError("no module named xyz")

    entry = SimpleNamespace(name="xyz", load=load)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [entry])
    with pytest.raises(DataError, match="the source 'xyz', .* cannot be loaded: no module"):
        bk.read("study.xyz")
    assert bk.read([1.0, 2.0]).n == 2


def test_a_package_registers_a_source_by_its_entry_point(tmp_path):
    """A real one: installed metadata, found by a fresh process."""
    (tmp_path / "mytool.py").write_text(
        "import bestofk as bk\nNAME = 'mine'\n"
        "def recognises(x): return x == 'my://trials'\n"
        "def read(x, options): return bk.Search({'s': [1.0, 2.0]}, sampling='iid')\n"
    )
    info = tmp_path / "mytool-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mytool\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[bestofk.sources]\nmine = mytool\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import bestofk as bk; "
    code += "print(bk.read('my://trials').n)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "2"
