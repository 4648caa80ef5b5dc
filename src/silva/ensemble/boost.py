"""AdaBoost: each tree is grown where those before it were wrong.

SAMME (Zhu, Zou, Rosset, Hastie: Multi-class AdaBoost, Statistics and Its Interface 2, 2009), which
for K = 2 classes is the AdaBoost.M1 of Freund and Schapire (1997):

    w[i] = v[i] / mean(v), S = sum(w)                         v: the given weights, or all 1
    for t = 1, ..., T:
        h[t] = a tree grown with the weights w
        e[t] = sum of w[i] / S over the rows with h[t](x[i]) != y[i]
        if e[t] = 0: keep h[t] and stop
        if e[t] >= 1 - 1/K: drop h[t] and stop                no better than chance
        alpha[t] = learning_rate * (log((1 - e[t]) / e[t]) + log(K - 1))
        w[i] = w[i] * exp(-alpha[t])  for the rows with h[t](x[i]) = y[i]
        w[i] = w[i] / (sum(w) / S)
    answer: the class k with the largest sum of alpha[t] over the trees with h[t](x) = k

The paper's weights add up to 1. Here their mean over the rows of positive weight is 1, so that the
first tree of a fit without weights is that of a plain fit, leaves that count (Laplace's rule,
logistic models) see as much weight as there are rows, and a constant factor in v changes nothing:
bit for bit if all v are equal or the factor is a power of two, else to rounding. The paper
multiplies the rows that are wrong by exp(alpha[t]); after the division by the sum that is the same,
but it can overflow. A perfect tree would have an infinite alpha. It gets 1 plus the sum of all
alphas before it, so that it alone decides, as it would then.

All sums are exact and rounded once, and everything else is done row by row: the composition does
not depend on the order of the rows nor on the number of threads.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, NoReturn, Protocol, get_args

import numpy as np

from silva import _core
from silva.data.table import Table, Target
from silva.ensemble.boost_plan import LEAST_RATE, BoostPlan
from silva.ensemble.boosted import Boosted, codes_of, told
from silva.ensemble.growers import Finish
from silva.ensemble.packed import PackedTrees
from silva.ensemble.sampling import tree_seeds
from silva.errors import DataError
from silva.grow.grow import (
    core_data,
    in_all_columns,
    judged,
    rows_with_weight,
    without_empty,
)
from silva.grow.memory import tells_what_growth_takes
from silva.grow.plan import Plan
from silva.messages import counted
from silva.tree.tree import Tree, from_core

Stop = Literal["perfect", "chance", "interrupted"]
STOPS: tuple[Stop, ...] = get_args(Stop)

ROUNDING = 2.0**-40
"""An error this near to chance is chance: the core's weights have 42 bits."""

NOTHING = np.empty(0, dtype=np.int64)

Watch = Callable[[int, float | None], None]
"""Told after each tree: how many there are; the second argument is None."""


@dataclass(frozen=True, eq=False)
class Boosting:
    """A composition and what was learned while it grew.

    errors: the weighted error of each tree, under the weights it was grown with (float64).
    codes: the class code that the composition tells each training row (int64).
    margins: how sure the right answer of each training row is (float64).
    stopped: why there are fewer trees than asked for; None if there are as many.
    """

    boosted: Boosted
    errors: np.ndarray
    codes: np.ndarray
    margins: np.ndarray
    stopped: Stop | None


class Round(NamedTuple):
    """One tree, the class codes it tells the training rows, its error and what its vote counts.

    `stop` says why it is the last one; for "chance" it is not to be kept.
    """

    tree: Tree
    codes: np.ndarray
    error: float
    alpha: float
    stop: Stop | None


class Grower(Protocol):
    """Grows a tree from a weight for each row."""

    def grow(self, weights: np.ndarray, seed: int) -> Tree: ...


def boost(
    table: Table,
    target: Target,
    plan: Plan,
    boost_plan: BoostPlan,
    threads: int = 1,
    *,
    finish: Finish | None = None,
    watch: Watch | None = None,
    keep_interrupted: bool = False,
) -> Boosting:
    """Grow up to `boost_plan.n_estimators` trees of `plan`, each where those before were wrong.

    Fractions of rows in the plan are of all rows of positive weight; tree t draws with the t-th
    seed. With `keep_interrupted`, Ctrl-C ends growth with the trees that there are.

    Raises DataError if the first tree is no better than chance.
    """
    grower = CoreGrower(table, target, plan, threads, finish)
    return boosted_by(grower, grower.table, target, boost_plan, threads, watch, keep_interrupted)


def boosted_by(
    grower: Grower,
    table: Table,
    target: Target,
    plan: BoostPlan,
    threads: int = 1,
    watch: Watch | None = None,
    keep_interrupted: bool = False,
) -> Boosting:
    """The composition of all rounds, whoever grows the trees."""
    assert target.classes is not None
    kept: list[Round] = []
    stopped: Stop | None = None
    try:
        for one in rounds(grower, table, target, plan, threads):
            stopped = one.stop
            if stopped == "chance":
                break
            kept.append(one._replace(codes=NOTHING))
            if watch is not None:
                watch(len(kept), None)
    except KeyboardInterrupt:
        if not (keep_interrupted and kept):
            raise
        stopped = "interrupted"
    if not kept:
        _refuse_chance(one.error, len(target.classes))
    alphas = _frozen([one.alpha for one in kept])
    composed = Boosted(PackedTrees.of(one.tree for one in kept), alphas)
    errors = _frozen([one.error for one in kept])
    codes, margins = told(composed, table, target.values, threads)
    return Boosting(composed, errors, codes, margins, stopped)


def rounds(
    grower: Grower, table: Table, target: Target, plan: BoostPlan, threads: int = 1
) -> Iterator[Round]:
    """The loop of the pseudo-code; the last round may be one to drop."""
    assert target.classes is not None
    n_classes = len(target.classes)
    weights = first_weights(target)
    total = _core.exact_sum(weights)
    before = 0.0
    for seed in tree_seeds(plan.seed, 0, plan.n_estimators):
        tree = grower.grow(weights, seed)
        codes = codes_of(tree, table, threads)
        wrong = codes != target.values
        error = _core.exact_sum(weights[wrong]) / total
        stop = reason_to_stop(error, n_classes)
        alpha = 1.0 + before if stop else plan.learning_rate * vote_of(error, n_classes)
        yield Round(tree, codes, error, alpha, stop)
        if stop:
            return
        before += alpha
        weights = reweighted(weights, wrong, alpha, total)


def first_weights(target: Target) -> np.ndarray:
    """The given weights divided by the mean of those above 0, or all 1."""
    if target.weights is None:
        return np.ones(len(target.values))
    weights, used = target.weights, target.weights > 0.0
    largest = weights.max()
    if weights[used].min() == largest:
        return used.astype(np.float64)
    if not LEAST_RATE <= largest <= 1.0 / LEAST_RATE:
        _, exponent = np.frexp(largest)
        weights = np.ldexp(weights, -exponent)
    return np.asarray(weights / (_core.exact_sum(weights) / np.count_nonzero(used)))


def reason_to_stop(error: float, n_classes: int) -> Stop | None:
    if error == 0.0:
        return "perfect"
    return "chance" if error >= 1.0 - 1.0 / n_classes - ROUNDING else None


def vote_of(error: float, n_classes: int) -> float:
    """What the vote of a tree with this error counts at learning rate 1."""
    return math.log((1.0 - error) / error) + math.log(n_classes - 1)


def reweighted(weights: np.ndarray, wrong: np.ndarray, alpha: float, total: float) -> np.ndarray:
    """Rows that were answered rightly lose weight, all others gain it; the sum is `total` again."""
    updated = np.where(wrong, weights, weights * math.exp(-alpha))
    return np.asarray(updated / (_core.exact_sum(updated) / total))


class CoreGrower:
    """Grows trees in the core, which sorts the columns once for all of them."""

    def __init__(
        self, table: Table, target: Target, plan: Plan, threads: int, finish: Finish | None
    ) -> None:
        self.table = judged(table, target, plan)
        self._target, self._criterion = target, plan.criterion
        self._threads, self._finish = threads, finish
        searched, self._columns = without_empty(self.table, plan)
        settings = plan.resolved(rows_with_weight(target), searched.schema)
        del settings["seed"]
        self._core = _core.WeightedGrower(*core_data(searched, target), **settings)

    def grow(self, weights: np.ndarray, seed: int) -> Tree:
        with tells_what_growth_takes(self.table, self._threads):
            arrays = self._core.grow(weights, seed, self._threads)
        in_all_columns(arrays, self._columns)
        target = self._target
        facts = (self.table.schema, target.task, target.classes, self._criterion)
        tree = from_core(*facts, arrays)
        if self._finish is None:
            return tree
        return self._finish(tree, self.table, replace(target, weights=weights), seed)


def _frozen(values: Sequence[float]) -> np.ndarray:
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def _refuse_chance(error: float, n_classes: int) -> NoReturn:
    raise DataError(
        f"the first tree is wrong on {error:.1%} of the weight, no better than chance among"
        f" {counted(n_classes, 'class', 'classes')}: there is nothing to boost. Give columns that"
        " tell the classes apart, or a larger tree, such as estimator=silva.TreeClassifier("
        "max_depth=3)."
    )
