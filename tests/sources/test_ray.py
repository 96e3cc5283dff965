"""Ray Tune: experiment folders and frames as recorded; the slow tests run Ray itself."""

from __future__ import annotations

import json
import pickle
import shutil

import pytest

import bestofk as bk
from bestofk.errors import DataError
from bestofk.sources.tools import ray_tune
from tests.contracts import ToolContract
from tests.sources import recorded
from tests.sources.said import said


@pytest.fixture(scope="session")
def recording(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ray")
    recorded.unpack("ray", folder)
    return folder


@pytest.fixture(scope="session")
def real(tmp_path_factory):
    pytest.importorskip("ray")
    # which also reads the ResultGrid and compares
    return recorded.made_once("ray", tmp_path_factory.getbasetemp())


class Trap:
    def __reduce__(self):
        return (exec, ("raise SystemExit('a pickle was loaded')",))


class TestFolder(ToolContract):
    source = ray_tune
    options = {"score": "acc"}  # noqa: RUF012

    @pytest.fixture(autouse=True)
    def _made(self, recording):
        self.made = recording

    def write(self, tmp_path):
        shutil.copytree(self.made / "random", tmp_path / "random", dirs_exist_ok=True)
        for name in ("tuner.pkl", "searcher.pkl"):
            (tmp_path / "random" / name).write_bytes(pickle.dumps(Trap()))
        trials = []
        for folder in (f for f in (self.made / "random").iterdir() if f.is_dir()):
            config = json.loads((folder / "params.json").read_text())
            lines = (folder / "result.json").read_text().splitlines()
            failed = (folder / "error.txt").exists()
            trials.append((
                folder.name.split("_")[2],
                {
                    "state": "failed" if failed else "complete",
                    "score": None if failed else json.loads(lines[-1])["acc"],
                    "params": {"lr": config["lr"], "net/act": config["net"]["act"]},
                },
            ))  # fmt: skip
        trials.sort(key=lambda pair: pair[0])
        assert len(trials) == 8
        return tmp_path / "random", [trial for _, trial in trials]

    def test_costs_notes_and_what_is_not_known(self, tmp_path):
        search, trials = self.read(tmp_path)
        assert search.label == "random"
        assert search.sampling == "unknown"
        said(search, "sampler-unknown", "random search, unless grid_search", validity="assumed")
        assert set(search.metrics) == {"acc", "dev/f1"}
        complete = [t for t in search.trials if t.state == "complete"]
        assert all(t.cost > 0 for t in complete)
        assert {t["state"] for t in trials} == {"complete", "failed"}
        with pytest.raises(DataError, match="boom"):
            search.scores()

    def test_a_grid_shows(self, tmp_path):
        search = bk.read(self.made / "grid", score="acc")
        assert search.sampling == "without-replacement"
        assert [t.params for t in search.trials] == [
            {"lr": lr, "b": b} for b in (1, 2) for lr in (0.1, 0.2)
        ] or sorted(str(t.params) for t in search.trials) == sorted(
            str({"lr": lr, "b": b}) for b in (1, 2) for lr in (0.1, 0.2)
        )
        said(search, "grid", validity="void")
        assert not bk.check_iid(search).passed

    def test_asha_makes_scores_incomparable(self, tmp_path):
        search = bk.read(self.made / "asha", score="acc")
        assert search.n == 6
        said(search, "different-steps", "not comparable", validity="void")
        said(bk.check_iid(search), "different-steps", "not comparable")

    def test_a_search_algorithm_is_adaptive(self, tmp_path):
        search = bk.read(self.made / "searcher", score="acc")
        assert search.n == 3
        assert search.sampling == "adaptive"
        said(search, "sampler-traces", "learns from earlier trials", validity="void")

    def test_population_based_training_is_adaptive(self, tmp_path):
        search = bk.read(self.made / "pbt", score="acc")
        assert search.n == 2
        assert search.sampling == "adaptive"
        said(search, "sampler-traces", "population-based", validity="void")

    def test_a_frame_of_results_is_the_experiment(self, tmp_path):
        frame = pytest.importorskip("pandas").read_parquet(self.made / "frame.parquet")
        search = bk.read(frame, score="acc")
        whole = bk.read(self.made / "random", score="acc")
        reported = [t for t in whole.trials if t.state == "complete"]
        assert [t.score for t in search.trials] == [t.score for t in reported]
        assert [t.params["lr"] for t in search.trials] == [t.params["lr"] for t in reported]
        assert search.costs.tolist() == [t.cost for t in reported]
        said(search, "left-out", "leaves out trials that never reported")

    def test_trials_still_running_are_told(self, tmp_path):
        folder, _ = self.write(tmp_path)
        path = next(folder.glob("experiment_state-*.json"))
        state = json.loads(path.read_text())
        first = json.loads(state["trial_data"][0][0])
        state["trial_data"][0][0] = json.dumps({**first, "status": "RUNNING"})
        path.write_text(json.dumps(state))
        search = bk.read(folder, score="acc")
        assert search.states.count("running") == 1
        said(search, "not-ended", "1 of 8 trials had not ended")

    def test_damage_is_refused_by_name(self, tmp_path):
        folder, _ = self.write(tmp_path)
        path = next(folder.glob("experiment_state-*.json"))
        path.write_text(path.read_text()[:500])
        with pytest.raises(DataError, match="cannot be read as the state of a Ray Tune experiment"):
            bk.read(folder, score="acc")
        path.write_text('{"checkpoints": []}')
        with pytest.raises(DataError, match="KeyError.*another version"):
            bk.read(folder, score="acc")


@pytest.mark.slow
class TestRealFolder(TestFolder):
    @pytest.fixture(autouse=True)
    def _made(self, real):
        self.made = real
