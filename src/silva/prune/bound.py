"""Pruning by a bound on the error of new rows: errors made plus the price of describing the tree.

docs/pruning.md derives the bounds and states when they are guarantees.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from silva.checks import Settings, as_float, check_choice, check_flag, is_real, refuse, whole
from silva.errors import PlanError
from silva.prune.bottom_up import rows_for_raising
from silva.prune.costs import training_costs
from silva.prune.description import BIT, leaf_bits, split_lengths
from silva.prune.evidence import Evidence, LooksAtValidation
from silva.prune.generic import Figures, Walk, plain, walked
from silva.prune.kl import kl_at_most
from silva.prune.record import Pruned
from silva.tree import stats
from silva.tree.tree import Tree

Form = Literal["compression", "fixed", "textbook"]

MEASURES: dict[str, str] = {
    "compression": "bound on the error (sample compression)",
    "fixed": "bound on the error (tests fixed beforehand)",
    "textbook": "textbook bound on the error (no guarantee where tests were learned)",
}


@dataclass(frozen=True, slots=True)
class GeneralisationBound(Settings):
    """At each node, from the leaves up, the tree of the least bound: leaf, child's subtree, keep.

    With probability 1 - `delta` over the training rows, new rows are answered wrongly no more often
    than the bound says. It is the share of wrong answers in training plus
    sqrt((length + ln(2 / delta)) / (2 rows)) with the length of a description of the tree:

    "fixed": (nodes + 1) * log2(tests + classes + 1), for `n_tests` tests that were fixed before
    the rows were seen. "textbook": the same with the number of columns for the tests; where
    thresholds or sets were learned from the rows, that is no guarantee. "compression": splits are
    named by training rows (see `prune.description`), errors are a share of the rows not named;
    a guarantee for learned thresholds and sets of categories.

    Refused for regression and for weighted rows.
    """

    delta: float = 0.05
    form: Form = "compression"
    n_tests: int | None = None
    raising: bool = True

    looks_at_validation: ClassVar[LooksAtValidation] = "never"

    def __post_init__(self) -> None:
        check_flag("raising", self.raising)
        if not is_real(self.delta) or not 0.0 < as_float(self.delta) < 1.0:
            refuse("delta", self.delta, "use a number above 0 and below 1")
        object.__setattr__(self, "delta", float(self.delta))
        check_choice("form", self.form, get_args(Form))
        if (self.form == "fixed") != (self.n_tests is not None):
            hint = "say n_tests=, the number of tests that were fixed before the rows were seen"
            refuse("n_tests", self.n_tests, "form='fixed' needs it, no other form takes it", hint)
        if self.n_tests is not None:
            object.__setattr__(self, "n_tests", whole("n_tests", self.n_tests, 1))

    def __call__(self, tree: Tree, evidence: Evidence) -> Pruned:
        self._check_tree(tree)
        rows = rows_for_raising(tree, evidence, "GeneralisationBound", self.raising)
        lengths, named = self._lengths(tree)
        costs = training_costs(tree)
        walk = Walk(tree, costs, rows, plain, lengths, named, evidence.threads)

        def judge(trials: list[Figures], _: object) -> list[float]:
            return [self._value(tree, one) for one in trials]

        return walked(self, tree, walk, judge, MEASURES[self.form])

    def value(self, tree: Tree) -> float:
        """The bound of a tree as it is."""
        self._check_tree(tree)
        lengths, named = self._lengths(tree)
        errors = sum(np.array(training_costs(tree).leaf)[tree.is_leaf].tolist())
        figures = Figures(errors, tree.n_leaves, tree.n_nodes, 0, sum(lengths), sum(named))
        return self._value(tree, figures)

    def _value(self, tree: Tree, figures: Figures) -> float:
        n_rows, n_classes = int(tree.leaf_rows.sum()), _n_classes(tree)
        errors = round(figures.cost * tree.weight_unit)
        if self.form == "compression":
            length = (figures.bits + figures.leaves * leaf_bits(n_classes)) / BIT
            return compression_bound(errors, n_rows, length, figures.named, self.delta)
        n_tests = len(tree.schema) if self.n_tests is None else self.n_tests
        length = (figures.nodes + 1) * math.log2(n_tests + n_classes + 1)
        return occam_bound(errors, n_rows, length, self.delta)

    def _lengths(self, tree: Tree) -> tuple[list[int], list[int]]:
        if self.form == "compression":
            return split_lengths(tree)
        return [0] * tree.n_nodes, [0] * tree.n_nodes

    def _check_tree(self, tree: Tree) -> None:
        if tree.task != "classification":
            raise PlanError(
                "GeneralisationBound bounds how often answers are wrong; numbers are not right or"
                " wrong, and their squared error has no upper end. Use CostComplexity,"
                " ReducedError or MinimumError for regression trees."
            )
        if (stats.leaf_weight_units(tree) * tree.weight_unit != tree.leaf_rows).any():
            raise PlanError(
                "GeneralisationBound counts rows that were drawn independently; rows with weights"
                " (sample_weight, class_weight) are not such a count. Grow without weights, or use"
                " another pruner."
            )


def occam_bound(errors: int, n_rows: int, length: float, delta: float) -> float:
    """The textbook's bound for a description of `length` bits, fixed before the rows were seen."""
    return errors / n_rows + math.sqrt((length + math.log(2.0 / delta)) / (2.0 * n_rows))


def compression_bound(errors: int, n_rows: int, length: float, n_named: int, delta: float) -> float:
    """The bound for a tree described by `length` bits and the numbers of `n_named` rows.

    Infinite where no rows are left to count errors on.
    """
    others = n_rows - n_named
    if others <= 0:
        return math.inf
    nats = compression_nats(n_rows, length, n_named, delta)
    return errors / others + math.sqrt(nats / (2.0 * others))


def compression_kl_bound(
    errors: int, n_rows: int, length: float, n_named: int, delta: float
) -> float:
    """The same by Chernoff's inequality, never larger; 1 where no row is left that was right.

    The largest p with kl(errors / others, p) <= nats / others.
    """
    others = n_rows - n_named
    if others <= errors:
        return 1.0
    nats = compression_nats(n_rows, length, n_named, delta)
    return float(kl_at_most(errors / others, nats / others))


def compression_nats(n_rows: int, length: float, n_named: int, delta: float) -> float:
    """What a description of `length` bits and `n_named` rows costs in the exponent."""
    return (length + n_named * math.log2(n_rows)) * math.log(2.0) + math.log(1.0 / delta)


def _n_classes(tree: Tree) -> int:
    return 0 if tree.classes is None else len(tree.classes)
