"""What every result and every source must do; a new one inherits these tests."""

from __future__ import annotations

import dataclasses
import json
import pickle

import numpy as np
import pytest

from bestofk._base.result import Drawn
from bestofk.errors import ArgumentError, DataError, in_python
from bestofk.scores.search import Search
from tests.schema import validate

HOSTILE = "<script>alert('x')</script>"


class ResultContract:
    """Inherit, and give `make(label)`: a result whose caveats are not empty."""

    def make(self, label: str = "cnn"):
        raise NotImplementedError

    def test_fields_cannot_be_changed(self):
        result = self.make()
        with pytest.raises(dataclasses.FrozenInstanceError):
            result.caveats = ()

    def test_arrays_are_read_only(self):
        for column in self.make()._columns().values():
            if isinstance(column, np.ndarray) and column.dtype.kind == "f":
                with pytest.raises(ValueError, match="read-only"):
                    column[0] = 0

    def test_dict_is_strict_json(self):
        plain = self.make().to_dict()
        assert json.loads(json.dumps(plain, allow_nan=False)) == plain

    def test_dict_says_what_made_it_and_what_to_doubt(self):
        result = self.make()
        plain = result.to_dict()
        assert plain["caveats"] == [caveat.to_dict() for caveat in result.caveats]
        assert plain["caveats"]
        assert {"label", "n", "direction"} <= plain.keys()

    def test_dict_begins_with_its_kind_and_fits_its_schema(self):
        plain = self.make().to_dict()
        assert list(plain)[:4] == ["kind", "schema", "validity", "reasons"]
        validate(plain)

    def test_validity_is_the_weakest_of_the_caveats(self):
        result = self.make()
        weak = [c for c in result.caveats if c.validity != "holds"]
        assert result.reasons == tuple(str(c) for c in weak)
        found = {c.validity for c in weak}
        expected = "void" if "void" in found else "assumed" if "assumed" in found else "holds"
        assert result.validity == expected

    def test_text_shows_label_and_caveats(self):
        result = self.make()
        assert "cnn" in repr(result)
        assert all(in_python(caveat.text) in repr(result) for caveat in result._unsaid)
        unsaid = set(result.caveats) - set(result._unsaid)
        assert all(caveat.validity != "holds" for caveat in unsaid)

    def test_html_escapes_the_users_words(self):
        page = self.make(HOSTILE)._repr_html_()
        assert "<script>" not in page
        assert "&lt;script&gt;" in page

    @pytest.mark.parametrize("backend", ["pandas", "polars"])
    def test_frame_has_one_row_per_entry(self, backend):
        result = self.make()
        frame = result.to_frame(backend=backend)
        columns = result._columns()
        assert list(frame.columns) == list(columns)
        assert len(frame) == len(next(iter(columns.values())))

    def test_unknown_frame_kind_is_refused(self):
        with pytest.raises(ArgumentError, match="must be 'pandas' or 'polars'; got 'spark'"):
            self.make().to_frame(backend="spark")

    def test_a_result_has_a_figure_or_no_plot(self):
        result = self.make()
        assert hasattr(result, "plot") == hasattr(result, "chart") == isinstance(result, Drawn)

    def test_plot_draws_on_the_axes_it_is_given(self):
        if not hasattr(self.make(), "plot"):
            return
        figure = pytest.importorskip("matplotlib.figure").Figure()
        ax = figure.add_subplot()
        assert self.make().plot(ax=ax) is ax
        assert ax.lines

    def test_pickle_keeps_everything(self):
        result = self.make()
        assert pickle.loads(pickle.dumps(result)).to_dict() == result.to_dict()


class SourceContract:
    """Inherit, and give `write(columns, tmp_path)`: what `read` takes; None marks a missing cell.

    `source` is the module under test.
    """

    source = None

    SCORES = (0.1 + 0.2, 1 / 3, 0.9876543210123456)
    COLUMNS = {  # noqa: RUF012
        "model": ["a", "b", "a"],
        "accuracy": list(SCORES),
        "seconds": [1.5, 2.5, 3.5],
        "lr": [1e-5, 0.25, 3.0],
    }

    def write(self, columns, tmp_path):
        raise NotImplementedError

    def read(self, columns, tmp_path, **options):
        from bestofk import read

        return read(self.write(columns, tmp_path), **options)

    def test_it_recognises_its_own_and_nothing_else(self, tmp_path):
        assert self.source.recognises(self.write(self.COLUMNS, tmp_path))
        assert not self.source.recognises(object())
        assert not self.source.recognises("study.db")

    def test_no_trial_is_lost_and_scores_keep_their_last_digit(self, tmp_path):
        search = self.read(self.COLUMNS, tmp_path, score="accuracy", cost="seconds", params="lr")
        assert isinstance(search, Search)
        assert search.scores().values.tolist() == list(self.SCORES)
        assert search.scores().costs.tolist() == [1.5, 2.5, 3.5]
        assert [t.params["lr"] for t in search.trials] == [1e-5, 0.25, 3.0]
        assert [t.number for t in search.trials] == [0, 1, 2]

    def test_by_splits_into_methods_in_order_of_appearance(self, tmp_path):
        from bestofk import read_all

        written = self.write(self.COLUMNS, tmp_path)
        searches = read_all(written, score="accuracy", by="model")
        assert list(searches) == ["a", "b"]
        assert searches["a"].scores().values.tolist() == [self.SCORES[0], self.SCORES[2]]
        assert searches["a"].label == "a"

    def test_a_missing_score_is_a_failed_trial_and_using_it_is_refused(self, tmp_path):
        columns = {**self.COLUMNS, "accuracy": [0.5, None, 0.7]}
        search = self.read(columns, tmp_path, score="accuracy", bounds=(0, 1))
        assert search.states == ("complete", "failed", "complete")
        with pytest.raises(DataError, match=r"row 2.*`accuracy` is not a number.*failed=\"worst\""):
            search.scores()
        assert search.scores(failed="worst").values.tolist() == [0.5, 0.0, 0.7]
        assert search.scores(failed="drop").values.tolist() == [0.5, 0.7]

    def test_how_it_was_drawn_is_unknown_unless_stated(self, tmp_path):
        search = self.read(self.COLUMNS, tmp_path, score="accuracy")
        assert search.sampling == "unknown"
        assert [caveat.kind for caveat in search.scores().caveats] == ["sampling-unknown"]
        stated = self.read(self.COLUMNS, tmp_path, score="accuracy", sampling="iid")
        assert stated.scores().caveats == ()

    def test_a_column_that_is_not_there_is_refused_with_the_list(self, tmp_path):
        with pytest.raises(ArgumentError, match="no 'acuracy' among 'model', 'accuracy'.*Did you"):
            self.read(self.COLUMNS, tmp_path, score="acuracy")

    def test_several_columns_of_numbers_are_not_guessed_from(self, tmp_path):
        with pytest.raises(ArgumentError, match="more than one column of numbers.*'seconds'"):
            self.read(self.COLUMNS, tmp_path)

    def test_the_only_column_of_numbers_is_the_score(self, tmp_path):
        columns = {"model": ["a", "b"], "f1": [0.5, 0.25]}
        assert self.read(columns, tmp_path).scores().values.tolist() == [0.5, 0.25]

    def test_text_in_the_score_is_refused_with_row_and_column(self, tmp_path):
        columns = {"accuracy": ["0.5", "good", "0.7"]}
        with pytest.raises(DataError, match="row 2.*`accuracy` must be a number; got 'good'"):
            self.read(columns, tmp_path, score="accuracy")

    def test_truth_values_are_one_and_zero(self, tmp_path):
        search = self.read({"accuracy": [True, False]}, tmp_path, score="accuracy")
        assert search.scores().values.tolist() == [1.0, 0.0]

    def test_no_rows_are_refused(self, tmp_path):
        with pytest.raises(DataError, match="at least one trial"):
            self.read({"accuracy": []}, tmp_path, score="accuracy")


class ToolContract:
    """Inherit, and give `write(tmp_path)`: what `read` takes, written by the real tool, and trials.

    Each trial is a dict with state, score (None if there is none) and params, in start order.
    `options` are those that reading needs.
    """

    source = None
    options = {}  # noqa: RUF012
    lists_params = True

    def write(self, tmp_path):
        raise NotImplementedError

    def read(self, tmp_path, **more):
        from bestofk import read, read_all

        x, trials = self.write(tmp_path)
        verb = read_all if "by" in more else read
        return verb(x, **{**self.options, **more}), trials

    def test_it_recognises_its_own_and_nothing_else(self, tmp_path):
        x, _ = self.write(tmp_path)
        assert self.source.recognises(x)
        for other in (
            object(),
            "study.db",
            {"a": [1.0]},
            [1.0, 2.0],
            tmp_path / "none",
            b"x",
            None,
        ):
            assert not self.source.recognises(other)

    def test_every_trial_comes_back_with_state_order_params_and_last_digit(self, tmp_path):
        search, trials = self.read(tmp_path)
        assert [t.state for t in search.trials] == [t["state"] for t in trials]
        assert [t.score for t in search.trials] == [t["score"] for t in trials]
        assert (search.numbers[1:] > search.numbers[:-1]).all()
        if self.lists_params:
            for trial, expected in zip(search.trials, trials, strict=True):
                assert {k: v for k, v in trial.params.items() if v is not None} == expected[
                    "params"
                ]

    def test_reading_changes_nothing(self, tmp_path):
        from bestofk import read

        x, _ = self.write(tmp_path)
        before = tree(tmp_path)
        first, second = read(x, **self.options), read(x, **self.options)
        assert tree(tmp_path) == before
        assert first.trials == second.trials
        assert first.caveats == second.caveats

    def test_check_repeats_what_speaks_against_independence(self, tmp_path):
        from bestofk import check_iid

        search, _ = self.read(tmp_path)
        found = check_iid(search)
        told = {(c.kind, c.text) for c in found.caveats}
        assert {(c.kind, c.text) for c in search.caveats} <= told
        assert all(caveat.kind != "stated" for caveat in search.caveats)
        if search.sampling in ("adaptive", "without-replacement"):
            assert not found.passed
            assert search.caveats

    def test_the_user_can_name_it_and_state_how_it_was_drawn(self, tmp_path):
        search, _ = self.read(tmp_path, label="mine", sampling="iid")
        assert search.label == "mine"
        assert search.sampling == "iid"
        told, _ = self.read(tmp_path / "again")
        said = [str(caveat) for caveat in search.caveats]
        assert {str(caveat) for caveat in told.caveats} <= set(said)
        if told.sampling in ("adaptive", "without-replacement"):
            assert f"stated to be iid, although the records say {told.sampling}" in said
            assert "sampling-stated-otherwise" in [caveat.kind for caveat in search.caveats]

    def test_columns_of_a_table_are_refused(self, tmp_path):
        with pytest.raises(ArgumentError, match="`state` names a column of a table"):
            self.read(tmp_path, state="x")

    def test_an_unknown_score_or_split_is_refused_with_what_there_is(self, tmp_path):
        with pytest.raises(ArgumentError, match="no 'acuracy' among"):
            self.read(tmp_path, score="acuracy")
        with pytest.raises(ArgumentError, match="no 'colour' to split by"):
            self.read(tmp_path / "again", by="colour")


def tree(folder):
    """Return every file below a folder with its bytes."""
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
