"""What all estimators of many trees share: the order in which the stages are called."""

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array, csr_matrix

from silva.data.bind import bind_training, warn_of_data
from silva.data.column_facts import packed_column_facts
from silva.data.table import Target
from silva.ensemble import combine
from silva.ensemble.engine import Rows, len_of, rows_of
from silva.ensemble.forest import Forest
from silva.ensemble.growth import Grown, grow_forest, unknown_metric
from silva.ensemble.oob import Curve, Oob
from silva.ensemble.plan import ForestPlan
from silva.errors import warn
from silva.estimators.base import TreeEstimator
from silva.estimators.callbacks import CallbackSupportMixin, FitTask, tears_down_callbacks
from silva.estimators.forest_params import (
    Start,
    check_columns,
    forest_plan_of,
    sampling_of,
    start_of,
    started,
)
from silva.estimators.interrupts import forget_partial, raise_unless_kept, receiver
from silva.estimators.members import HasMembers, Members
from silva.estimators.params import plan_of
from silva.estimators.progress import progress
from silva.estimators.recipe import forest_recipe
from silva.estimators.rows import TakesRows
from silva.estimators.sklearn_arrays import indicator
from silva.estimators.stages import finish_of
from silva.inspect.forest_summary import (
    ForestSummary,
    on_held_out,
    on_out_of_bag,
    summarise_forest,
)
from silva.inspect.importance import mean_importance
from silva.inspect.paths import forest_paths
from silva.inspect.regrow import Recipe
from silva.inspect.summary import Comparison
from silva.model_file.estimators.pickled import restore_forest
from silva.prune import evidence
from silva.threads import threads


class Figures(NamedTuple):
    """What `summary_` cannot read from the forest: the rows are gone after the fit."""

    oob: Comparison | None
    held_out: Comparison | None


class ForestEstimator(HasMembers, CallbackSupportMixin, TakesRows):  # type: ignore[misc]
    """Fits many trees and answers from all of them."""

    _of_fit: ClassVar[tuple[str, ...]] = (
        "forest_",
        "max_features_",
        "estimator_",
        "column_facts_",
    )
    _bags: ClassVar[bool] = False
    _draws: ClassVar[tuple[str, ...]] = ("max_features", "splitter")

    @tears_down_callbacks
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Grow a forest from a table and a target.

        Parameters
        ----------
        X : table
            NumPy array, SciPy sparse matrix, or a pandas, polars, pyarrow or DuckDB table.
            NaN and null are missing values; strings and categories are categorical columns.
        y : array-like of shape (n_samples,)
            The target: class labels, or finite numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts in the trees that see it. Rows of weight 0 are left out.
        X_val, y_val, sample_weight_val : default=None
            Held-out rows. They do not change the trees; `summary_` tells how they do on them.

        Returns
        -------
        self

        Warns
        -----
        DataWarning
            If columns look like identifiers, free text, or dates or numbers stored as text, if
            levels differ only in spaces or case, or if a column is a copy of the target.
        """
        task = FitTask(self, X, y, sample_weight)
        forget_partial(self)
        choices, n_threads = self._choices(), threads(self.n_jobs)
        plan = plan_of(choices, self._task, draw=False)
        start = started(self)
        forest_plan = forest_plan_of(self, plan, start)
        finish = finish_of(choices, plan, self._task, n_threads)
        table = bind_training(X, choices.categorical_features, plan.missing, plan.unseen)
        target = self._bind_target(y, sample_weight, table.n_rows)
        check_columns(forest_plan, plan, table, target, start)
        held_out = self._bind_held_out(X_val, y_val, sample_weight_val, table.schema, target)
        warn_of_data(table, target)
        with progress(type(self).__name__, forest_plan.n_estimators, self.verbose > 0) as watch:
            grown = grow_forest(
                *(table, target, plan, forest_plan, n_threads),
                finish=finish,
                start=None if start is None else start.grown,
                watch=watch,
            )
        figures = self._measured(grown, target, held_out, n_threads)
        tried = plan.columns_tried(len(table.schema))
        begun = start_of(grown, forest_plan, target, start)
        facts = packed_column_facts(table, n_threads)
        model = receiver(self, grown.interrupted)
        model._keep(begun, self._prototype(), tried, figures, facts)
        raise_unless_kept(self, model, _finished(grown, forest_plan))
        _warn_of(grown, forest_plan, target)
        task.end()
        return self

    def apply(self, X: Any) -> np.ndarray:
        """The number of the leaf that each row ends in, in each tree: (n_samples, n_trees).

        A row whose missing or unseen value stops it ends at an inner node.
        """
        return combine.leaves(*self._asked(X))

    def decision_path(self, X: Any) -> tuple[csr_array | csr_matrix, np.ndarray]:
        """The nodes that each row passes: a sparse indicator of shape (n_samples, n_nodes).

        The second result tells where trees begin: the nodes of tree i are the columns
        `start[i]` to `start[i + 1] - 1`.
        """
        start, passed, first = forest_paths(self._forest.trees, self.apply(X))
        return indicator(start, passed, int(first[-1])), first

    @property
    def trees_(self) -> Any:
        """The trees of the forest, a sequence of silva.Tree."""
        return self._forest.trees

    @property
    def estimators_(self) -> Members:
        """The trees as fitted estimators, each made when it is asked for."""
        trees, start = self._forest.trees, self._start
        return Members(self.estimator_, trees, start.seed, start.columns, self.column_facts_)

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each tree has seen, ascending, each as often as it was drawn."""
        rows = self._start.rows if self._forest else None
        if rows is None:
            raise AttributeError(
                f"estimators_samples_: which rows this {type(self).__name__} has seen is not known:"
                " it comes from an old model file, or warm starts added trees of other rows."
            )
        return [rows.rows(seed) for seed in self._start.seeds]

    @property
    def feature_importances_(self) -> np.ndarray:
        """Each column's share of the gain on training rows (impurity importance)."""
        return mean_importance(self._forest.trees)

    @property
    def summary_(self) -> ForestSummary:
        """Size of the forest, and its figures beside the baseline's on rows it did not see."""
        return summarise_forest(self._forest, *self._figures)

    @property
    def oob_score_(self) -> float:
        """Accuracy or R² of the out-of-bag answers."""
        return float(self._curve("oob_score_").score[-1])

    @property
    def oob_curve_(self) -> Curve:
        """The out-of-bag score after every 10 trees."""
        return self._curve("oob_curve_")

    @property
    def oob_votes_(self) -> np.ndarray:
        """How many trees did not see each training row."""
        return self._oob("oob_votes_").votes

    @abstractmethod
    def _choices(self) -> Any:
        """The object that has the parameters of the trees: this one, or the tree estimator."""

    @abstractmethod
    def _prototype(self) -> TreeEstimator:
        """The unfitted estimator of one tree."""

    @abstractmethod
    def _bind_target(self, y: Any, sample_weight: Any, n_rows: int) -> Target:
        """The training target; judges y and the weights."""

    @property
    def _forest(self) -> Forest:
        self._check_fitted()
        return vars(self)["forest_"]  # type: ignore[no-any-return]

    def _asked(self, X: Any) -> tuple[Forest, Rows, int]:
        """The forest, the rows that it is asked about, and the threads to use."""
        forest = self._forest
        rows = self._bound_by(lambda given: rows_of(given, forest.trees), X, forest.schema)
        return forest, rows, threads(self.n_jobs, len_of(rows))

    def _recipe(self, X: Any, y: Any, sample_weight: Any) -> Recipe:
        """How to grow this model again, for inspectors."""
        return forest_recipe(self, X, y, sample_weight)

    def _sampling(self) -> ForestPlan:
        """How trees draw their rows, for inspectors that make the draws again."""
        return sampling_of(self)

    @abstractmethod
    def _single_tree(self, **params: Any) -> TreeEstimator:
        """An unfitted estimator of one tree of the same task, for inspectors that make a tree."""

    def _oob(self, name: str) -> Oob:
        curve, oob = self._curve(name), self._start.grown.oob
        if oob is None:
            raise AttributeError(
                f"{name}: this {type(self).__name__} comes from a file, which has the curve of"
                f" {len(curve.trees)} out-of-bag scores, but no answers by row."
            )
        return oob  # type: ignore[no-any-return]

    def _curve(self, name: str) -> Curve:
        self._check_fitted(name)
        curve: Curve | None = self._start.grown.curve
        if curve is None:
            raise AttributeError(
                f"{name}: this {type(self).__name__} has no out-of-bag answers;"
                " set oob_score=True before fit."
            )
        return curve

    def _measured(
        self, grown: Grown, target: Target, held_out: evidence.Rows | None, n_threads: int
    ) -> Figures:
        oob = None if grown.oob is None else on_out_of_bag(grown.oob, target)
        if held_out is None:
            return Figures(oob, None)
        rows, truth = held_out.table, held_out.target
        return Figures(oob, on_held_out(grown.forest, target, rows, truth, n_threads))

    def _keep(
        self,
        start: Start,
        prototype: TreeEstimator,
        max_features: int,
        figures: Figures,
        facts: bytes | None,
    ) -> None:
        """Become fitted, in one assignment: whatever stops it, a model is whole."""
        state = {name: value for name, value in vars(self).items() if name != "feature_names_in_"}
        forest = start.grown.forest
        schema = forest.schema
        state |= {
            "forest_": forest,
            "estimator_": prototype,
            "n_features_in_": len(schema),
            "n_outputs_": 1,
            "max_features_": max_features,
            "_column_facts": facts,
            "_start": start,
            "_figures": figures,
        }
        if forest.classes is not None:
            state |= {"classes_": forest.classes, "n_classes_": len(forest.classes)}
        if schema.named:
            state["feature_names_in_"] = np.array(schema.names, dtype=object)
        self.__dict__ = state

    def __sklearn_is_fitted__(self) -> bool:
        return "forest_" in vars(self)

    def __getstate__(self) -> dict[str, Any]:
        """Without a function that `oob_score` names no more: pickle may not take it."""
        state: dict[str, Any] = super().__getstate__()
        start: Start | None = state.get("_start")
        if start is None or start.grown.metric in (None, self.oob_score):
            return state
        return state | {"_start": start._replace(grown=replace(start.grown, metric=unknown_metric))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Judge the state as a model file is; raises ModelFormatError."""
        super().__setstate__(state)
        if vars(self).keys() & {"forest_", "_start", "_figures"}:
            restore_forest(self)


def _finished(grown: Grown, plan: ForestPlan) -> str:
    n_trees = len(grown.forest)
    return f"the forest has the {n_trees} trees that were finished, of {plan.n_estimators}"


def _warn_of(grown: Grown, plan: ForestPlan, target: Target) -> None:
    if grown.interrupted:
        rest = "Call fit again with warm_start=True for the rest."
        warn(f"the fit was interrupted: {_finished(grown, plan)}. {rest}", UserWarning)
    if grown.oob is None:
        return
    seen = (grown.oob.votes == 0) & (True if target.weights is None else target.weights > 0)
    if seen.any():
        warn(
            f"{int(seen.sum())} of {len(seen)} rows were seen by every tree, so they have no"
            " out-of-bag answer (NaN). Grow more trees, or let each see fewer rows (max_samples).",
            UserWarning,
        )
