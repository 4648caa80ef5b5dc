"""The draws of a forest, made again: which training rows each tree saw, and which it did not."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from silva.data.large import mean_of
from silva.data.table import Table, Target
from silva.ensemble import growers, oob, sampling
from silva.ensemble.forest import Forest
from silva.ensemble.oob import Oob
from silva.errors import DataError, PlanError
from silva.leaf import distribution
from silva.tree import route, stats
from silva.tree.tree import Tree

OTHER_ROWS = (
    "these are not the rows that the forest was grown from: {seen}. Give the X, y and"
    " sample_weight of fit, in the same order (and leave bootstrap and max_samples as they were)."
)


@dataclass(frozen=True, eq=False)
class Bags:
    """A forest, the rows it was grown from, and how often each tree saw each of them.

    No draw is stored: it is a hash of the tree's seed. `is_told` is False where only the weights of
    the target are known. `balanced`: each tree weighted the classes of its draws to equal totals.
    """

    forest: Forest
    table: Table
    target: Target
    seeds: list[int]
    n_samples: int
    sampling: str
    threads: int = 1
    is_told: bool = True
    balanced: bool = False

    @property
    def weights(self) -> np.ndarray | None:
        return self.target.weights

    def counts(self, number: int) -> np.ndarray:
        """How often tree `number` saw each row (uint32)."""
        seed = self.seeds[number]
        return sampling.row_counts(seed, self.target, self.n_samples, self.sampling)

    def left_out(self, number: int) -> np.ndarray:
        """The rows of positive weight that tree `number` did not see."""
        unseen = self.counts(number) == 0
        if self.weights is not None:
            unseen &= self.weights > 0
        return np.flatnonzero(unseen)

    def __iter__(self) -> Iterator[tuple[Tree, np.ndarray]]:
        """Every tree with the counts of its rows."""
        for number, tree in enumerate(self.forest.trees):
            yield tree, self.counts(number)


def checked(bags: Bags) -> Bags:
    """The bags, if the rows can be those of training; judged by the trees' own statistics."""
    trees = bags.forest.trees
    for number in range(len(trees)):
        counts = bags.counts(number)
        drawn, known = int(np.count_nonzero(counts)), int(trees.leaf_rows(number).sum())
        if drawn != known:
            seen = f"tree {number} was grown from {known} different rows, here it is {drawn}"
            raise DataError(OTHER_ROWS.format(seen=seen))
        if number == 0:
            first = trees[0]
            _check_ends(bags, first, counts)
            if bags.is_told:
                _check_targets(bags, first, counts)
    return bags


def refuse_without_out_of_bag(bags: Bags, what: str) -> None:
    """Raise PlanError for a forest whose trees all saw every row."""
    if bags.sampling == "all":
        raise PlanError(
            f"{what} is not possible: bootstrap=False leaves no row out of any tree. Fit with"
            " bootstrap=True or 'subsample'."
        )


def out_of_bag(bags: Bags) -> Oob:
    """The out-of-bag sums of a forest, as growth would have made them."""
    total = oob.nothing(bags.target)
    for tree, counts in bags:
        total += oob.of_tree(tree, bags.table, counts, bags.forest.combiner, bags.threads)
    return total


def _check_ends(bags: Bags, tree: Tree, counts: np.ndarray) -> None:
    """The rows of a tree end in its leaves as often as growth counted."""
    part = bags.table.take(np.flatnonzero(counts))
    ends = np.bincount(route.leaves(tree, part, bags.threads), minlength=tree.n_nodes)
    stops = ends[~tree.is_leaf].any()
    if not stops and not np.array_equal(ends[tree.is_leaf], tree.leaf_rows):
        raise DataError(OTHER_ROWS.format(seen="they end in other leaves"))


def _check_targets(bags: Bags, tree: Tree, counts: np.ndarray) -> None:
    target = growers.weighted(bags.target, counts)
    weights = (growers.balanced(target) if bags.balanced else target).weights
    if tree.classes is None:
        told = np.array([mean_of(target.values, weights)])
        known = stats.node_mean(tree, np.array([0]))
    else:
        told = np.bincount(target.values, weights, minlength=len(tree.classes))
        known = distribution.class_weights(tree)
        told, known = told / told.sum(), known / known.sum()
    scale = float(np.abs(target.values).max(initial=1.0))
    if not np.allclose(told / scale, known / scale, rtol=1e-6, atol=1e-6):
        raise DataError(OTHER_ROWS.format(seen="the targets of the first tree are others"))
