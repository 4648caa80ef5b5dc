"""What the four tree estimators share: the order in which the stages are called."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone
from sklearn.utils import Bunch

from silva.data.bind import bind_prediction, bind_training, warn_of_data
from silva.data.column_facts import packed_column_facts
from silva.data.table import Table, Target
from silva.data.weights import weights_differ
from silva.estimators.callbacks import CallbackSupportMixin, FitTask, tears_down_callbacks
from silva.estimators.params import leaf_of, plan_of, pruning_of
from silva.estimators.progress import counted_growth, size_line, tree_progress
from silva.estimators.recipe import tree_recipe
from silva.estimators.rows import TakesRows
from silva.estimators.sklearn_arrays import SklearnArrays, node_indicator
from silva.estimators.stages import growth_of, pruned, with_leaves
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.inspect.deviance import leaf_deviance
from silva.inspect.importance import impurity_importance
from silva.inspect.regrow import Recipe
from silva.inspect.summary import (
    Comparison,
    Summary,
    depth,
    on_held_out,
    on_training_rows,
    summarise,
)
from silva.model_file.estimators.pickled import restore_tree
from silva.optimal.report import SearchFacts
from silva.prune import cost_complexity
from silva.prune.evidence import Rows
from silva.prune.record import Record
from silva.threads import threads
from silva.tree import route, stats
from silva.tree.lazy import lazy
from silva.tree.splits import STOP
from silva.tree.tree import Tree, split_tables

DERIVED = ("tree_", "_answers")


class Figures(NamedTuple):
    """What cannot be read from the tree: the rows are gone after the fit.

    `training` is None where the leaves tell how the tree does on training rows. `chose`: the
    held-out rows had a part in pruning the tree. `leaf_deviance`: of trees with
    criterion="poisson" only, and None where nobody knows it. `search`: of exact searches only.
    """

    weighted: bool
    held_out: Comparison | None
    training: Comparison | None
    chose: bool = False
    leaf_deviance: np.ndarray | None = None
    search: SearchFacts | None = None


class Answers:
    """A tree and what each of its nodes leads to, in one value: a new fit replaces all at once.

    All but the tree is computed when a row first asks for it.
    """

    def __init__(self, tree: Tree, leaf_answers: Callable[[Tree], np.ndarray]) -> None:
        self.tree = tree
        self._leaf_answers = leaf_answers

    @lazy
    def leaf_of_node(self) -> np.ndarray:
        return stats.leaf_number(self.tree)

    @lazy
    def answer_of_node(self) -> np.ndarray:
        return np.asarray(self._leaf_answers(self.tree)[self.leaf_of_node])

    @lazy
    def is_plain(self) -> bool:
        """Whether rows end in leaves, and every leaf has one answer, that of its node here."""
        return answers_by_leaf(self.tree) and self.tree.smoothing is None


class TreeEstimator(CallbackSupportMixin, TakesRows):  # type: ignore[misc]
    """Fits one tree and answers from it. Subclasses say what a target and an answer are."""

    _of_fit: ClassVar[tuple[str, ...]] = (
        "tree_",
        "grown_tree_",
        "max_features_",
        "prune_record_",
        "column_facts_",
    )

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
        """Grow a tree from a table and a target.

        Parameters
        ----------
        X : table
            NumPy array, SciPy sparse matrix, or a pandas, polars, pyarrow or DuckDB table.
            NaN and null are missing values; strings and categories are categorical columns.
        y : array-like of shape (n_samples,)
            The target: class labels, or finite numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts. Rows of weight 0 are left out.
        X_val, y_val, sample_weight_val : default=None
            Held-out rows: `summary_` tells how the tree does on them. They do not change the
            tree, unless `prune` is a pruner that looks at such rows.

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
        plan, n_threads = plan_of(self, self._task), threads(self.n_jobs)
        leaf = leaf_of(self.leaf, self._task)
        table = bind_training(X, self.categorical_features, plan.missing, plan.unseen)
        target = self._bind_target(y, sample_weight, table.n_rows)
        held_out = self._bind_held_out(X_val, y_val, sample_weight_val, table.schema, target)
        warn_of_data(table, target)
        facts = packed_column_facts(table, n_threads)
        tree, record, chose = self._grown(Rows(table, target), held_out, plan, n_threads)
        if leaf is not None:
            tree = with_leaves(tree, table, target, leaf, n_threads)
        figures = figures_of(tree, table, target, held_out, n_threads, chose)
        self._keep(tree, plan.columns_tried(len(tree.schema)), figures, facts, record)
        task.end()
        return self

    def apply(self, X: Any) -> np.ndarray:
        """The node number of the leaf that each row ends in; `tree_` numbers nodes the same.

        A row whose missing or unseen value stops it ends at an inner node.
        """
        return self._routed(X, self._tree)[1]

    def decision_path(self, X: Any) -> csr_array | csr_matrix:
        """The nodes that each row passes: a sparse indicator of shape (n_samples, n_nodes)."""
        tree = self._tree
        return node_indicator(tree, self._routed(X, tree)[1])

    def get_depth(self) -> int:
        """The number of splits on the longest path from the root to a leaf."""
        return depth(self._tree)

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        return self._tree.n_leaves

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The values of `ccp_alpha` at which the tree of these rows loses leaves.

        Returns a Bunch with `ccp_alphas` and `impurities` (the weighted impurity of the leaves of
        the tree pruned at each alpha), both ascending, as scikit-learn's trees do.
        """
        plan, n_threads = plan_of(self, self._task), threads(self.n_jobs)
        table = bind_training(X, self.categorical_features, plan.missing, plan.unseen)
        target = self._bind_target(y, sample_weight, table.n_rows)
        found = cost_complexity.path(grow(table, target, plan, n_threads), target)
        return Bunch(ccp_alphas=found.alphas, impurities=found.impurities)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Each column's share of the gain, on training rows (impurity importance)."""
        return impurity_importance(self._tree)

    @property
    def summary_(self) -> Summary:
        """Size and figures of the tree beside the baseline's, on training and held-out rows."""
        tree, figures = self._tree, self._figures
        if figures.training is None and not answers_by_leaf(tree):
            raise AttributeError(
                f"summary_: the training score of this {type(self).__name__} is unknown: its leaves"
                " do not determine it, and the training rows are not stored (it is a member of an"
                " ensemble, or comes from an old file)."
            )
        return summarise(tree, *figures[:4])

    @abstractmethod
    def _bind_target(self, y: Any, sample_weight: Any, n_rows: int) -> Target:
        """The training target; judges y and the weights."""

    @staticmethod
    @abstractmethod
    def _leaf_answers(tree: Tree) -> np.ndarray:
        """What each leaf answers."""

    @property
    def _tree(self) -> Tree:
        return self._fitted.tree

    @property
    def _fitted(self) -> Answers:
        try:
            return vars(self)["_answers"]  # type: ignore[no-any-return]
        except KeyError:
            self._check_fitted()
            raise

    def _routed(self, X: Any, tree: Tree) -> tuple[Table, np.ndarray]:
        """The rows bound to the tree's schema, and the nodes in which they end."""
        table = self._bound_by(lambda rows: bind_prediction(rows, tree.schema), X, tree.schema)
        return table, route.leaves(tree, table, threads(self.n_jobs))

    def _grown(
        self, rows: Rows, held_out: Rows | None, plan: Plan, n_threads: int
    ) -> tuple[Tree, Record | None, bool]:
        """The tree, pruned as the parameters ask; what was done; whether held-out rows chose."""
        growth, pruning = growth_of(plan, n_threads), pruning_of(self, plan)
        if not self.verbose:
            return pruned(pruning, rows, growth, held_out, n_threads)
        with tree_progress(type(self).__name__) as tell:
            growth = counted_growth(growth, tell)
            tree, record, chose = pruned(pruning, rows, growth, held_out, n_threads)
            tell(size_line(tree, record))
        return tree, record, chose

    def _keep(
        self,
        tree: Tree,
        max_features: int,
        figures: Figures,
        facts: bytes | None,
        record: Record | None = None,
    ) -> None:
        """Become fitted with `tree`, in one assignment: whatever stops it, a model is whole."""
        state = vars(self) | self._derived(tree, figures)
        state.pop("feature_names_in_", None)
        state |= {
            "grown_tree_": tree,
            "n_features_in_": len(tree.schema),
            "n_outputs_": 1,
            "max_features_": max_features,
            "prune_record_": record,
            "_column_facts": facts,
            "_figures": figures,
        }
        if tree.schema.named:
            state["feature_names_in_"] = np.array(tree.schema.names, dtype=object)
        self.__dict__ = state

    def _with_tree(
        self, tree: Tree, table: Table, target: Target, facts: bytes | None = None
    ) -> Self:
        """This model with another tree of these training rows; held-out figures are gone.

        `facts` are about the columns of the rows that count as training; None: of these rows.
        """
        model: Self = clone(self)
        n_threads = threads(self.n_jobs)
        figures = figures_of(tree, table, target, None, n_threads)
        tried = self._columns_tried(len(tree.schema))
        model._keep(tree, tried, figures, facts or packed_column_facts(table, n_threads))
        return model

    def _recipe(self, X: Any, y: Any, sample_weight: Any) -> Recipe:
        """How to grow this model again, for inspectors."""
        return tree_recipe(self, X, y, sample_weight)

    def _columns_tried(self, n_columns: int) -> int:
        """How many columns a node tries; a parameter that `fit` would refuse is refused."""
        threads(self.n_jobs)
        leaf_of(self.leaf, self._task)
        return plan_of(self, self._task, draw=False).columns_tried(n_columns)

    def _derived(self, tree: Tree, figures: Figures) -> dict[str, Any]:
        """The attributes that follow from the tree and its figures."""
        arrays = SklearnArrays(tree, figures.leaf_deviance)
        return {"tree_": arrays, "_answers": Answers(tree, self._leaf_answers)}

    def __sklearn_is_fitted__(self) -> bool:
        return "grown_tree_" in vars(self)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name not in DERIVED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Judge the state as a model file is; raises ModelFormatError."""
        super().__setstate__(state)
        if vars(self).keys() & {"grown_tree_", "_figures"}:
            restore_tree(self)


def answers_by_leaf(tree: Tree) -> bool:
    """Whether all rows end in leaves that have one answer each."""
    return tree.linear is None and not can_stop(tree)


def can_stop(tree: Tree) -> bool:
    """Whether a row can end at an inner node."""
    for table in split_tables(tree).values():
        if len(table.missing_child):
            children = (table.missing_child, getattr(table, "unseen_child", table.missing_child))
            if any(np.count_nonzero(child == STOP) for child in children):
                return True
    return False


def figures_of(
    tree: Tree,
    table: Table,
    target: Target,
    held_out: Rows | None,
    n_threads: int,
    chose: bool = False,
) -> Figures:
    """What a fitted tree keeps of its rows."""
    measured = None
    if held_out is not None:
        measured = on_held_out(tree, held_out.table, held_out.target, n_threads)
    plain = answers_by_leaf(tree)
    training = None if plain else on_training_rows(tree, table, target, n_threads)
    deviance = None
    if tree.criterion == "poisson":
        deviance = leaf_deviance(tree, table, target, n_threads)
    return Figures(weights_differ(target.weights), measured, training, chose, deviance)
