"""What a forest answers, by its combiner; the sums over the trees are those of `engine`."""

import numpy as np

from silva.ensemble import engine
from silva.ensemble.engine import Rows
from silva.ensemble.forest import Forest


def shares(forest: Forest, rows: Rows, threads: int = 1) -> np.ndarray:
    """The probability of each class: float64 (rows, classes)."""
    if forest.combiner == "soft":
        return engine.soft(forest.trees, rows, threads)
    return np.asarray(engine.hard(forest.trees, rows, threads) / len(forest))


def codes(forest: Forest, rows: Rows, threads: int = 1) -> np.ndarray:
    """The class code of each row (int64): the likeliest, the first of equals."""
    ask = engine.soft if forest.combiner == "soft" else engine.hard
    assert forest.trees.classes is not None
    parts = engine.blocks(rows, len(forest.trees.classes))
    found = [ask(forest.trees, part, threads).argmax(axis=1) for part in parts]
    return np.asarray(found[0]) if len(found) == 1 else np.concatenate(found)


def values(forest: Forest, rows: Rows, threads: int = 1) -> np.ndarray:
    """The number of each row (float64)."""
    return engine.mean(forest.trees, rows, threads)


def leaves(forest: Forest, rows: Rows, threads: int = 1) -> np.ndarray:
    """The node in which each row ends in each tree: int32 (rows, trees)."""
    return engine.leaves(forest.trees, rows, threads)
