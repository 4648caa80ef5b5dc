"""What can be said about new rows: bounds on the error of a tree, intervals of its leaves."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.checks import as_float, is_real, is_whole
from silva.data.table import Table, Target
from silva.errors import PlanError
from silva.inspect import generalisation
from silva.inspect.generalisation import Size, size_of
from silva.inspect.intervals import error_at_most, error_between
from silva.inspect.leaf_intervals import LeafIntervals, of_rows, of_training
from silva.inspect.models import held_out, tree_of
from silva.inspect.subject import opened
from silva.leaf import answers
from silva.messages import counted, shown
from silva.notebook import ShownAsText
from silva.tree import route, stats
from silva.tree.splits import Threshold, split_of
from silva.tree.tree import Tree
from silva.tree.words import asks_missing

REGRESSION = "these bound a share of wrong answers, and the tree answers with numbers"
WEIGHTS = "these count independent rows that weigh the same, and the training rows have weights"
LINEAR = "the models in the leaves have no short description"
NO_TEXT = "splits of several columns have no short description"
LEARNED = "the splits were learned"
FIXED = "if these tests were fixed before the rows were seen"
YES_NO = "yes/no columns are fixed tests, if no value is missing"
COMPRESSED = "thresholds may be learned, levels were known"
CHOSE_NOTHING = "if these rows chose nothing: no split, no pruning, no setting"
MOST_TESTS = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Bound(ShownAsText):
    """An upper limit of the error of new rows: a share, or None where it is refused.

    `guarantee` says whether it holds with probability 1 - delta for a tree like this one, `why`
    what it assumes, or why it is refused.
    """

    name: str
    value: float | None
    guarantee: bool
    why: str

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.name:<28}refused: {self.why}"
        limit = f"<= {self.value:.4f}" if self.value < 1.0 else "says nothing"
        label = "" if self.guarantee else "not a guarantee: "
        return f"{self.name:<28}{limit:<14}{label}{self.why}"


@dataclass(frozen=True, slots=True)
class Bounds(ShownAsText):
    """Limits of a tree's error on new rows, each with confidence 1 - delta on its own.

    `fixed` is there when the number of tests was given, `test` and `test_interval` (two-sided)
    when held-out rows were. `vc_dimension` is None where there is none.
    """

    delta: float
    rows: int
    leaves: int
    training_error: float | None
    compression: Bound
    compression_kl: Bound
    textbook: Bound
    fixed: Bound | None
    vc_dimension: int | None
    vc: Bound
    test: Bound | None
    test_interval: tuple[float, float] | None
    leaf_intervals: LeafIntervals | None
    held_out_leaf_intervals: LeafIntervals | None

    @property
    def all(self) -> tuple[Bound, ...]:
        """The bounds that were asked for, refused ones included."""
        bounds = (self.test, self.compression_kl, self.compression, self.fixed, self.textbook)
        return tuple(bound for bound in (*bounds, self.vc) if bound is not None)

    def __str__(self) -> str:
        told = counted(self.leaves, "leaf", "leaves")
        head = f"{told}, {counted(self.rows, 'training row')}"
        if self.training_error is not None:
            head += f", training error {self.training_error:.4f}"
        lines = [f"{head}; error of new rows with confidence {1.0 - self.delta:.4g}:"]
        lines += [f"  {bound}" for bound in self.all if bound.value is not None]
        lines += [f"  refused: {why} ({names})" for why, names in _refused(self.all).items()]
        intervals = self.held_out_leaf_intervals or self.leaf_intervals
        return "\n".join(lines if intervals is None else [*lines, str(intervals)])


def bounds(
    model: Any,
    X_val: Any = None,
    y_val: Any = None,
    *,
    delta: float = 0.05,
    n_tests: int | None = None,
) -> Bounds:
    """Every bound that can be had for a fitted tree, and the intervals of its leaves.

    `model` is an estimator of one tree, a Tree, or a pipeline or search that ends in one.
    `X_val, y_val` are rows that had no part in making the tree: they give the test-set bound, and
    intervals of the leaves that no selection has biased. `n_tests` is the number of tests that
    were fixed before the rows were seen (a grid of thresholds): it makes the textbook's bound a
    guarantee. Regression trees and weighted rows get refusals with the reason in place of bounds
    on shares of errors.
    """
    _check(delta, n_tests)
    inner, X_val = opened(model, X_val)
    tree = tree_of(inner)
    refusal = _refusal(tree)
    size = None if refusal else size_of(tree)
    test, between, leaves = None, None, None
    if X_val is not None or y_val is not None:
        table, target = held_out(tree, X_val, y_val)
        nodes = route.leaves(tree, table)
        leaves = of_rows(tree, nodes, target.values, delta)
        test, between = _on_rows(tree, nodes, table, target, delta)
    return Bounds(
        delta=delta,
        rows=int(tree.leaf_rows.sum()),
        leaves=tree.n_leaves,
        training_error=None if size is None else size.errors / size.rows,
        compression=_compression(tree, size, refusal, delta, False),
        compression_kl=_compression(tree, size, refusal, delta, True),
        textbook=_textbook(tree, size, refusal, delta),
        fixed=None if n_tests is None else _fixed(size, refusal, delta, n_tests),
        vc_dimension=vc_dimension(tree),
        vc=_vapnik(tree, size, refusal, delta),
        test=test,
        test_interval=between,
        leaf_intervals=None if has_weights(tree) else of_training(tree, delta),
        held_out_leaf_intervals=leaves,
    )


def has_weights(tree: Tree) -> bool:
    """Whether the training rows did not all weigh 1."""
    weight = stats.leaf_weight_units(tree) * tree.weight_unit
    return bool((weight != tree.leaf_rows).any())


def vc_dimension(tree: Tree) -> int | None:
    """The number of leaves, as the textbook states it for two classes; None for other trees.

    That is the dimension of all labellings of these leaves: the splits count as fixed beforehand.
    """
    two = tree.classes is not None and len(tree.classes) <= 2
    return tree.n_leaves if two and tree.linear is None else None


def learned_error(tree: Tree, delta: float = 0.05) -> float | None:
    """The best limit that the training rows guarantee by themselves, None if there is none."""
    refusal = _refusal(tree)
    size = None if refusal else size_of(tree)
    return _compression(tree, size, refusal, delta, True).value


def _check(delta: Any, n_tests: Any) -> None:
    if not is_real(delta) or not 0.0 < as_float(delta) < 1.0:
        raise PlanError(f"delta={shown(delta)} is not possible: use a number between 0 and 1.")
    if n_tests is not None and (not is_whole(n_tests) or not 1 <= n_tests <= MOST_TESTS):
        raise PlanError(
            f"n_tests={shown(n_tests)} is not possible: use the number of tests that were fixed"
            " before the rows were seen, at least 1."
        )


def _refusal(tree: Tree) -> str:
    if tree.classes is None:
        return REGRESSION
    if has_weights(tree):
        return WEIGHTS
    return LINEAR if tree.linear is not None else ""


def _compression(tree: Tree, size: Size | None, refusal: str, delta: float, kl: bool) -> Bound:
    name = "sample compression (kl)" if kl else "sample compression"
    if size is None:
        return Bound(name, None, False, refusal)
    told = generalisation.described(tree)
    if told is None:
        return Bound(name, None, False, NO_TEXT)
    formula = generalisation.compression_kl if kl else generalisation.compression
    return Bound(name, formula(size, told, delta), True, COMPRESSED)


def _textbook(tree: Tree, size: Size | None, refusal: str, delta: float) -> Bound:
    name = "textbook (nodes, columns)"
    if size is None:
        return Bound(name, None, False, refusal)
    fixed = _asks_yes_or_no(tree)
    value = generalisation.textbook(size, delta)
    return Bound(name, value, fixed, YES_NO if fixed else LEARNED)


def _fixed(size: Size | None, refusal: str, delta: float, n_tests: int) -> Bound:
    name = f"textbook, {counted(n_tests, 'test')}"
    if size is None:
        return Bound(name, None, False, refusal)
    return Bound(name, generalisation.textbook(size, delta, n_tests), True, FIXED)


def _vapnik(tree: Tree, size: Size | None, refusal: str, delta: float) -> Bound:
    dimension = vc_dimension(tree)
    if size is None or dimension is None:
        reason = refusal or "the dimension is that of two classes, and the tree has more"
        return Bound("VC dimension", None, False, reason)
    value = generalisation.vapnik(size, dimension, delta)
    return Bound(f"VC dimension {dimension}", value, tree.n_leaves == 1, LEARNED)


def _on_rows(
    tree: Tree, nodes: np.ndarray, table: Table, target: Target, delta: float
) -> tuple[Bound, tuple[float, float] | None]:
    name = f"{counted(len(nodes), 'held-out row')}"
    if tree.classes is None:
        return Bound(name, None, False, REGRESSION), None
    told = answers.predict_codes(tree, nodes, table)
    errors = int(np.count_nonzero(told != target.values))
    limit = error_at_most(errors, len(nodes), delta)
    return Bound(name, limit, True, CHOSE_NOTHING), error_between(errors, len(nodes), delta)


def _asks_yes_or_no(tree: Tree) -> bool:
    """Whether every split is a yes/no column's own question, which no data had to teach."""
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        split = split_of(tree, node)
        if not isinstance(split, Threshold) or asks_missing(split):
            return False
        if tree.schema.columns[split.column].kind != "binary":
            return False
    return True


def _refused(bounds: tuple[Bound, ...]) -> dict[str, str]:
    """The names of refused bounds by their reason."""
    names: dict[str, str] = {}
    for bound in bounds:
        if bound.value is None:
            names[bound.why] = f"{names.get(bound.why, '')}, {bound.name}".removeprefix(", ")
    return names
