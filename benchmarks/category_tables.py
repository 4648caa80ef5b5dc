"""The tables of the category study: public tables, each clean and with one added column of text.

Four of the added columns are noise: a unique identifier, a near-identifier (two rows a level) and
random towns of 50 and 500 levels. The fifth, a town of 200 levels, depends on the target. Seeds
follow from the names, so every run adds the same columns.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from benchmarks.prune_sets import SETS, read, read_set

TABLES = (
    "abalone", "adult", "audiology", "auto-mpg", "banknote", "boston", "breast", "car", "chess",
    "compas", "enb-heat", "heart", "mushroom", "optical", "penguins", "pima", "qsar", "query",
    "real-estate", "soybean", "tic-tac-toe", "titanic", "votes", "wine-red", "yacht", "zoo",
)  # fmt: skip
"""Every table of the pruning study with categorical columns, and about as many without."""

QUICK = ("auto-mpg", "boston", "heart", "penguins")
NAMED = ("titanic", "auto-mpg", "zoo", "breast")
"""Tables that come with names or numbers of their rows, which the pruning study leaves out."""

CLEAN, USEFUL, AS_THEY_COME = "clean", "useful town, 200", "as they come"
TOWN_STRENGTH = 1.0
ADDED = "added column"

Added = Callable[[np.random.Generator, np.ndarray], np.ndarray]


def identifier(random: np.random.Generator, score: np.ndarray) -> np.ndarray:
    """A level for each row."""
    return random.permutation(len(score))


def near_identifier(random: np.random.Generator, score: np.ndarray) -> np.ndarray:
    """A level for every two rows, at random."""
    return random.permutation(len(score)) // 2


def random_town(n_levels: int) -> Added:
    """Levels drawn uniformly, whatever the target."""
    return lambda random, score: random.integers(n_levels, size=len(score))


def useful_town(n_levels: int, strength: float = TOWN_STRENGTH) -> Added:
    """Town t has an effect e_t ~ N(0, 1); a row gets it with weight exp(strength e_t score)."""

    def towns(random: np.random.Generator, score: np.ndarray) -> np.ndarray:
        effects = random.normal(size=n_levels)
        logits = strength * np.outer(score, effects)
        # The largest of logits with Gumbel noise is a draw by the softmax of the logits.
        return np.argmax(logits + random.gumbel(size=logits.shape), axis=1)

    return towns


JUNK: dict[str, Added] = {
    "identifier": identifier,
    "near-identifier": near_identifier,
    "town, 50": random_town(50),
    "town, 500": random_town(500),
}
COLUMNS: dict[str, Added] = {**JUNK, USEFUL: useful_town(200)}
VARIANTS = (CLEAN, *COLUMNS, AS_THEY_COME)


def variants_of(table: str) -> tuple[str, ...]:
    return VARIANTS if table in NAMED else (CLEAN, *COLUMNS)


def generator(*names: str) -> np.random.Generator:
    """The random numbers of these names, the same in every run and process."""
    return np.random.default_rng([crc32(name.encode()) for name in names])


def standard_score(table: str, target: np.ndarray) -> np.ndarray:
    """The target with mean 0 and variance 1; classes get normal scores first, each its own."""
    values = target
    if target.dtype.kind not in "iuf":
        classes, codes = np.unique(target, return_inverse=True)
        values = generator(table, "scores of the classes").normal(size=len(classes))[codes]
    return np.asarray((values - values.mean()) / values.std())


def with_column(table: str, variant: str, frame: Any, target: np.ndarray) -> Any:
    """The frame with the variant's column; of a clean table, the frame itself."""
    if variant not in COLUMNS:
        return frame
    levels = COLUMNS[variant](generator(table, variant), standard_score(table, target))
    return frame.assign(**{ADDED: [f"level {level}" for level in levels]})


@lru_cache(maxsize=2)
def read_variant(folder: Path, table: str, variant: str) -> tuple[Any, np.ndarray]:
    """The columns and the target of one variant of a table."""
    if variant == AS_THEY_COME:
        return read_set(folder, replace(SETS[table], dropped=()))
    frame, target = read(folder, table)
    return with_column(table, variant, frame, target), target
