"""The forest: many frozen trees and the rule by which their answers become one."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.data.schema import Schema
from silva.data.table import Task
from silva.ensemble.packed import PackedTrees
from silva.ensemble.plan import COMBINERS
from silva.errors import ModelFormatError


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees of one schema, task and list of classes, and a combiner.

    `soft` is the mean of the trees' class probabilities, `hard` the share of the trees whose
    likeliest class it is, `mean` the mean of the trees' numbers.
    """

    trees: PackedTrees
    combiner: str

    @property
    def task(self) -> Task:
        return self.trees.task

    @property
    def schema(self) -> Schema:
        return self.trees.schema

    @property
    def classes(self) -> np.ndarray | None:
        return self.trees.classes

    def __len__(self) -> int:
        return len(self.trees)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the fields out of a pickle; raises ModelFormatError."""
        vars(self).update(state)
        check_forest(self)

    def __repr__(self) -> str:
        return f"Forest({self.task}, {self.combiner}, trees={len(self.trees)})"


def check_forest(forest: Forest) -> Forest:
    """Return the forest, or raise ModelFormatError where trees and combiner do not fit."""
    trees, combiner = vars(forest).get("trees"), vars(forest).get("combiner")
    if not isinstance(trees, PackedTrees) or not len(trees):
        raise ModelFormatError(f"forest.trees: must be packed trees, is {type(trees).__name__}")
    if not isinstance(combiner, str) or combiner not in COMBINERS[trees.task]:
        raise ModelFormatError(f"forest.combiner: {combiner!r:.80} is not for these trees")
    return forest
