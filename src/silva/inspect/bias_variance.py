"""What a tree's error is made of at each depth: a bias that stays, a variance between samples.

Each row is answered by the trees that were not grown from it. With c such trees, answers f, their
mean g and the truth y, the mean of (y - f)^2 is (y - g)^2 + var, the variance around g. From c
trees var is too small by (c - 1) / c, and (y - g)^2 too large by the same amount, which is set
right; the sum stays what it is. Classes count as vectors of shares.

The trees share most of their rows, so the variance is that between such samples, less than between
independent ones; the bias includes the noise of the target, which nothing here can tell apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from silva.data.table import Table, Target, Task
from silva.inspect.subsamples import Sample, told_by, truths, vectors
from silva.notebook import ShownAsText
from silva.tree import stats
from silva.tree.tree import Tree

MOST_DEPTHS = 12


@dataclass(frozen=True, eq=False)
class BiasVariance(ShownAsText):
    """One entry a depth, the last one for the whole trees: trees cut off there, not grown again.

    `leaves` is the mean number, `error` the share of wrong answers (or the mean squared error),
    `squared` the mean squared distance from the truth: `bias` plus `variance`. `rows` counts the
    rows that at least two trees were not grown from: only these are measured.
    """

    task: Task
    rows: int
    depths: np.ndarray
    leaves: np.ndarray
    error: np.ndarray
    squared: np.ndarray
    bias: np.ndarray
    variance: np.ndarray

    def __str__(self) -> str:
        is_class = self.task == "classification"
        names = ["depth", "leaves", *(["error"] if is_class else []), "squared", "bias", "variance"]
        lines = ["".join(f"{name:>11}" for name in names)]
        curves = [self.squared, self.bias, self.variance]
        for place in range(len(self.depths)):
            figures = [curve[place] for curve in ([self.error] if is_class else []) + curves]
            cells = [f"{self.depths[place]}", f"{self.leaves[place]:.1f}"]
            cells += [f"{figure:.4g}" for figure in figures]
            lines.append("".join(f"{cell:>11}" for cell in cells))
        return "\n".join(lines)


def by_depth(samples: Sequence[Sample], table: Table, target: Target) -> BiasVariance | None:
    """The table, None for linear leaves (they cannot be cut off) or without rows to measure."""
    measured = np.sum([~sample.kept for sample in samples], axis=0) >= 2
    if samples[0].tree.linear is not None or not measured.any():
        return None
    deepest = max(int(stats.depth(sample.tree).max()) for sample in samples)
    depths = np.array([*range(min(deepest, MOST_DEPTHS)), deepest])
    figures = np.array([_at_depth(samples, table, target, measured, depth) for depth in depths])
    leaves = [np.mean([n_leaves_at(sample.tree, depth) for sample in samples]) for depth in depths]
    squared, bias, variance, error = figures.T
    rows = int(np.count_nonzero(measured))
    return BiasVariance(target.task, rows, depths, np.array(leaves), error, squared, bias, variance)


def n_leaves_at(tree: Tree, depth: int) -> int:
    """How many leaves the tree has when it is cut off at this depth."""
    level = stats.depth(tree)
    return int(np.count_nonzero((level == depth) | (tree.is_leaf & (level < depth))))


def ancestors_at(tree: Tree, nodes: np.ndarray, depth: int) -> np.ndarray:
    """The nodes where rows of `nodes` end when the tree is cut off at this depth."""
    parent, level = stats.parent(tree), stats.depth(tree)
    while (level[nodes] > depth).any():
        nodes = np.where(level[nodes] > depth, parent[nodes], nodes)
    return nodes


def _at_depth(
    samples: Sequence[Sample], table: Table, target: Target, measured: np.ndarray, depth: int
) -> tuple[float, float, float, float]:
    center = 0.0 if target.classes is not None else float(target.values.mean())
    truth = truths(target, center)
    total, squares = np.zeros_like(truth), np.zeros(len(truth))
    count, lost = np.zeros(len(truth)), np.zeros(len(truth))
    for sample in samples:
        left = np.flatnonzero(~sample.kept)
        nodes = ancestors_at(sample.tree, sample.ends[left], depth)
        answer = vectors(sample.tree, nodes, table, center)
        total[left] += answer
        squares[left] += np.square(answer - truth[left]).sum(axis=1)
        if target.classes is not None:
            lost[left] += told_by(sample.tree, nodes, table) != target.values[left]
        count[left] += 1.0
    c = count[measured]
    whole = squares[measured] / c
    apart = np.square(total[measured] / c[:, None] - truth[measured]).sum(axis=1)
    around = np.maximum(whole - apart, 0.0) * c / (c - 1.0)
    error = lost[measured] / c if target.classes is not None else whole
    parts = (whole, whole - around, around, error)
    squared, bias, variance, wrong = (float(part.mean()) for part in parts)
    return squared, bias, variance, wrong
