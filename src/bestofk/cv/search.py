"""`JKFoldSearchCV`: tuning by repeated K-fold cross-validation, as a scikit-learn estimator.

scikit-learn splits, clones, fits, scores and refits; candidates.py draws the settings; race.py says
who takes part in the next repetition; folds.py makes the partitions; results.py writes
`cv_results_`; trials.py makes a `Search` of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import Any, Literal

import numpy as np

from bestofk._base import arguments
from bestofk._base.types import Bounds, FloatArray
from bestofk.cv import folds, tasks
from bestofk.cv import results as tables
from bestofk.cv.candidates import candidates_of, how_drawn, most_repeats, seed_of
from bestofk.cv.race import STRATEGIES, Race, Smooth, Strategy, check_smooth, check_tolerance
from bestofk.cv.trials import as_search
from bestofk.cv.variability import Variability, variability
from bestofk.errors import ArgumentError, needing
from bestofk.scores.search import Search

with needing("JKFoldSearchCV", "scikit-learn", "sklearn"):
    from sklearn.base import is_classifier
    from sklearn.model_selection import check_cv
    from sklearn.model_selection._search import BaseSearchCV
    from sklearn.utils.validation import check_is_fitted

Evaluate = Callable[..., dict[str, Any]]


class JKFoldSearchCV(BaseSearchCV):  # type: ignore[misc]
    """Choose parameters by K-fold cross-validation averaged over several random partitions.

    One partition into folds is a draw of luck, and with many candidates the luckiest wins.  Here
    all candidates are scored on the same partition, then on another, and so on, and the averages
    decide.  Candidates that fall behind are dropped on the way, so that this costs a few times
    as much as one partition, not twenty times.

    Parameters
    ----------
    estimator : estimator
        As in scikit-learn's `GridSearchCV`.
    param_grid : dict or list of dict, optional
        The parameter values to try, all combinations of them.  Either this or
        `param_distributions`.
    param_distributions : dict or list of dict, optional
        What `n_candidates` settings are drawn from, as in `RandomizedSearchCV`: distributions
        with a method `rvs`, or lists.
    n_candidates : int
        How many settings are drawn from `param_distributions`.
    n_folds : int
        Folds of one partition.  Few folds and many repetitions serve choosing better than the
        reverse; from 3 on the training sets overlap [1]_.
    n_repeats : int or "auto"
        On how many partitions a candidate is scored that is never dropped.  "auto": as many as it
        takes until the expected loss of the choice is below `tolerance`, at most `max_repeats`;
        with ``strategy="full"`` that is `max_repeats`.
    max_repeats : int
        The cap on repetitions when `n_repeats` is "auto".
    strategy : {"race", "full"}
        "race" drops candidates that are clearly behind after each repetition, a heuristic, not a
        test at a stated level.  "full" scores every candidate on all `n_repeats` partitions:
        exactly the J-K-fold cross-validation of [1]_.
    tolerance : float
        What loss of score, in expectation, is small enough to stop for when `n_repeats` is "auto".
    smooth : False or "auto"
        "auto": borrow strength over neighbouring values of numeric parameters, where left-out
        repetitions say that this pays: the choice is then settled after fewer fits.  It bets on
        the score being a smooth function of the parameters; `smoothing_` says what was done.
    scoring, n_jobs, refit, verbose, pre_dispatch, error_score, return_train_score
        As in `GridSearchCV`.  With several metrics a race needs `refit` to name the one that
        decides.
    cv : int or splitter, optional
        Left out: `n_folds` shuffled folds, stratified for classifiers.  A number: that many.  A
        splitter that takes `random_state` (and has ``shuffle=True``, if it has `shuffle`) is
        copied with a new one for each repetition, so that groups, for instance, stay together;
        if it comes with a number for `random_state`, that number makes the first partition.
        Any other splitter, or a list of splits, can only be used once, with ``n_repeats=1``.
    random_state : int, RandomState or None
        Fixes the partitions and the drawn settings, whatever `n_jobs` and the joblib backend.  A
        number is itself the seed of the first partition.  The estimator's own randomness is fixed
        by its own `random_state`.

    Attributes
    ----------
    cv_results_ : dict of arrays
        As in `GridSearchCV`, one row per candidate, with ``split{j}_{i}_test_score`` for fold i
        of repetition j (NaN where the candidate did not take part).  Also
        ``repeat{j}_test_score``, the mean of repetition j; ``se_test_score``, the standard error
        of the mean over repetitions; ``n_repeats``, the number of repetitions received; and
        ``dropped_at``, after which repetition the candidate was dropped, 0 if never.
        ``rank_test_score`` puts the chosen first and those dropped earlier behind.
    best_index_, best_params_, best_score_, best_estimator_, refit_time_, scorer_, multimetric_
        As in `GridSearchCV`.
    n_splits_ : int
        Folds of one repetition.
    n_repeats_, n_fits_ : int
        Repetitions, and fits on folds of all candidates together, that were run.
    smoothing_ : str
        What `smooth` did, or why it did nothing.
    splitters_ : list
        The splitter of each repetition.
    repeat_scores_ : array of shape (n_repeats, n_candidates)
        Scores by repetition, NaN where a candidate did not take part.
    variability_ : Variability
        How steady the choice is: see `variability`.

    See Also
    --------
    variability : the same from a table of repetitions from anywhere.

    Notes
    -----
    For given data the scores of a candidate on J random partitions are independent and identically
    distributed, and paired across candidates, so their spread can be estimated: it is the *internal
    variability* of the tuning, what another seed would change.  It says nothing about what other
    data would change.

    References
    ----------
    .. [1] Moss, Leslie, Rayson. Using J-K-fold Cross Validation to Reduce Variance When Tuning NLP
       Models. COLING 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> search = JKFoldSearchCV(
    ...     KNeighborsClassifier(), {"n_neighbors": [1, 10, 100]}, n_repeats=6, random_state=0
    ... ).fit(X, y)
    >>> search.best_params_
    {'n_neighbors': 10}
    >>> search.n_repeats_, int(search.cv_results_["n_repeats"][search.best_index_])
    (6, 6)
    """

    cv: Any
    _n_folds: int
    _partitions: Any

    def __init__(
        self,
        estimator: Any,
        param_grid: Any = None,
        *,
        param_distributions: Any = None,
        n_candidates: int = 10,
        n_folds: int = 5,
        n_repeats: int | Literal["auto"] = "auto",
        max_repeats: int = 20,
        strategy: Strategy = "race",
        tolerance: float = 0.0,
        smooth: Smooth = False,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: bool | str | Callable[..., int] = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.param_grid = param_grid
        self.param_distributions = param_distributions
        self.n_candidates = n_candidates
        self.n_folds = n_folds
        self.n_repeats = n_repeats
        self.max_repeats = max_repeats
        self.strategy = strategy
        self.tolerance = tolerance
        self.smooth = smooth
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, **params: Any) -> JKFoldSearchCV:
        """Choose the parameters, and fit the estimator with them on all data.

        Parameters
        ----------
        X, y : array_like
            As in `GridSearchCV`.
        **params
            Passed on to the estimator, the scorer and the splitter, as in `GridSearchCV`; `groups`
            goes to the splitter.
        """
        self._clean_arguments(y)
        given = self.cv
        # scikit-learn counts and names the folds of `cv`, so it must see those really used.
        self.cv = self._partitions
        try:
            super().fit(X, y, **params)
        finally:
            self.cv = given
            self.__dict__.pop("_partitions", None)
        self.n_splits_ = self._n_folds
        return self

    def _clean_arguments(self, y: Any) -> None:
        cap = most_repeats(self.n_repeats, self.max_repeats)
        arguments.choice("strategy", self.strategy, STRATEGIES)
        check_tolerance(self.tolerance)
        check_smooth(self.smooth)
        self._seed = seed_of(self.random_state)
        self._params = candidates_of(
            self.param_grid, self.param_distributions, self.n_candidates, self._seed
        )
        n_folds = arguments.whole("n_folds", self.n_folds, least=2)
        # check_cv refuses a y that cannot be split.
        wanted = n_folds if self.cv is None else self.cv
        splitter = check_cv(wanted, y, classifier=is_classifier(self.estimator))
        if self.cv is None or isinstance(self.cv, Integral):
            splitter = folds.shuffled(splitter)
        self._splitters = folds.repeated(
            splitter, n_repeats=cap, seed=self._seed, seeded=self.random_state is not None
        )
        full = self.strategy == "full"
        self._partitions = folds.Chained(self._splitters) if full else self._splitters[0]

    def _run_search(self, evaluate_candidates: Evaluate, *, callback_ctx: Any = None) -> None:
        """Score all candidates on one partition after the other, dropping some on the way."""
        race = Race(
            len(self._params),
            strategy=self.strategy,
            max_repeats=len(self._splitters),
            tolerance=float(self.tolerance) if self.n_repeats == "auto" else 0.0,
            params=self._params,
            smooth=self.smooth,
        )
        run = self._run_full if self.strategy == "full" else self._run_race
        results, metric = run(evaluate_candidates, race, callback_ctx)
        self._finish(results, race, metric)

    def _run_full(
        self, evaluate: Evaluate, race: Race, context: Any
    ) -> tuple[dict[str, Any], str | None]:
        """Score all candidates on all partitions, in one call."""
        n, n_repeats = len(self._params), len(self._splitters)
        search = tasks.begin(context, self, "search", candidates=n)
        more = {"candidate": np.arange(n), "repeat": np.zeros(n, dtype=np.intp)}
        results = evaluate(self._params, more_results=more, **tasks.option(search))
        metric = self._deciding_metric(results)
        if metric is not None:
            for j in range(n_repeats):
                race.add(results[f"repeat{j}_test_{metric}"])
        tasks.end(search, self)
        return results, metric

    def _run_race(
        self, evaluate: Evaluate, race: Race, context: Any
    ) -> tuple[dict[str, Any], str | None]:
        """Score those still in the race on one partition after the other."""
        self._deciding_metric()
        search = tasks.begin(context, self, "search", repetitions=len(self._splitters))
        for j, splitter in enumerate(self._splitters):
            active = np.flatnonzero(race.active)
            repetition = tasks.begin(search, self, "repetition", candidates=active.size)
            candidates = [self._params[i] for i in active]
            more = {"candidate": active, "repeat": np.full(active.size, j)}
            results = evaluate(candidates, splitter, more_results=more, **tasks.option(repetition))
            metric = self._deciding_metric(results)
            race.add(results[f"repeat{j}_test_{metric}"])
            tasks.end(repetition, self)
            if race.done:
                break
        tasks.end(search, self)
        return results, metric

    def _deciding_metric(self, results: Mapping[str, Any] | None = None) -> str | None:
        """Return the metric that the race is run by; None if `refit` names none of several.

        A callable `scoring` may turn out to give several metrics: known from its first results.
        """
        if results is None:
            if self.scoring is None or isinstance(self.scoring, str) or callable(self.scoring):
                return "score"
            several = True
        else:
            several = [k for k in results if k.startswith("mean_test_")] != ["mean_test_score"]
        if not several:
            return "score"
        if isinstance(self.refit, str):
            return self.refit
        if self.strategy == "race":
            raise ArgumentError(
                "a race among candidates with several metrics needs `refit` to name the one that "
                f'decides; got refit={self.refit!r}. Name one, or pass strategy="full".'
            )
        return None

    def _format_results(
        self,
        candidate_params: Any,
        n_splits: int,
        out: Sequence[Mapping[str, Any]],
        more_results: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Fold the rows of all calls so far into one per candidate."""
        assert more_results is not None
        self._n_folds = n_splits // (len(self._splitters) if self.strategy == "full" else 1)
        rows = tables.Rows(
            out,
            len(self._params),
            np.asarray(more_results["candidate"]),
            np.asarray(more_results["repeat"]),
            self._n_folds,
        )
        return tables.table(rows, self._params, train=self.return_train_score)

    def _finish(self, results: dict[str, Any], race: Race, metric: str | None) -> None:
        """Add what is known only at the end.

        `results` is the dict that scikit-learn's `fit` makes `cv_results_` of.
        """
        n_repeats = results["n_repeats"]
        self.n_repeats_ = int(n_repeats.max())
        self.n_fits_ = int(n_repeats.sum()) * self._n_folds
        self.splitters_ = self._splitters[: self.n_repeats_]
        results["dropped_at"] = np.zeros_like(n_repeats) if metric is None else race.dropped_at
        self.smoothing_ = race.what_smoothing_did
        self._chosen: int | None = None
        if metric is not None:
            # If all failed the first, as GridSearchCV, which warns too.
            failed = np.isnan(results[f"mean_test_{metric}"])
            self._chosen = 0 if failed.all() else race.choose()
        tables.add_ranks(results, metric, self._chosen)
        tables.warn_about_failures(results)
        if metric is not None:
            columns = [results[f"repeat{j}_test_{metric}"] for j in range(self.n_repeats_)]
            self.repeat_scores_: FloatArray = np.array(columns)
            self._without_failed = np.where(failed, np.nan, self.repeat_scores_)
        elif hasattr(self, "repeat_scores_"):  # from an earlier fit
            del self.repeat_scores_

    def _select_best_index(  # type: ignore[override, unused-ignore]
        self, refit: Any, refit_metric: str, results: Mapping[str, Any]
    ) -> int:
        if callable(refit):
            return int(super()._select_best_index(refit, refit_metric, results))
        assert self._chosen is not None
        return self._chosen

    @property
    def variability_(self) -> Variability:
        """How steady the choice is, from the repetitions."""
        self._refuse_unfitted("variability_")
        return variability(self._without_failed, params=self._params)

    def to_search(
        self, *, label: str = "search", metric: str | None = None, bounds: Bounds | None = None
    ) -> Search:
        """Return the candidates as the trials of a `Search`, for tuning curves and bands.

        Settings drawn from distributions are independent draws; those from a grid or from lists,
        or of a race that dropped someone, are not, and the search says so.  A candidate's score
        is its mean over what it received, its cost the seconds spent on all its fits.

        Parameters
        ----------
        label : str
            The name of the method in tables and figures.
        metric : str, optional
            The metric that is the score, if not the one that decided.
        bounds : (float, float), optional
            The lowest and highest possible score.
        """
        self._refuse_unfitted("to_search()")
        decided = "score" if "mean_test_score" in self.cv_results_ else self.refit
        early = self.n_repeats_ < most_repeats(self.n_repeats, self.max_repeats)
        return as_search(
            self.cv_results_,
            metric=decided if metric is None else metric,
            n_folds=self.n_splits_,
            sampling=how_drawn(self.param_distributions),
            label=label,
            bounds=bounds,
            stopped=self.strategy == "race" and early,
        )

    def _refuse_unfitted(self, what: str) -> None:
        check_is_fitted(self, "cv_results_", msg=f"{what} needs a fitted JKFoldSearchCV: call fit.")
