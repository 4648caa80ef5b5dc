"""AdaBoost with scikit-learn's interface, over any silva tree."""

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.metrics import accuracy_score

from silva.data.bind import bind_classes, bind_training, warn_of_data
from silva.data.column_facts import packed_column_facts
from silva.data.table import Target
from silva.ensemble.boost import Boosting, Stop, boost
from silva.ensemble.boosted import Boosted, Votes, class_codes, staged, votes
from silva.ensemble.engine import Rows, len_of, rows_of
from silva.ensemble.packed import PackedTrees
from silva.errors import warn
from silva.estimators.base import TreeEstimator
from silva.estimators.boost_params import plans_of, tree_estimator
from silva.estimators.callbacks import CallbackSupportMixin, FitTask, tears_down_callbacks
from silva.estimators.interrupts import forget_partial, raise_unless_kept, receiver
from silva.estimators.members import HasMembers, Members
from silva.estimators.progress import progress
from silva.estimators.rows import TakesRows
from silva.estimators.stages import finish_of
from silva.estimators.targets import held_out_classes, one_dimensional
from silva.inspect.boost_summary import (
    BoostSummary,
    on_held_out,
    on_training,
    summarise_boosting,
)
from silva.inspect.importance import impurity_importance
from silva.inspect.margins import MarginCurve, margin_curve
from silva.inspect.summary import Comparison
from silva.model_file.estimators.pickled import restore_boosted
from silva.prune import evidence
from silva.threads import threads


class BoostFigures(NamedTuple):
    """What `summary_` cannot read from the trees: the rows are gone after the fit."""

    training: Comparison
    held_out: Comparison | None


class AdaBoostClassifier(
    HasMembers,
    CallbackSupportMixin,  # type: ignore[misc]
    ClassifierMixin,  # type: ignore[misc]
    TakesRows,
):
    """AdaBoost (SAMME): small trees, each grown where those before it were wrong; they vote.

    Every tree is exact, and equals the single tree that is grown with the same row weights.

    Parameters
    ----------
    estimator : silva tree classifier or None, default=None
        The tree to boost, such as TreeClassifier(max_depth=3), with all of its own parameters but
        `random_state` and `n_jobs`. None: StumpClassifier(), one question a tree.
    n_estimators : int, default=50
        How many trees at most. Boosting stops early after a tree without errors, and before one
        that is no better than chance.
    learning_rate : float, default=1.0
        What the vote of each tree is multiplied by.
    random_state : int, RandomState or None, default=None
        Seeds the trees' own random choices, if they make any.
    n_jobs : int or None, default=None
        Threads: None is 1, -1 all usable CPUs (and never more). The result is always the same.
    verbose : int, default=0
        1 or more shows a progress bar on standard error.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does in `fit`: end it with KeyboardInterrupt and keep the trees that are
        finished in `partial_`, a fitted model; or return with these trees and a warning.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    n_classes_ : int
        How many there are.
    n_features_in_ : int
        The number of columns in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when the table had names.
    n_outputs_ : int
        Always 1.
    estimator_ : silva tree classifier
        The tree that is boosted, not fitted.
    estimators_ : sequence of silva tree classifiers
        The trees as fitted estimators, each made when it is asked for; `len(model)`, `model[0]`
        and iteration read it. They predict the original labels.
    boosted_ : silva.ensemble.boosted.Boosted
        The trees and what their votes count.
    trees_ : sequence of silva.Tree
        The trees, each made when it is asked for; `print(model.trees_[0])` shows the first.
    estimator_weights_ : ndarray of shape (n_trees,)
        What the vote of each tree counts.
    estimator_errors_ : ndarray of shape (n_trees,)
        The error of each tree under the weights that it was grown with.
    margins_ : ndarray of shape (n_samples,)
        For each training row, the share of votes for its class minus the largest share for
        another: above 0 it is answered rightly.
    stopped_ : {None, "perfect", "chance", "interrupted"}
        Why there are fewer trees than asked for; None if there are as many.
    column_facts_ : silva.data.column_facts.ColumnFacts or None
        Range, mean, spread and missing values of each training column, in arrays `low`, `high`,
        `mean`, `deviation` and `missing`; None in models of older files.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Each column's share of the gain on training rows, trees weighted by their votes.
    summary_ : silva.inspect.boost_summary.BoostSummary
        Size of the composition, and its accuracy on training and held-out rows.

    Examples
    --------
    >>> from silva import AdaBoostClassifier
    >>> X, y = [[1.0], [2.0], [4.0], [5.0]], ["a", "b", "b", "a"]
    >>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> model.predict(X).tolist()
    ['a', 'b', 'b', 'a']
    """

    _task = "classification"
    _of_fit: ClassVar[tuple[str, ...]] = (
        "boosted_",
        "estimator_",
        "estimator_errors_",
        "stopped_",
        "column_facts_",
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        on_interrupt: str = "raise",
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.on_interrupt = on_interrupt

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
        """Boost trees from a table and class labels.

        Parameters
        ----------
        X : table
            NumPy array, SciPy sparse matrix, or a pandas, polars, pyarrow or DuckDB table.
            NaN and null are missing values; strings and categories are categorical columns.
        y : array-like of shape (n_samples,)
            The class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights that boosting begins with. Rows of weight 0 are left out.
        X_val, y_val, sample_weight_val : default=None
            Held-out rows. They do not change the trees; `summary_` tells how they do on them.

        Returns
        -------
        self

        Warns
        -----
        DataWarning
            For the columns of which `TreeClassifier.fit` warns.
        """
        task = FitTask(self, X, y, sample_weight)
        forget_partial(self)
        tree, n_threads = tree_estimator(self.estimator), threads(self.n_jobs)
        plan, boost_plan = plans_of(self, tree)
        finish = finish_of(tree, plan, "classification", n_threads)
        table = bind_training(X, tree.categorical_features, plan.missing, plan.unseen)
        target = self._bind_target(y, sample_weight, table.n_rows)
        held_out = self._bind_held_out(X_val, y_val, sample_weight_val, table.schema, target)
        warn_of_data(table, target)
        with progress(type(self).__name__, boost_plan.n_estimators, self.verbose > 0) as watch:
            given = table, target, plan, boost_plan, n_threads
            grown = boost(*given, finish=finish, watch=watch, keep_interrupted=True)
        figures = _figures(grown, target, held_out, n_threads)
        facts = packed_column_facts(table, n_threads)
        model = receiver(self, grown.stopped == "interrupted")
        model._keep(grown, boost_plan.seed, figures, facts)
        finished = f"{len(grown.boosted)} of {boost_plan.n_estimators} trees are finished"
        raise_unless_kept(self, model, finished)
        if grown.stopped == "interrupted":
            warn(f"the fit was interrupted: {finished}.", UserWarning)
        task.end()
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class with the most votes; among equals the first of `classes_`."""
        codes = class_codes(*self._asked(X))
        return np.asarray(self.classes_.take(codes))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Votes turned into numbers that add up to 1, as scikit-learn's AdaBoost does.

        They order the rows; they are no calibrated frequencies.
        """
        return self._votes(X).probabilities

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of `predict_proba`."""
        return np.asarray(np.log(self.predict_proba(X)))

    def decision_function(self, X: Any) -> np.ndarray:
        """How the votes are divided, from -1 to 1.

        Two classes: the share of votes for the second minus that for the first, (n_samples,).
        More: (n_samples, n_classes), a vote counting 1 for its class and -1 / (n_classes - 1) for
        each other.
        """
        return _decision(self._votes(X))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """What `predict` answers after each tree."""
        return (self._labels(so_far) for so_far in self._staged(X))

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """What `predict_proba` answers after each tree."""
        return (so_far.probabilities for so_far in self._staged(X))

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """What `decision_function` answers after each tree."""
        return (_decision(so_far) for so_far in self._staged(X))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """The accuracy after each tree."""
        return (
            float(accuracy_score(y, told, sample_weight=sample_weight))
            for told in self.staged_predict(X)
        )

    def margin_curve(
        self, X: Any, y: Any, sample_weight: Any = None, stages: Any = None
    ) -> MarginCurve:
        """The distribution of the margins of any rows, after so many trees.

        `stages` are numbers of trees; None takes a few, the last one too.
        `silva.plot_margins` draws it.
        """
        boosted = self._boosted
        rows = self._bound(X, boosted)
        told = Target("classification", np.empty(0, np.int32), boosted.classes, None)
        target = held_out_classes(y, sample_weight, len_of(rows), told)
        return margin_curve(boosted, rows, target, stages, threads(self.n_jobs))

    @property
    def trees_(self) -> PackedTrees:
        """The trees, in the order of their growth."""
        return self._boosted.trees

    @property
    def estimators_(self) -> Members:
        """The trees as fitted estimators, each made when it is asked for."""
        trees = self._boosted.trees
        return Members(self.estimator_, trees, self._seed, facts=self.column_facts_)

    @property
    def estimator_weights_(self) -> np.ndarray:
        """What the vote of each tree counts."""
        return self._boosted.alphas

    @property
    def margins_(self) -> np.ndarray:
        """How sure the right answer of each training row is; not in a model that was loaded."""
        self._check_fitted("margins_")
        margins: np.ndarray | None = self._margins
        if margins is None:
            raise AttributeError(
                f"margins_: this {type(self).__name__} was loaded from a file, which does not hold"
                " the training rows; use margin_curve(X, y)."
            )
        return margins

    @property
    def feature_importances_(self) -> np.ndarray:
        """Each column's share of the gain, trees weighted by their votes."""
        boosted = self._boosted
        each = np.array([impurity_importance(tree) for tree in boosted.trees])
        totals: np.ndarray = boosted.alphas @ each
        whole = totals.sum()
        return totals / whole if whole > 0 else totals

    @property
    def summary_(self) -> BoostSummary:
        """Size and accuracy beside the baseline's, on training and held-out rows."""
        return summarise_boosting(self._boosted, self.stopped_, *self._figures)

    @property
    def _boosted(self) -> Boosted:
        self._check_fitted()
        return vars(self)["boosted_"]  # type: ignore[no-any-return]

    def _votes(self, X: Any) -> Votes:
        return votes(*self._asked(X))

    def _staged(self, X: Any) -> Iterator[Votes]:
        return staged(*self._asked(X))

    def _asked(self, X: Any) -> tuple[Boosted, Rows, int]:
        """The composition, the rows that it is asked about, and the threads to use."""
        boosted = self._boosted
        rows = self._bound(X, boosted)
        return boosted, rows, threads(self.n_jobs, len_of(rows))

    def _bound(self, X: Any, boosted: Boosted) -> Rows:
        return self._bound_by(lambda rows: rows_of(rows, boosted.trees), X, boosted.schema)

    def _labels(self, so_far: Votes) -> np.ndarray:
        return np.asarray(self.classes_.take(so_far.codes))

    def _bind_target(self, y: Any, sample_weight: Any, n_rows: int) -> Target:
        class_weight = tree_estimator(self.estimator).class_weight
        return bind_classes(one_dimensional(y), sample_weight, class_weight, n_rows)

    def _bind_held_out_target(
        self, y: Any, sample_weight: Any, n_rows: int, training: Target
    ) -> Target:
        return held_out_classes(y, sample_weight, n_rows, training)

    def _keep(self, grown: Boosting, seed: int, figures: BoostFigures, facts: bytes) -> None:
        prototype = clone(tree_estimator(self.estimator))
        measured = (grown.errors, grown.margins, grown.stopped, figures, facts)
        self._become(grown.boosted, prototype, seed, *measured)

    def _become(
        self,
        boosted: Boosted,
        prototype: TreeEstimator,
        seed: int,
        errors: np.ndarray,
        margins: np.ndarray | None,
        stopped: Stop | None,
        figures: BoostFigures,
        facts: bytes | None,
    ) -> None:
        """Become fitted, in one assignment: whatever stops it, a model is whole."""
        state = {name: value for name, value in vars(self).items() if name != "feature_names_in_"}
        state |= {
            "boosted_": boosted,
            "estimator_": prototype,
            "_seed": seed,
            "estimator_errors_": errors,
            "_margins": margins,
            "stopped_": stopped,
            "classes_": boosted.classes,
            "n_classes_": len(boosted.classes),
            "n_features_in_": len(boosted.schema),
            "n_outputs_": 1,
            "_figures": figures,
            "_column_facts": facts,
        }
        if boosted.schema.named:
            state["feature_names_in_"] = np.array(boosted.schema.names, dtype=object)
        self.__dict__ = state

    def __sklearn_is_fitted__(self) -> bool:
        return "boosted_" in vars(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Judge the state as a model file is; raises ModelFormatError."""
        super().__setstate__(state)
        if vars(self).keys() & {"boosted_", "_figures"}:
            restore_boosted(self)


def _figures(
    grown: Boosting, target: Target, held_out: evidence.Rows | None, n_threads: int
) -> BoostFigures:
    measured = None
    if held_out is not None:
        rows = held_out.table, held_out.target
        measured = on_held_out(grown.boosted, target, *rows, n_threads)
    return BoostFigures(on_training(grown, target), measured)


def _decision(so_far: Votes) -> np.ndarray:
    scores = so_far.scores
    return np.asarray(scores[:, 1]) if scores.shape[1] == 2 else scores
