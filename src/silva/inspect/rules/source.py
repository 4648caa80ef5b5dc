"""Where rules come from: the places of a tree where rows can end."""

from typing import Any

import numpy as np

from silva.inspect.rules.conditions import Condition, Regions, ends
from silva.inspect.rules.evidence import Figures, of_training
from silva.inspect.rules.formulas import formula_of
from silva.tree import decision, stats
from silva.tree.lazy import lazy
from silva.tree.numerals import Short
from silva.tree.short_numbers import short_numbers
from silva.tree.tree import Tree


class Ends:
    """The nodes of a tree at which rows can end, ascending: leaves, and nodes that stop rows."""

    def __init__(self, tree: Tree, facts: Any = None) -> None:
        self.tree, self._facts = tree, facts
        self._regions = Regions(tree)

    @lazy
    def nodes(self) -> np.ndarray:
        return np.array(ends(self.tree), dtype=np.int64)

    def conditions(self, node: int) -> tuple[Condition, ...]:
        return self._regions.of_end(node)

    def stops(self, node: int) -> bool:
        return not self.tree.is_leaf[node]

    @lazy
    def codes(self) -> np.ndarray | None:
        """The class code that each end predicts; None for regression and for linear leaves."""
        if self.tree.classes is None:
            return None
        return decision.node_codes(self.tree, self.nodes)

    @lazy
    def short(self) -> Short:
        """The tree's numbers in few digits."""
        return short_numbers(self.tree, self._facts)

    @lazy
    def training(self) -> Figures:
        return of_training(self.tree, self.nodes)

    def prediction(self, place: int) -> Any:
        """The prediction of the end at this place among `nodes`."""
        tree, node = self.tree, int(self.nodes[place])
        if tree.linear is not None and tree.is_leaf[node]:
            return formula_of(tree, int(stats.leaf_number(tree)[node]))
        if tree.classes is None:
            return float(stats.node_mean(tree, self.nodes[place : place + 1])[0])
        assert self.codes is not None
        return self._labels[self.codes[place]]

    @lazy
    def _labels(self) -> list[Any]:
        return [] if self.tree.classes is None else self.tree.classes.tolist()
