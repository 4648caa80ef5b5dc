"""The forest: many frozen trees and the rule by which their answers become one."""

from dataclasses import dataclass

import numpy as np

from silva.data.schema import Schema
from silva.data.table import Task
from silva.ensemble.packed import PackedTrees


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

    def __repr__(self) -> str:
        return f"Forest({self.task}, {self.combiner}, trees={len(self.trees)})"
