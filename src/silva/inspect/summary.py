"""How good a tree is, beside the answer that needs no tree: the majority class or the mean."""

from dataclasses import dataclass, replace

import numpy as np

from silva import notebook
from silva.data.large import mean_of
from silva.data.table import Table, Target, Task
from silva.data.weights import weights_differ
from silva.inspect import scores
from silva.leaf import answers, distribution
from silva.notebook import ShownAsText
from silva.tree import route, stats
from silva.tree.decision import right_units
from silva.tree.tree import Tree

MEASURE: dict[Task, str] = {"classification": "accuracy", "regression": "mean squared error"}
BASELINE: dict[Task, str] = {"classification": "majority class", "regression": "mean"}

DELTA = 0.05


@dataclass(frozen=True, slots=True)
class Comparison:
    """The measure of the tree and of the baseline on the same rows.

    Classification: accuracy, the (weighted) share of right answers; its error is 1 - accuracy.
    Regression: the (weighted) mean squared error; infinite where float64 ends.
    `weighted`: rows count by their sample weights and class weights. `auc` is the area under the
    ROC curve (of more than two classes the mean over the classes, each against the rest), `r2` the
    explained share of the variance of numbers; None where they are not defined or not known.
    """

    tree: float
    baseline: float
    rows: int
    weighted: bool
    auc: float | None = None
    r2: float | None = None


@dataclass(frozen=True, slots=True)
class Summary(ShownAsText):
    """What a fit achieved. `held_out` is None when no held-out rows were given.

    The floors are what the accuracy on new rows is at least, with 95% confidence each: by sample
    compression from the training rows alone, and by Clopper and Pearson's limit from held-out rows
    that chose nothing. None where there is no such guarantee (see `silva.bounds`). A floor below
    the accuracy of the majority class says nothing and is not printed. `chose`: the held-out rows
    had a part in pruning the tree, so its score on them is optimistic.
    """

    task: Task
    leaves: int
    depth: int
    train: Comparison
    held_out: Comparison | None = None
    train_floor: float | None = None
    held_out_floor: float | None = None
    chose: bool = False

    def __str__(self) -> str:
        return notebook.printers["summary"](self)


def summarise(
    tree: Tree,
    weighted: bool,
    held_out: Comparison | None = None,
    training: Comparison | None = None,
    chose: bool = False,
) -> Summary:
    """The summary of a fitted tree.

    Training figures come from its leaves, and no row is routed, unless `training` gives them:
    some trees need `on_training_rows`. `chose`: pruning looked at the held-out rows.
    """
    figures = on_training(tree, weighted) if training is None else training
    honest = None if chose else held_out
    floors = (None, None) if weighted else (_train_floor(tree), _held_out_floor(tree, honest))
    return Summary(tree.task, tree.n_leaves, depth(tree), figures, held_out, *floors, chose)


def depth(tree: Tree) -> int:
    """The number of splits on the longest path from the root to a leaf."""
    return int(stats.depth(tree).max())


def on_training(tree: Tree, weighted: bool) -> Comparison:
    """Tree and baseline on the training rows, each with the weight it had in training.

    A row counts in the leaf where training put it, which answers with its mean or its class.
    """
    measure = _training_accuracy if tree.task == "classification" else _training_squared_error
    figure, baseline = measure(tree)
    rows = int(tree.leaf_rows.sum())
    if tree.task == "classification":
        return Comparison(figure, baseline, rows, weighted, auc=_training_auc(tree))
    return Comparison(figure, baseline, rows, weighted, r2=scores.r2(figure, baseline))


def on_training_rows(tree: Tree, table: Table, target: Target, threads: int = 1) -> Comparison:
    """What `on_training` says of a tree whose leaves do not tell it.

    Linear leaves answer by row, and a row that stops is not answered by the leaf of training.
    """
    told = on_held_out(tree, table, target, threads)
    plain = on_training(tree, told.weighted)
    return replace(plain, tree=told.tree, auc=told.auc, r2=told.r2)


def on_held_out(tree: Tree, table: Table, target: Target, threads: int = 1) -> Comparison:
    """Tree and baseline (the majority class or mean of training) on rows not used in training.

    A class that training did not see (code -1) counts as answered wrongly. A row that stops at an
    inner node is told what that node's own training rows say. Training rows can be asked too.
    """
    nodes = route.leaves(tree, table, threads)
    if tree.task == "classification":
        told = answers.predict_codes(tree, nodes, table, threads)
        shares = None
        if rankable(len(nodes), target):
            shares = answers.predict_shares(tree, nodes, table, threads)
        return measured(target, told, majority_class(tree), shares)
    values = answers.predict_values(tree, nodes, table, threads)
    return measured(target, values, float(stats.node_mean(tree, np.array([0]))[0]))


def measured(
    target: Target,
    told: np.ndarray,
    baseline: np.ndarray | float,
    shares: np.ndarray | None = None,
) -> Comparison:
    """What was told (codes or numbers) and what the baseline says, against the truth.

    `shares` are class probabilities, for the AUC.
    """
    figure, other = (_figure(target, guess) for guess in (told, baseline))
    rows = len(told) if target.weights is None else np.count_nonzero(target.weights)
    facts = (figure, other, int(rows), weights_differ(target.weights))
    if target.classes is None:
        variance = _figure(target, mean_of(target.values, target.weights))
        return Comparison(*facts, r2=scores.r2(figure, variance))
    area = None if shares is None else scores.auc(shares, target.values, target.weights)
    return Comparison(*facts, auc=area)


def rankable(n_rows: int, target: Target) -> bool:
    """Whether the class probabilities of so many rows are worth their memory for an AUC."""
    return target.classes is not None and n_rows * len(target.classes) <= scores.MOST_CELLS


def _figure(target: Target, guess: np.ndarray | float) -> float:
    if target.classes is not None:
        return _mean(target.values == guess, target.weights)
    return _squared_error(target, guess)


def majority_class(tree: Tree) -> int:
    """The class code with the most training weight; the lowest code among equals."""
    return int(np.argmax(distribution.class_weights(tree)))


def _training_accuracy(tree: Tree) -> tuple[float, float]:
    weights = distribution.class_weights(tree)
    total = weights.sum()
    return float(right_units(tree).sum() / total), float(weights.max() / total)


def _training_auc(tree: Tree) -> float | None:
    """By the leaves, each of which gives all of its rows the same probabilities."""
    leaves, n_classes = np.flatnonzero(tree.is_leaf), len(distribution.classes(tree))
    if len(leaves) * n_classes > scores.MOST_CELLS:
        return None
    units = stats.node_class_units(tree, leaves).astype(np.float64)
    shares = answers.node_shares(tree, leaves)
    return scores.mean_area(shares, lambda code: units[:, code], units.sum(axis=1))


def _training_squared_error(tree: Tree) -> tuple[float, float]:
    variance = stats.node_impurity(tree, "squared_error")
    with np.errstate(over="ignore"):
        left = np.average(variance[tree.is_leaf], weights=stats.leaf_weight_units(tree))
    return float(left), float(variance[0])


def _squared_error(target: Target, guess: np.ndarray | float) -> float:
    with np.errstate(over="ignore"):
        return _mean((target.values - guess) ** 2, target.weights)


def _mean(values: np.ndarray, weights: np.ndarray | None) -> float:
    """The weighted mean; weights near the ends of float64 are as good as any."""
    if weights is None:
        return float(values.mean())
    shares = weights / weights.max()
    return float(np.average(values[shares > 0], weights=shares[shares > 0]))


def _train_floor(tree: Tree) -> float | None:
    from silva.inspect.bounds import learned_error

    limit = learned_error(tree, DELTA)
    return None if limit is None else 1.0 - limit


def _held_out_floor(tree: Tree, held_out: Comparison | None) -> float | None:
    if held_out is None or held_out.weighted or tree.task != "classification":
        return None
    from silva.inspect.intervals import error_at_most

    errors = round((1.0 - held_out.tree) * held_out.rows)
    return 1.0 - error_at_most(errors, held_out.rows, DELTA)
