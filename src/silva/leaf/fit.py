"""What the leaves of a grown tree answer: the choice of the user becomes part of the tree."""

from typing import assert_never

from silva.data.table import Table, Target
from silva.leaf.choice import Leaf, LinearLeaf, MEstimate, checked
from silva.leaf.logistic import fit_logistic
from silva.leaf.ridge import fit_ridge
from silva.tree.linear import LinearLeaves, Smoothing
from silva.tree.tree import Tree, altered


def fit_leaves(tree: Tree, table: Table, target: Target, leaf: Leaf, threads: int = 1) -> Tree:
    """The tree with the answers that `leaf` asks for; the table and target are those it grew from.

    Structure and statistics stay as they are. The result does not depend on `threads`. Raises
    PlanError for leaves that the tree's task does not have.
    """
    match checked(leaf, tree.task):
        case "laplace":
            n_classes = 0 if tree.classes is None else len(tree.classes)
            return altered(tree, smoothing=Smoothing(float(n_classes), "uniform"), linear=None)
        case str():
            return altered(tree, smoothing=None, linear=None)
        case MEstimate(m):
            return altered(tree, smoothing=Smoothing(float(m), "root"), linear=None)
        case LinearLeaf() as choice:
            linear = _fit_linear(tree, table, target, choice, threads)
            return altered(tree, smoothing=None, linear=linear)
        case other:
            assert_never(other)


def _fit_linear(
    tree: Tree, table: Table, target: Target, leaf: LinearLeaf, threads: int
) -> LinearLeaves:
    fit = fit_ridge if tree.task == "regression" else fit_logistic
    return fit(tree, table, target, leaf, threads)
