"""The 0/1 columns of the penalty cases, rebuilt from the original tables.

The published table (Branches, ICML 2025) names its encodings by an ending. Every one makes a column
of each level of each categorical column, the levels in sorted order:

- no ending: of every level, so two-valued columns become two complementary ones;
- `-f`: of every level but the first;
- `-l`: of every level but the last.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Encoding:
    """The file of the original table, the level left out of every column, and how many leading
    columns are no features."""

    file: str
    left_out: int | None = None
    skipped: int = 0


FIRST, LAST = 0, -1

ENCODED = {
    "monk1": Encoding("monks1_train"),
    "monk1-f": Encoding("monks1_train", FIRST),
    "monk1-l": Encoding("monks1_train", LAST),
    "monk2": Encoding("monks2_train"),
    "monk2-f": Encoding("monks2_train", FIRST),
    "monk3": Encoding("monks3_train"),
    "monk3-f": Encoding("monks3_train", FIRST),
    "tic-tac-toe": Encoding("tic_tac_toe"),
    "tic-tac-toe-f": Encoding("tic_tac_toe", FIRST),
    "mushroom": Encoding("mushroom"),
    "mushroom-f": Encoding("mushroom", FIRST),
    "kr-vs-kp": Encoding("kr_vs_kp"),
    "careval-f": Encoding("car_evaluation", FIRST),
    "zoo": Encoding("zoo", skipped=1),
    "zoo-f": Encoding("zoo", FIRST, skipped=1),
}


def encode(name: str, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The 0/1 matrix and the class codes of a table of text, the target in its last column."""
    chosen = ENCODED[name]
    y = np.unique(cells[:, -1], return_inverse=True)[1].astype(np.int32)
    features = cells.T[chosen.skipped : -1]
    columns = [one_hot(feature, chosen.left_out) for feature in features]
    return np.ascontiguousarray(np.hstack(columns), dtype=np.int32), y


def one_hot(column: np.ndarray, left_out: int | None) -> np.ndarray:
    """A 0/1 column of each level but one, the levels in sorted order."""
    every = column[:, np.newaxis] == np.unique(column)
    return every if left_out is None else np.delete(every, left_out, axis=1)
