"""What the pruning study compares: the full tree, every pruner of silva, the peers.

A method takes the rows of an outer fold and returns its answers to the rows held out, with its
number of leaves. Pruners that need validation rows get a fifth of the training rows, and their
leaves are stated anew from all of them.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.prune_peers import sklearn_cv, ydf_cart
from benchmarks.prune_sets import Part
from silva.prune.accuracy_threshold import AccuracyThreshold
from silva.prune.auto import Auto
from silva.prune.bound import GeneralisationBound
from silva.prune.cost_complexity import CostComplexity
from silva.prune.costs import validation_costs
from silva.prune.critical_value import CriticalValue
from silva.prune.cross_validation import folds, take
from silva.prune.evidence import Rows
from silva.prune.minimum_error import MinimumError
from silva.prune.optimal import MaxLeaves
from silva.prune.pessimistic import Pessimistic
from silva.prune.reduced_error import ReducedError
from silva.tree.restat import restated

Answer = tuple[np.ndarray, int]
Method = Callable[[Part], Answer]
VALIDATION_PARTS = 5
CRITICAL_SHARE = 0.01
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
SIZE_FOLDS = 5


def full_tree(part: Part) -> Answer:
    return answered(part, part.full)


def answered(part: Part, tree: Any) -> Answer:
    return part.answers(tree), tree.n_leaves


def pruned(pruner: Any) -> Method:
    """A pruner that looks at the training rows."""
    return lambda part: answered(part, pruner(part.full, part.evidence).tree)


def held_out(pruner: Any) -> Method:
    """A pruner that looks at validation rows: an internal fifth, dealt out evenly by class."""

    def method(part: Part) -> Answer:
        known = part.evidence
        kept_back = folds(known.target, VALIDATION_PARTS, seed=0) == 0
        rows = Rows(known.table, known.target)
        judged = take(rows, np.flatnonzero(kept_back))
        evidence = replace(
            known, validation_table=judged.table, validation_target=judged.target, grow=None
        )
        smaller = pruner(known.grow(np.flatnonzero(~kept_back)), evidence).tree
        return answered(part, restated(smaller, known.table, known.target))

    return method


def critical_value(part: Part) -> Answer:
    """A gain of one hundredth: of Gini, or of the variance of the target."""
    scale = float(np.var(part.y)) if part.task == "regression" else 1.0
    return pruned(CriticalValue(CRITICAL_SHARE * scale))(part)


def best_size(part: Part) -> Answer:
    """Optimal pruning to the size, among some, of least cross-validated error."""
    known = part.evidence
    rows, fold = Rows(known.table, known.target), folds(known.target, SIZE_FOLDS, seed=0)
    lost = np.zeros(len(SIZES))
    for number in range(SIZE_FOLDS):
        tree = known.grow(np.flatnonzero(fold != number))
        judged = take(rows, np.flatnonzero(fold == number))
        trees = (MaxLeaves(size)(tree, known).tree for size in SIZES)
        lost += [validation_error(one, judged) for one in trees]
    return pruned(MaxLeaves(SIZES[int(np.argmin(lost))]))(part)


def validation_error(tree: Any, rows: Rows) -> float:
    costs = validation_costs(tree, rows)
    return costs.error(costs.of_tree(tree)[0])


METHODS: dict[str, Method] = {
    "full tree": full_tree,
    "reduced error": held_out(ReducedError()),
    "reduced error, bottom up": held_out(ReducedError(order="bottom_up")),
    "accuracy threshold 0": pruned(AccuracyThreshold()),
    "accuracy threshold, validation": held_out(AccuracyThreshold(on="validation")),
    "critical value 0.01": critical_value,
    "minimum error, m = 2": pruned(MinimumError(2.0)),
    "minimum error, m = 10": pruned(MinimumError(10.0)),
    "pessimistic 0.25": pruned(Pessimistic()),
    "generalisation bound": pruned(GeneralisationBound()),
    "cost-complexity, 1 SE": pruned(CostComplexity()),
    "cost-complexity, min": pruned(CostComplexity(rule="min")),
    "error complexity, 1 SE": pruned(CostComplexity(risk="error")),
    "error complexity, min": pruned(CostComplexity(risk="error", rule="min")),
    "max leaves by CV": best_size,
    "auto": pruned(Auto()),
    "scikit-learn, CV": sklearn_cv,
    "YDF CART": ydf_cart,
}

FOR_CLASSES = ("generalisation bound", "error complexity, 1 SE", "error complexity, min")
"""For numbers the bound is refused, and error complexity is cost-complexity itself."""


def methods_for(task: str) -> dict[str, Method]:
    is_numbers = task == "regression"
    return {name: one for name, one in METHODS.items() if not (is_numbers and name in FOR_CLASSES)}
