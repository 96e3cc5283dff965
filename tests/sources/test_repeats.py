"""Repeats of whole searches, read from tables, folders, Optuna studies and W&B sweeps."""

from __future__ import annotations

import json
import zlib

import numpy as np
import pytest

import bestofk as bk
from bestofk.datasets.climbing import simulated_repeats
from bestofk.datasets.moons import SPACES
from bestofk.errors import ArgumentError, DataError, on_command_line
from bestofk.sources.repeats.names import told_by
from tests.sources import mutated_repeats

SCORES = np.random.default_rng(5).random((4, 6))


def rows_of(scores=SCORES, **more):
    """Return a table with columns run, step and value."""
    n, k = scores.shape
    return {
        "run": np.repeat(np.arange(n), k).tolist(),
        "step": np.tile(np.arange(1, k + 1), n).tolist(),
        "value": scores.ravel().tolist(),
        **more,
    }


def only(found):
    (one,) = found.values()
    return one


def write_csv(path, columns):
    lines = [
        ",".join(columns),
        *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True)),
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


class TestTables:
    def test_a_table_has_a_row_for_each_trial(self):
        repeats = only(bk.read_repeats(rows_of(), label="tpe"))
        assert repeats.label == "tpe"
        assert repeats.names == ("0", "1", "2", "3")
        assert np.array_equal(repeats.scores, SCORES)

    def test_the_order_is_that_of_the_steps_not_of_the_rows(self):
        order = np.random.default_rng(1).permutation(SCORES.size)
        mixed = {name: np.array(column)[order] for name, column in rows_of().items()}
        repeats = only(bk.read_repeats(mixed))
        by_name = dict(zip(repeats.names, repeats.scores, strict=True))
        assert all(np.array_equal(by_name[str(i)], SCORES[i]) for i in range(4))

    def test_the_best_so_far_of_the_best_so_far_is_the_same(self):
        best = np.maximum.accumulate(SCORES, axis=1)
        budgets = [1, 3, 6]
        trials = only(bk.read_repeats(rows_of())).best(budgets)
        assert np.array_equal(only(bk.read_repeats(rows_of(best))).best(budgets), trials)

    @pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "frame"])
    def test_every_kind_of_table_gives_the_same(self, tmp_path, suffix):
        columns = rows_of()
        path = tmp_path / f"tpe.{suffix}"
        if suffix == "csv":
            write_csv(path, columns)
        elif suffix == "frame":
            path = pytest.importorskip("pandas").DataFrame(columns)
        else:
            rows = [
                dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ]
            lines = "\n".join(map(json.dumps, rows))
            path.write_text(lines if suffix == "jsonl" else json.dumps(rows))
        repeats = only(bk.read_repeats(path))
        assert np.array_equal(repeats.scores, SCORES)
        assert repeats.label == ("frame" if suffix == "frame" else "tpe")

    @pytest.mark.parametrize("repeat", ["seed", "Seed", "repeat", "replicate", "study", "run_id"])
    @pytest.mark.parametrize("step", ["trial", "iteration", "number"])
    @pytest.mark.parametrize("score", ["score", "best_so_far", "objective", "acc"])
    def test_usual_names_are_known(self, repeat, step, score):
        columns = dict(zip((repeat, step, score), rows_of().values(), strict=True))
        repeats = only(bk.read_repeats(columns))
        assert np.array_equal(repeats.scores, SCORES)
        assert repeats.seeds == (tuple("0123") if "seed" in repeat.lower() else None)

    def test_methods_are_told_apart_by_a_column(self):
        columns = rows_of(sampler=[*"aabb" * 6])
        with pytest.raises(DataError, match=r'holds repeats of 2 methods .*Pass by="sampler"'):
            bk.read_repeats(columns)
        columns["sampler"] = ["tpe"] * 12 + ["cma"] * 12
        found = bk.read_repeats(columns, by="sampler")
        assert {label: one.names for label, one in found.items()} == {
            "tpe": ("0", "1"), "cma": ("2", "3")
        }  # fmt: skip

    def test_a_method_with_one_repeat_beside_others_is_read(self):
        columns = rows_of(method=["a"] * 6 + ["b"] * 6 + ["c"] * 12)
        counts = {k: v.n_repeats for k, v in bk.read_repeats(columns, by="method").items()}
        assert counts == {"a": 1, "b": 1, "c": 2}
        alone = {name: column[:12] for name, column in columns.items()}
        assert len(bk.read_repeats(alone, by="method")) == 2  # and a band says what is lacking

    def test_names_in_the_column_tell_methods_and_are_not_mixed(self):
        names = [f"{m}-{i}" for m in ("tpe", "cma") for i in (0, 1) for _ in range(6)]
        found = bk.read_repeats({**rows_of(), "run": names})
        assert {label: one.names for label, one in found.items()} == {
            "tpe": ("0", "1"), "cma": ("0", "1")
        }  # fmt: skip

    def test_a_failed_trial_counts_and_is_never_the_best(self):
        values = rows_of()["value"]
        values[3] = None
        states = ["complete"] * 24
        states[7] = "pruned"
        repeats = only(bk.read_repeats(rows_of(state=states) | {"value": values}))
        assert np.isnan(repeats.scores[0][3])
        assert np.isnan(repeats.scores[1][1])
        assert (repeats.lengths == 6).all()

    def test_costs_tests_and_seeds(self):
        rng = np.random.default_rng(0)
        more = {"secs": rng.random(24), "held_out": rng.random(24), "s": np.repeat([7, 8, 9, 5], 6)}
        repeats = only(
            bk.read_repeats(
                rows_of(**more), score="value", cost="secs", test="held_out", seed="s", planned=8
            )
        )
        assert np.array_equal(np.ravel(repeats.costs), more["secs"])
        assert np.array_equal(np.ravel(repeats.tests), more["held_out"])
        assert repeats.seeds == ("7", "8", "9", "5")
        assert repeats.planned == 8

    def test_a_seed_beside_the_repeat_is_taken_if_it_is_of_the_repeat(self):
        assert only(bk.read_repeats(rows_of(seed=np.repeat([7, 8, 9, 5], 6)))).seeds == tuple(
            "7895"
        )
        trained = only(bk.read_repeats(rows_of(seed=list(range(24)))))
        assert trained.seeds is None
        assert trained.n_repeats == 4
        with pytest.raises(DataError, match=r"seed of its own; '0' and '1' share 7"):
            bk.read_repeats(rows_of(seed=np.repeat([7, 7, 9, 5], 6)), repeat="run")

    def test_the_simulated_table_of_the_demo(self, tmp_path):
        (tmp_path / "repeats.csv").write_text(simulated_repeats())
        found = bk.read_repeats(tmp_path / "repeats.csv", by="method")
        assert list(found) == ["random", "climb"]
        assert {one.n_repeats for one in found.values()} == {16}
        assert bk.compare(found).pair("climb", "random").certified_at(48) == "climb"


class TestNames:
    @pytest.mark.parametrize(
        ("name", "method", "number", "seed"),
        [
            ("tpe-0", "tpe", "0", False),
            ("tpe_12", "tpe", "12", False),
            ("tpe seed=3", "tpe", "3", True),
            ("tpe-seed-3", "tpe", "3", True),
            ("tpeseed3", "tpe", "3", True),
            ("cma-es_rep07", "cma-es", "07", False),
            ("resnet50-1", "resnet50", "1", False),
            ("tpe-s3", "tpe", "3", False),
            ("run4", "", "4", False),
            ("4", "", "4", False),
        ],
    )
    def test_the_method_is_the_name_without_its_last_number(self, name, method, number, seed):
        assert told_by(name) == (method, number, seed)

    @pytest.mark.parametrize(
        "name", ["tpe", "resnet50", "lr-0.1", "v1.2", "", "-", "no-name-12-34", "x" * 400 + "-1"]
    )
    def test_other_numbers_are_part_of_the_name(self, name):
        assert told_by(name) is None

    def test_numbers_that_do_not_count_repeats_are_doubted(self):
        def read(*numbers, **given):
            searches = {f"depth-{n}": bk.Search({"acc": SCORES[i]}) for i, n in enumerate(numbers)}
            return {c.kind for c in only(bk.read_repeats(searches, **given)).caveats}

        assert read(0, 1, 2) == read(1, 2, 3) == read(4, 8, 16, label="depth") == set()
        assert read(4, 8, 16) == {"repeats-by-name"}


class TestFiles:
    @pytest.fixture
    def folder(self, tmp_path):
        inside = tmp_path / "runs"
        inside.mkdir()
        for i, scores in enumerate(SCORES):
            name = f"{'tpe' if i < 2 else 'cma'}-{i % 2}.csv"
            write_csv(inside / name, {"trial": range(6), "acc": scores})
        return inside

    def test_each_file_of_a_folder_is_a_repeat(self, folder):
        found = bk.read_repeats(folder)
        assert {label: one.names for label, one in found.items()} == {
            "cma": ("0", "1"), "tpe": ("0", "1")
        }  # fmt: skip
        assert np.array_equal(found["tpe"].scores, SCORES[:2])
        again = bk.read_repeats(sorted(folder.iterdir()))
        assert {k: v.names for k, v in again.items()} == {k: v.names for k, v in found.items()}

    def test_a_label_makes_all_files_repeats_of_one_method(self, folder):
        repeats = only(bk.read_repeats(folder, label="all"))
        assert repeats.n_repeats == 4
        assert repeats.names == ("cma-0", "cma-1", "tpe-0", "tpe-1")

    def test_names_without_numbers_are_refused(self, folder):
        for i, path in enumerate(sorted(folder.iterdir())):
            path.rename(folder / f"{'abcd'[i]}.csv")
        with pytest.raises(ArgumentError, match=r"such as tpe-0 and tpe-1; they are 'a', 'b'"):
            bk.read_repeats(folder)
        assert only(bk.read_repeats(folder, label="x")).names == tuple("abcd")

    def test_a_folder_inside_is_a_method(self, folder):
        for method in ("tpe", "cma"):
            (folder / method).mkdir()
            for i in (0, 1):
                (folder / f"{method}-{i}.csv").rename(folder / method / f"seed{i}.csv")
        found = bk.read_repeats(folder)
        assert {k: (v.names, v.seeds) for k, v in found.items()} == {
            "cma": (("0", "1"), ("0", "1")), "tpe": (("0", "1"), ("0", "1"))
        }  # fmt: skip

    def test_methods_in_a_folder_inside_are_not_mixed(self, folder):
        folder.rename(folder.parent / "wine")
        assert set(bk.read_repeats(folder.parent)) == {"wine / cma", "wine / tpe"}

    def test_files_that_hold_their_repeats_are_methods(self, tmp_path):
        one = write_csv(tmp_path / "tpe.csv", rows_of())
        two = write_csv(tmp_path / "cma.csv", rows_of(SCORES[::-1]))
        found = bk.read_repeats([one, two], repeat="run")
        assert {k: v.n_repeats for k, v in found.items()} == {"tpe": 4, "cma": 4}

    def test_files_of_two_folders_are_not_mixed(self, tmp_path):
        paths = []
        for i, name in enumerate(["tpe/seed0", "tpe/seed1", "cma/seed0", "cma/seed1"]):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            path = write_csv(tmp_path / f"{name}.csv", {"trial": range(6), "acc": SCORES[i]})
            paths.append(path)
        found = bk.read_repeats(paths)
        assert {k: (v.names, v.seeds) for k, v in found.items()} == {
            "tpe": (("0", "1"), ("0", "1")), "cma": (("0", "1"), ("0", "1"))
        }  # fmt: skip
        assert list(bk.read_repeats(paths[:2])) == ["repeats"]
        for path in paths:
            path.rename(path.with_name(f"adam-{path.stem[-1]}.csv"))
        renamed = [path.with_name(f"adam-{path.stem[-1]}.csv") for path in paths]
        assert set(bk.read_repeats(renamed)) == {"tpe / adam", "cma / adam"}
        assert only(bk.read_repeats(renamed, label="all")).n_repeats == 4

    def test_a_copied_file_is_refused(self, folder):
        (folder / "tpe-2.csv").write_bytes((folder / "tpe-0.csv").read_bytes())
        with pytest.raises(DataError, match=r"'0' and '2' have the same 6 scores"):
            bk.read_repeats(folder)

    def test_a_file_that_is_no_search_is_named(self, folder):
        (folder / "notes.txt").write_text("not a search")
        with pytest.raises(DataError, match=r"notes\.txt"):
            bk.read_repeats(folder)

    def test_a_store_of_ours_gives_its_seeds(self, tmp_path):
        pytest.importorskip("sqlalchemy")
        space = tmp_path / "ridge.toml"
        space.write_text(SPACES["ridge"])
        for seed in (3, 4):
            bk.run_search(
                "bestofk.datasets.moons:ridge", space, n_trials=5, seed=seed, score="accuracy",
                name=f"ridge-{seed - 3}", store=f"sqlite:///{tmp_path / 'bestofk.db'}", n_workers=0,
            )  # fmt: skip
        repeats = only(bk.read_repeats(tmp_path / "bestofk.db"))
        assert (repeats.label, repeats.names, repeats.seeds) == ("ridge", ("0", "1"), ("3", "4"))
        assert repeats.sampling == "iid"


class TestOptuna:
    @pytest.fixture
    def make(self, tmp_path):
        optuna = pytest.importorskip("optuna")
        optuna.logging.set_verbosity(optuna.logging.ERROR)

        def objective(trial):
            x = trial.suggest_float("x", -1, 1)
            if trial.number == 2:
                trial.report(5.0, 1)
                raise optuna.TrialPruned
            if trial.number == 4:
                raise KeyError
            return -((x - 0.3) ** 2)

        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend

        journal = JournalStorage(JournalFileBackend(str(tmp_path / "all.log")))

        def study(name, seed, *, sampler="TPESampler", n=12, storage=journal, **more):
            drawn = getattr(optuna.samplers, sampler)(seed=seed)
            made = optuna.create_study(
                study_name=name, sampler=drawn, direction="maximize", load_if_exists=True,
                storage=storage, **more,
            )  # fmt: skip
            made.optimize(objective, n_trials=n, catch=(KeyError,))
            return made

        return study

    def test_studies_of_a_database_are_grouped_by_their_names(self, make, tmp_path):
        studies = [make(f"tpe-{i}", i) for i in range(3)]
        studies += [make(f"random-{i}", 10 + i, sampler="RandomSampler") for i in range(2)]
        found = bk.read_repeats(tmp_path / "all.log")
        assert {k: (v.names, v.sampler) for k, v in found.items()} == {
            "tpe": (("0", "1", "2"), "TPESampler"), "random": (("0", "1"), None)
        }  # fmt: skip
        values = [trial.value for trial in studies[1].trials]
        assert np.isnan(found["tpe"].scores[1][[2, 4]]).all()  # the pruned one reported 5
        kept = [i for i in range(12) if i not in (2, 4)]
        assert found["tpe"].scores[1][kept].tolist() == [values[i] for i in kept]
        (caveat,) = found["tpe"].caveats
        assert caveat.kind == "stopped-early"
        assert "3 of 36 trials were pruned" in caveat.text
        assert found["tpe"].costs is not None

    def test_an_sqlite_file_is_read_as_well(self, make, tmp_path):
        for i in (0, 1):
            make(f"tpe-{i}", i, n=2, storage=f"sqlite:///{tmp_path / 'all.db'}")
        assert only(bk.read_repeats(tmp_path / "all.db", repeat="study")).n_repeats == 2
        assert only(bk.read_repeats(f"sqlite:///{tmp_path / 'all.db'}")).label == "tpe"

    def test_studies_of_the_same_names_in_two_files_are_two_methods(self, make, tmp_path):
        storage = {}
        for k, name in enumerate(("tpe", "cma")):
            from optuna.storages import JournalStorage
            from optuna.storages.journal import JournalFileBackend

            path = tmp_path / f"{name}.log"
            storage[path] = JournalStorage(JournalFileBackend(str(path)))
            for i in (0, 1):
                make(f"study-{i}", 2 * k + i, storage=storage[path])
        found = bk.read_repeats(list(storage))
        assert {k: v.names for k, v in found.items()} == {"tpe": ("0", "1"), "cma": ("0", "1")}
        assert list(bk.read_repeats(next(iter(storage)))) == ["tpe"]

    def test_study_objects_say_their_sampler(self, make):
        studies = [make(f"random-{i}", i, sampler="RandomSampler", storage=None) for i in (0, 1)]
        repeats = only(bk.read_repeats(studies))
        assert (repeats.sampler, repeats.sampling) == ("RandomSampler", "iid")
        assert repeats.seeds is None
        assert only(bk.read_repeats(studies, seed="name")).seeds == ("0", "1")

    def test_unnamed_studies_are_called_by_their_sampler(self, make):
        studies = [make(None, i, storage=None) for i in range(2)]
        assert list(bk.read_repeats(studies)) == ["TPESampler"]

    def test_a_mapping_says_what_is_what(self, make):
        a, b = make("x", 0, storage=None), make("y", 1, storage=None)
        assert bk.read_repeats({"tpe": [a, b]})["tpe"].names == ("x", "y")
        assert bk.read_repeats({"tpe-0": a, "tpe-1": b})["tpe"].names == ("0", "1")

    def test_a_resumed_study_is_longer_and_a_running_one_shorter(self, make, tmp_path):
        studies = [make(f"tpe-{i}", i, n=8) for i in range(3)]
        make("tpe-0", 9, n=4)
        studies[2].ask()
        repeats = only(bk.read_repeats(tmp_path / "all.log"))
        assert repeats.lengths.tolist() == [12, 8, 8]
        assert "running" in {c.kind for c in repeats.caveats}

    def test_samplers_are_not_mixed(self, make):
        studies = [make("run-0", 0, storage=None)]
        studies.append(make("run-1", 1, sampler="RandomSampler", storage=None))
        with pytest.raises(DataError, match="RandomSampler and TPESampler"):
            bk.read_repeats(studies)

    def test_a_shared_seed_shows_in_the_scores(self, make):
        studies = [make(f"tpe-{i}", 7, storage=None) for i in range(2)]
        with pytest.raises(DataError, match=r"'0' and '1' have the same 12 scores"):
            bk.read_repeats(studies)

    def test_what_the_records_prove_cannot_be_stated_away(self, make):
        studies = [make(f"tpe-{i}", i, n=16, storage=None) for i in range(2)]
        with pytest.raises(ArgumentError, match="must be what the records of 'tpe-0' say"):
            bk.read_repeats(studies, sampling="iid")

    def test_one_study_is_told_to_be_repeated(self, make):
        one = bk.read_repeats(make("tpe-0", 0, storage=None))["tpe"]
        with pytest.raises(DataError, match="6 give a 95 % interval for the median at one budget"):
            bk.tuning_band(one)

    def test_several_objectives_are_refused_as_everywhere(self):
        optuna = pytest.importorskip("optuna")
        studies = [optuna.create_study(directions=["minimize"] * 2) for _ in range(2)]
        for study in studies:
            study.optimize(lambda t: (t.suggest_float("x", 0, 1), 1.0), n_trials=3)
        with pytest.raises(ArgumentError, match="must name the metric that is the score"):
            bk.read_repeats(studies)

    def test_the_table_of_trials(self, make):
        pd = pytest.importorskip("pandas")
        studies = [make(f"tpe-{i}", i, storage=None) for i in range(3)]
        tables = [s.trials_dataframe().assign(study=s.study_name) for s in studies]
        repeats = only(bk.read_repeats(pd.concat(tables)))
        direct = only(bk.read_repeats(studies))
        assert repeats.label == "tpe"
        assert np.array_equal(repeats.scores, direct.scores, equal_nan=True)


class TestWandb:
    @pytest.fixture
    def runs(self):
        pytest.importorskip("wandb")
        from tests.sources.test_wandb import api_run

        def of(sweep, method, model="cnn", early=None):
            found = [api_run(i, sweep=sweep, method=method, early=early) for i in range(5)]
            for i, run in enumerate(found):
                run._attrs["config"] = {"lr": i / 3, "model": model}
                run._attrs["summaryMetrics"] = {"acc": zlib.crc32(f"{sweep}{i}".encode()) / 2**32}
            return found

        return of

    def test_a_sweep_is_a_repeat_and_its_method_the_method(self, runs):
        several = [r for s in ("ab1", "cd2") for r in runs(s, "bayes")]
        several += [r for s in ("ef3", "gh4") for r in runs(s, "random")]
        found = bk.read_repeats(several, score="acc")
        assert {k: (v.names, v.sampling) for k, v in found.items()} == {
            "bayes": (("ab1", "cd2"), "adaptive"), "random": (("ef3", "gh4"), "iid")
        }  # fmt: skip
        # runs are in the order of their creation: that of these numbers, backwards
        last = several[4].summary_metrics["acc"]
        assert found["bayes"].scores[0][0] == last

    def test_by_groups_sweeps_by_their_settings(self, runs):
        several = [r for s, m in (("a", "cnn"), ("b", "cnn"), ("c", "vit"), ("d", "vit"))
                   for r in runs(s, "bayes", m)]  # fmt: skip
        found = bk.read_repeats(several, score="acc", by=["method", "model"])
        assert {k: v.names for k, v in found.items()} == {
            "bayes / cnn": ("a", "b"), "bayes / vit": ("c", "d")
        }  # fmt: skip
        with pytest.raises(ArgumentError, match=r"same in all trials .* got 'lr', and such are"):
            bk.read_repeats(several, score="acc", by="lr")

    def test_sweeps_of_the_api_are_repeats(self, runs):
        sweeps = []
        for name in ("a", "b"):
            of = runs(name, "bayes")
            of[0].sweep.runs = of
            sweeps.append(of[0].sweep)
        assert only(bk.read_repeats(sweeps, score="acc")).names == ("a", "b")

    def test_hyperband_is_said(self, runs):
        several = [r for s in ("a", "b") for r in runs(s, "bayes", early="hyperband")]
        repeats = only(bk.read_repeats(several, score="acc"))
        assert [c.kind for c in repeats.caveats] == ["stopped-early"]

    def test_runs_without_a_sweep_are_refused(self, runs):
        several = [*runs("a", "bayes"), *runs(None, "bayes")]
        with pytest.raises(DataError, match="every run must belong to a sweep"):
            bk.read_repeats(several, score="acc")


LATE = {**rows_of(), "step": [s + (s > 3) for s in rows_of()["step"]]}
TWICE = {**rows_of(), "step": [max(s, 2) for s in rows_of()["step"]]}
FALLING = rows_of(np.minimum.accumulate(SCORES, axis=1))
TOTALS = rows_of(secs=[float(i) for i in range(24)])
EMPTY = {**rows_of(), "run": [None, *rows_of()["run"][1:]]}
PAIRS = rows_of(seed=[0, 1] * 12)


@pytest.mark.parametrize(
    ("source", "given", "said"),
    [
        (LATE, {}, "`step` must count every trial of '0'; 4 is missing"),
        (TWICE, {}, "each `step` of a repeat must be there once; 2 of 0 also stands in row 1"),
        (FALLING, {}, "falls along every repeat, as the best so far of a loss does. Say"),
        (TOTALS, {"score": "value", "cost": "secs"}, "as a running total does. Take the"),
        (TOTALS, {}, "DATA value"),
        (EMPTY, {}, "row 1: `run` must name the repeat; it is empty"),
        (PAIRS, {}, "`repeat` must name the column that tells the repeats apart; more than"),
        (rows_of(trial=[1] * 24), {}, "`step` must name the column with the number of the trial"),
        (rows_of(score=[0.5] * 24), {}, "`score` must name the column with the scores"),
        (rows_of(), {"repeat": "nope"}, "`repeat` must name a column; there is no 'nope'"),
        (rows_of(), {"step": "nope"}, "`step` must name a column; there is no 'nope'"),
        (rows_of(), {"seed": "step"}, "`step` must be the same in all rows of a repeat"),
        (rows_of(), {"score": "run"}, "`step` 1 is there more than once, and no name says so"),
        (rows_of(), {"score": "step", "step": "step"}, "a column can be one thing only"),
        (rows_of(), {"score": 3}, "`score` must be the name of a column; got 3"),
        (rows_of(), {"planned": 0}, "`planned` must be a whole number of at least 1; got 0"),
        (rows_of(), {"planned": 2.5}, "`planned` must be a whole number of at least 1"),
        (rows_of(), {"direction": "up"}, "`direction` must be"),
        (rows_of(), {"label": "a", "by": "run"}, "`label` names a single method"),
        (rows_of(), {"bounds": (0, 0.1)}, "must lie"),
        ([], {}, "there must be at least one search; got none"),
        ({"run": [], "value": []}, {}, "the table is empty"),
        (3, {}, "an object of type int is none of them"),
        ("no/such.csv", {}, "there is no such file"),
        ([0.1, 0.2], {"repeat": "seed"}, "`repeat` names a column of a table"),
        ([0.1, 0.2], {"step": "seed"}, "`step` names a column of a table"),
        ({"loss": [0.5, 0.4], "seed": [0, 1]}, {}, "loss looks like a loss. Say direction="),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_sentence(source, given, said):
    if said == "DATA value":  # of two columns of numbers, the name says which is the score
        assert np.array_equal(only(bk.read_repeats(source, **given)).scores, SCORES)
        return
    with pytest.raises((ArgumentError, DataError)) as error:
        bk.read_repeats(source, **given)
    assert said in str(error.value)
    assert len(on_command_line(error.value.text)) <= 400


def test_repeats_that_are_read_as_one_search_are_told(tmp_path):
    (tmp_path / "repeats.csv").write_text(simulated_repeats())
    search = bk.read_all(tmp_path / "repeats.csv", score="score", by="method")["climb"]
    (caveat,) = [c for c in search.caveats if c.kind == "several-searches"]
    assert "of 32 searches (`trial` counts anew for each `seed`)" in caveat.text
    assert caveat.on_command_line().endswith("bestofk repeats --repeat seed)")
    once = {"seed": list(range(6)), "trial": list(range(6)), "acc": SCORES[0]}
    assert "several-searches" not in {c.kind for c in bk.read(once, score="acc").caveats}
    uneven = {"seed": [0, 0, 1, 1], "trial": [1, 5, 2, 3], "acc": SCORES[0][:4]}
    assert "several-searches" not in {c.kind for c in bk.read(uneven, score="acc").caveats}


def test_a_direction_that_was_stated_is_believed():
    assert only(bk.read_repeats(FALLING, direction="minimize")).direction == "minimize"
    assert only(bk.read_repeats(FALLING, direction="maximize")).direction == "maximize"


def test_mutated_inputs_give_a_value_or_a_sentence():
    found = mutated_repeats.run(mutated_repeats.SEED, 0, 150)
    assert found["wrong"] == []
    assert found["read"] > 20
