"""How much each column matters to a model, with the spread of that figure: one record."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from silva.data.table import Task
from silva.inspect.importance import impurity_importance
from silva.messages import counted
from silva.notebook import ShownAsText
from silva.tree.tree import Tree

MOST_SHOWN = 30
MEANING = {
    "impurity": "share of the gain on training rows",
    "corrected": "share of the gain on training rows beyond that of permuted copies",
    "permutation": "added {loss} on {rows} rows when the column is shuffled",
    "drop_column": "added {loss} on {rows} rows when the model is grown without the column",
}
LOSS: dict[Task, str] = {"classification": "error rate", "regression": "squared error"}


@dataclass(frozen=True, eq=False)
class Importance(ShownAsText):
    """One figure a column: the mean of `each` over its rows, `spread` their standard deviation.

    `each` has one row a tree or one a repeat, as `over` says; with one alone the spread is NaN.
    `rows` says on which rows a loss was measured: "out-of-bag", "held-out", or "" for gains.
    """

    kind: str
    task: Task
    names: tuple[str, ...]
    each: np.ndarray
    over: str
    rows: str = ""

    @property
    def values(self) -> np.ndarray:
        """The importance of each column (float64)."""
        return np.asarray(self.each.mean(axis=0))

    @property
    def spread(self) -> np.ndarray:
        """The standard deviation over trees or repeats (float64)."""
        if len(self.each) < 2:
            return np.full(len(self.names), np.nan)
        return np.asarray(self.each.std(axis=0, ddof=1))

    @property
    def order(self) -> np.ndarray:
        """The columns, the most important first; of equals the first."""
        return np.argsort(-self.values, kind="stable")

    @property
    def meaning(self) -> str:
        """What a figure says, in words."""
        return MEANING[self.kind].format(loss=LOSS[self.task], rows=self.rows)

    def __str__(self) -> str:
        shown = self.order[:MOST_SHOWN]
        width = max(6, *(len(self.names[one]) for one in shown))
        noun = self.over.removesuffix("s")
        lines = [
            f"importance ({self.kind}): {self.meaning}; over {counted(len(self.each), noun)}",
            f"  {'column':<{width}}{'value':>12}{'spread':>12}",
        ]
        values, spread = self.values, self.spread
        lines += [
            f"  {self.names[one]:<{width}}{values[one]:>12.4g}{spread[one]:>12.4g}" for one in shown
        ]
        hidden = len(self.names) - len(shown)
        return "\n".join([*lines, f"  {counted(hidden, 'column')} not shown"] if hidden else lines)


def of_trees(trees: Sequence[Tree]) -> Importance:
    """Plain impurity importance: it is biased towards columns with many distinct values.

    Trees whose splits brought no gain say nothing and are left out, unless all are so.
    """
    first, each = trees[0], shares_of_gain(trees)
    told = each.any(axis=1)
    each = each[told] if told.any() else each[:1]
    return Importance("impurity", first.task, first.schema.names, each, over="trees")


def shares_of_gain(trees: Iterable[Tree]) -> np.ndarray:
    """Each column's share of the gain in each tree (zeros without gain): (trees, columns)."""
    return np.stack([impurity_importance(tree) for tree in trees])
