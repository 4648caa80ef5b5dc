"""The forest: many frozen trees and the rule by which their answers become one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from silva.data.schema import Schema
from silva.data.table import Task
from silva.tree.tree import Tree

COMBINERS: dict[Task, tuple[str, ...]] = {
    "classification": ("soft", "hard"),
    "regression": ("mean",),
}


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees of one schema, task and list of classes, and a combiner.

    `soft` is the mean of the trees' class probabilities, `hard` the share of the trees whose
    likeliest class it is, `mean` the mean of the trees' numbers.
    """

    trees: Sequence[Tree]
    combiner: str

    @property
    def task(self) -> Task:
        return self.trees[0].task

    @property
    def schema(self) -> Schema:
        return self.trees[0].schema

    @property
    def classes(self) -> np.ndarray | None:
        return self.trees[0].classes

    def __len__(self) -> int:
        return len(self.trees)

    def __repr__(self) -> str:
        return f"Forest({self.task}, {self.combiner}, trees={len(self.trees)})"
