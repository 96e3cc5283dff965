"""Hydra, as published today: the folder of a multirun."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

import bestofk as bk
from bestofk.errors import ArgumentError, DataError
from bestofk.sources.tools import hydra_jobs
from tests.contracts import ToolContract
from tests.sources.said import said

pytest.importorskip("hydra")
if sys.version_info >= (3, 14):  # "badly formed help string", in argparse
    pytest.skip("Hydra 1.3 does not start on Python 3.14", allow_module_level=True)

APP = """
import json, pathlib, hydra
from hydra.core.hydra_config import HydraConfig

@hydra.main(version_base=None)
def main(cfg):
    if cfg.lr > 5:
        raise ValueError("boom")
    folder = pathlib.Path(HydraConfig.get().runtime.output_dir)
    (folder / "metrics.json").write_text(json.dumps({"acc": cfg.lr / 3, "dev": {"f1": 0.5}}))
    return cfg.lr / 3

main()
"""


@pytest.fixture(scope="session")
def multirun(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hydra")
    (folder / "app.py").write_text(APP)
    callback = "hydra.experimental.callbacks.LogJobReturnCallback"
    subprocess.run(
        [sys.executable, "-W", "ignore", "app.py", "-m", "+lr=0.1,1e-3,7", "+act=relu,gelu",
         "hydra.sweep.dir=out", f"+hydra.callbacks.log._target_={callback}"],
        cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    return folder / "out"


class TestMultirun(ToolContract):
    source = hydra_jobs
    options = {"score": "acc"}  # noqa: RUF012

    @pytest.fixture(autouse=True)
    def _multirun(self, multirun):
        self.multirun = multirun

    def write(self, tmp_path):
        shutil.copytree(self.multirun, tmp_path / "out", dirs_exist_ok=True)
        return tmp_path / "out", [
            {
                "state": "failed" if lr == 7 else "complete",
                "score": None if lr == 7 else lr / 3,
                "params": {"lr": lr, "act": act},
            }
            for lr in (0.1, 1e-3, 7)
            for act in ("relu", "gelu")
        ]

    def test_the_basic_sweeper_is_a_grid(self, tmp_path):
        search, _ = self.read(tmp_path)
        assert search.sampling == "without-replacement"
        said(search, "grid", "grid", validity="void")

    def test_the_value_returned_is_found_in_the_log(self, tmp_path):
        search, _ = self.read(tmp_path, score="return_value")
        assert [t.score for t in search.trials][:2] == [0.1 / 3, 0.1 / 3]
        assert search.metrics["dev.f1"][0] == 0.5

    def test_a_failed_job_says_so(self, tmp_path):
        search, _ = self.read(tmp_path)
        with pytest.raises(DataError, match="job 4 left no number"):
            search.scores()

    @pytest.mark.parametrize(
        ("sampler", "sampling"),
        [("TPESampler", "adaptive"), ("RandomSampler", "iid"), ("MySampler", "unknown")],
    )
    def test_the_optuna_sweeper_says_its_sampler(self, tmp_path, sampler, sampling):
        folder, _ = self.write(tmp_path)
        for path in folder.rglob("hydra.yaml"):
            text = path.read_text().replace(
                "_target_: hydra._internal.core_plugins.basic_sweeper.BasicSweeper",
                "_target_: hydra_plugins.hydra_optuna_sweeper.optuna_sweeper.OptunaSweeper\n"
                f"    direction: minimize\n    sampler:\n      _target_: optuna.samplers.{sampler}",
            )
            path.write_text(text)
        for path in (folder / "5", folder / "4"):  # no longer a full grid
            shutil.rmtree(path)
        (folder / "3" / ".hydra" / "overrides.yaml").write_text("- +lr=0.7\n- +act=relu\n")
        search = bk.read(folder, score="acc")
        assert search.sampling == sampling
        (folder / "0" / "x.log").write_text("[HYDRA] Succeeded with return value: 0.5\n")
        assert bk.read(folder, score="return_value").direction == "minimize"
        if sampling == "adaptive":
            said(search, "sampler-declared", sampler, validity="void")
        elif sampling == "unknown":
            said(search, "sampler-unknown", sampler, validity="assumed")
        else:
            assert search.caveats == ()

    def test_damage_is_refused_by_name(self, tmp_path):
        folder, _ = self.write(tmp_path)
        (folder / "0" / "metrics.json").write_text('{"acc": 0.')
        with pytest.raises(DataError, match=r"metrics.json: must be JSON"):
            bk.read(folder, score="acc")

    def test_no_numbers_at_all_are_refused(self, tmp_path):
        folder, _ = self.write(tmp_path)
        for path in (*folder.rglob("metrics.json"), *folder.rglob("*.log")):
            path.unlink()
        with pytest.raises(ArgumentError, match="no trial has any"):
            bk.read(folder)
