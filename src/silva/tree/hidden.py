"""Nodes whose numbers are not told, because few rows are behind them."""

from dataclasses import dataclass

import numpy as np

from silva.tree.tree import Tree

HIDDEN_ROWS = "rows not shown"


@dataclass(frozen=True, eq=False)
class Hidden:
    """Two flags a node: `rows` hides rows and weight, `shares` class shares, moments and intervals.

    Nodes with hidden rows have hidden shares too. What leaves predict is the model itself and is
    never hidden.
    """

    rows: np.ndarray
    shares: np.ndarray

    @property
    def any(self) -> bool:
        return bool(self.shares.any())


def nothing_hidden(tree: Tree) -> Hidden:
    """All numbers are told."""
    none = np.zeros(tree.n_nodes, dtype=bool)
    return Hidden(none, none)
