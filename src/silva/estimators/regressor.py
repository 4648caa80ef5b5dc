"""Regression trees with scikit-learn's interface."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from silva.data.bind import bind_numbers
from silva.data.table import Target
from silva.estimators.base import TreeEstimator
from silva.estimators.params import keep_parameters
from silva.estimators.targets import one_dimensional
from silva.leaf import answers, constant
from silva.threads import threads
from silva.tree.tree import Tree


class BaseTreeRegressor(RegressorMixin, TreeEstimator):  # type: ignore[misc]
    """A tree whose leaves answer with numbers."""

    _task = "regression"

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the training targets in each row's leaf, or what its linear model says."""
        fitted = self._fitted
        table, nodes = self._routed(X, fitted.tree)
        if fitted.is_plain:
            return np.asarray(fitted.answer_of_node.take(nodes))
        return answers.predict_values(fitted.tree, nodes, table, threads(self.n_jobs))

    def _bind_target(self, y: Any, sample_weight: Any, n_rows: int) -> Target:
        return bind_numbers(one_dimensional(y), sample_weight, n_rows)

    def _bind_held_out_target(
        self, y: Any, sample_weight: Any, n_rows: int, training: Target
    ) -> Target:
        return self._bind_target(y, sample_weight, n_rows)

    @staticmethod
    def _leaf_answers(tree: Tree) -> np.ndarray:
        return constant.values(tree)


class TreeRegressor(BaseTreeRegressor):
    """A regression tree, grown greedily and exactly.

    Exact: every threshold of every column is considered, `value < threshold` goes left, float64
    values stay float64, and equal gains are ordered the same way always. Categories are split as
    they are. Missing values go to the side that training found best for them.

    Parameters
    ----------
    criterion : {"squared_error", "poisson"}, default="squared_error"
        What a split must decrease: the variance, or half the Poisson deviance (targets >= 0).
    splitter : {"best", "random"}, default="best"
        `best` tries every threshold of a column, `random` one drawn at random.
    max_depth : int or None, default=None
        The longest path from the root, in splits. None: until leaves are pure or too small.
    min_samples_split : int or float, default=2
        A node with fewer rows stays a leaf; a float is a fraction of the training rows.
    min_samples_leaf : int or float, default=1
        Both sides of a split have at least this many rows; a float is a fraction of them. Of a
        multiway split two children have; a branch of missing values need not.
    min_weight_fraction_leaf : float, default=0.0
        Both sides of a split have at least this share of the total weight; exceptions as above.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        How many columns a node tries (drawn at random); a float is a fraction. None: all.
    random_state : int, RandomState or None, default=None
        Seeds what is random: `splitter="random"`, fewer `max_features` than columns, and the
        prototypes of distance splits (a whole number; without one they are always the same).
        Without these the tree is the same whatever the seed.
    max_leaf_nodes : int or None, default=None
        Grow the best node first and stop at this many leaves.
    min_impurity_decrease : float, default=0.0
        The least gain of a split, times the node's share of the weight.
    ccp_alpha : non-negative float, default=0.0
        Minimal cost-complexity pruning: branches that save less impurity for each leaf than this
        are cut (see `cost_complexity_pruning_path`).
    min_gain : float, default=0.0
        The least gain of a split, whatever the node's share of the weight.
    prune : str, pruner or None, default=None
        How the tree is pruned once it is grown: `auto`, `cost_complexity`, `reduced_error`,
        `pessimistic`, `minimum_error`, `accuracy_threshold`, `generalisation_bound`, or a pruner
        such as `silva.MaxLeaves(10)`. None does what the plan says, `none` does not prune. Not
        together with `ccp_alpha`. See docs/pruning.md.
    validation_fraction : float, default=0.2
        The share of the training rows that a pruner gets which needs validation rows, where `fit`
        is given none. The pruned tree's leaves are stated anew from all training rows.
    categorical_features : "from_dtype", None, list of names, indices or booleans, or mapping, \
            default="from_dtype"
        Columns to treat as categories besides those whose type says so; a mapping gives the list
        of levels of each, or None for the values that occur.
    splits : str, mapping, ObliqueSplits, DistanceSplits, list of these or None, default=None
        The questions that nodes ask. Categorical columns: `subset` (a set of values against the
        rest; the default), `onevsrest` or `multiway` (a child for each value), for all of them or
        by column ({"town": "multiway"}). `oblique` and `distance` ask about several columns at
        once. In a list, later entries override earlier ones.
    missing : {"learn", "majority", "own_branch", "stop", "error"} or mapping, default="learn"
        What becomes of missing values, for all columns or by column ({"age": "stop"}): the side
        that training found best, the heavier child, a branch of their own, an answer from the node
        itself, or an error.
    unseen : {"learn", "majority", "own_branch", "stop", "error"} or mapping, default="majority"
        The same for categories that training did not see in the node.
    thresholds : {"all", "breakpoints"}, default="all"
        Which thresholds of numbers are tried; `breakpoints` leaves out those between neighbouring
        values whose rows all have one and the same target.
    category_gain : {"fair", "plain"}, default="fair"
        How sets of categories compete with other columns: `fair` charges them for the freedom
        that many levels give, and treats a level of one training row as unseen; `plain` compares
        gains as they are, which favours columns of many levels.
    leaf : {"constant", "linear"}, LinearLeaf or None, default=None
        What a leaf answers: its mean (None and `constant`), or a linear model within the range of
        its targets.
    plan : {"CART"}, Plan or None, default=None
        All of the growth at once, such as `silva.CART("regression")`: a preset by name, or any
        Plan. Every parameter that a plan decides must be at its default then.
    n_jobs : int or None, default=None
        Threads: None is 1, -1 all usable CPUs (and never more). The result is always the same.
    verbose : int, default=0
        1 shows on standard error how many trees have been grown (pruning can need many), and at the
        end the size of the tree.

    Attributes
    ----------
    n_features_in_ : int
        The number of columns in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when the table had names.
    n_outputs_ : int
        Always 1.
    max_features_ : int
        How many columns a node tried.
    grown_tree_ : silva.Tree
        The tree itself; `print(model.grown_tree_)` or `silva.to_text(model)` shows it.
    tree_ : object
        The same tree through the array names of scikit-learn.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Each column's share of the gain on training rows.
    column_facts_ : silva.data.column_facts.ColumnFacts or None
        Range, mean, spread and missing values of each training column, in arrays `low`, `high`,
        `mean`, `deviation` and `missing`; None in models of older files.
    prune_record_ : silva.prune.record.Record or None
        What `prune` did, step by step; None without it.
    summary_ : silva.inspect.summary.Summary
        Size and mean squared error of the tree and of the mean.

    Examples
    --------
    >>> from silva import TreeRegressor
    >>> model = TreeRegressor(max_depth=2).fit([[1.0], [2.0], [4.0], [5.0]], [0.0, 1.0, 8.0, 9.0])
    >>> model.predict([[1.4], [9.0]]).tolist()
    [0.0, 9.0]
    """

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        random_state: int | np.random.RandomState | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        min_gain: float = 0.0,
        prune: Any = None,
        validation_fraction: float = 0.2,
        categorical_features: Any = "from_dtype",
        splits: Any = None,
        missing: Any = "learn",
        unseen: Any = "majority",
        thresholds: str = "all",
        category_gain: str = "fair",
        leaf: Any = None,
        plan: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        keep_parameters(self, locals())


class StumpRegressor(BaseTreeRegressor):
    """A regression tree with one split: the best single question.

    Exact: every threshold of every column is considered, `value < threshold` goes left, float64
    values stay float64, and equal gains are ordered the same way always. Categories are split as
    they are. Missing values go to the side that training found best for them.

    Parameters
    ----------
    criterion : {"squared_error", "poisson"}, default="squared_error"
        What a split must decrease: the variance, or half the Poisson deviance (targets >= 0).
    splitter : {"best", "random"}, default="best"
        `best` tries every threshold of a column, `random` one drawn at random.
    min_samples_split : int or float, default=2
        A node with fewer rows stays a leaf; a float is a fraction of the training rows.
    min_samples_leaf : int or float, default=1
        Both sides of a split have at least this many rows; a float is a fraction of them. Of a
        multiway split two children have; a branch of missing values need not.
    min_weight_fraction_leaf : float, default=0.0
        Both sides of a split have at least this share of the total weight; exceptions as above.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        How many columns a node tries (drawn at random); a float is a fraction. None: all.
    random_state : int, RandomState or None, default=None
        Seeds what is random: `splitter="random"`, fewer `max_features` than columns, and the
        prototypes of distance splits (a whole number; without one they are always the same).
        Without these the tree is the same whatever the seed.
    min_impurity_decrease : float, default=0.0
        The least gain of a split, times the node's share of the weight.
    ccp_alpha : non-negative float, default=0.0
        Minimal cost-complexity pruning: branches that save less impurity for each leaf than this
        are cut (see `cost_complexity_pruning_path`).
    min_gain : float, default=0.0
        The least gain of a split, whatever the node's share of the weight.
    prune : str, pruner or None, default=None
        How the tree is pruned once it is grown: `auto`, `cost_complexity`, `reduced_error`,
        `pessimistic`, `minimum_error`, `accuracy_threshold`, `generalisation_bound`, or a pruner
        such as `silva.MaxLeaves(10)`. None does what the plan says, `none` does not prune. Not
        together with `ccp_alpha`. See docs/pruning.md.
    validation_fraction : float, default=0.2
        The share of the training rows that a pruner gets which needs validation rows, where `fit`
        is given none. The pruned tree's leaves are stated anew from all training rows.
    categorical_features : "from_dtype", None, list of names, indices or booleans, or mapping, \
            default="from_dtype"
        Columns to treat as categories besides those whose type says so; a mapping gives the list
        of levels of each, or None for the values that occur.
    splits : str, mapping, ObliqueSplits, DistanceSplits, list of these or None, default=None
        The questions that nodes ask. Categorical columns: `subset` (a set of values against the
        rest; the default), `onevsrest` or `multiway` (a child for each value), for all of them or
        by column ({"town": "multiway"}). `oblique` and `distance` ask about several columns at
        once. In a list, later entries override earlier ones.
    missing : {"learn", "majority", "own_branch", "stop", "error"} or mapping, default="learn"
        What becomes of missing values, for all columns or by column ({"age": "stop"}): the side
        that training found best, the heavier child, a branch of their own, an answer from the node
        itself, or an error.
    unseen : {"learn", "majority", "own_branch", "stop", "error"} or mapping, default="majority"
        The same for categories that training did not see in the node.
    thresholds : {"all", "breakpoints"}, default="all"
        Which thresholds of numbers are tried; `breakpoints` leaves out those between neighbouring
        values whose rows all have one and the same target.
    category_gain : {"fair", "plain"}, default="fair"
        How sets of categories compete with other columns: `fair` charges them for the freedom
        that many levels give, and treats a level of one training row as unseen; `plain` compares
        gains as they are, which favours columns of many levels.
    leaf : {"constant", "linear"}, LinearLeaf or None, default=None
        What a leaf answers: its mean (None and `constant`), or a linear model within the range of
        its targets.
    n_jobs : int or None, default=None
        Threads: None is 1, -1 all usable CPUs (and never more). The result is always the same.
    verbose : int, default=0
        1 shows on standard error how many trees have been grown (pruning can need many), and at the
        end the size of the tree.

    Attributes
    ----------
    n_features_in_ : int
        The number of columns in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when the table had names.
    n_outputs_ : int
        Always 1.
    max_features_ : int
        How many columns a node tried.
    grown_tree_ : silva.Tree
        The tree itself; `print(model.grown_tree_)` or `silva.to_text(model)` shows it.
    tree_ : object
        The same tree through the array names of scikit-learn.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Each column's share of the gain on training rows.
    column_facts_ : silva.data.column_facts.ColumnFacts or None
        Range, mean, spread and missing values of each training column, in arrays `low`, `high`,
        `mean`, `deviation` and `missing`; None in models of older files.
    prune_record_ : silva.prune.record.Record or None
        What `prune` did, step by step; None without it.
    summary_ : silva.inspect.summary.Summary
        Size and mean squared error of the tree and of the mean.

    Examples
    --------
    >>> from silva import StumpRegressor
    >>> model = StumpRegressor().fit([[1.0], [2.0], [4.0], [5.0]], [0.0, 1.0, 8.0, 9.0])
    >>> model.predict([[1.5], [4.5]]).tolist()
    [0.5, 8.5]
    """

    max_depth = 1
    max_leaf_nodes = None

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        random_state: int | np.random.RandomState | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        min_gain: float = 0.0,
        prune: Any = None,
        validation_fraction: float = 0.2,
        categorical_features: Any = "from_dtype",
        splits: Any = None,
        missing: Any = "learn",
        unseen: Any = "majority",
        thresholds: str = "all",
        category_gain: str = "fair",
        leaf: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        keep_parameters(self, locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags
