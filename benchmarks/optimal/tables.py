"""The tables of the exact search: columns as a matrix of numbers, classes as codes from 0."""

from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.optimal.encodings import ENCODED, encode
from benchmarks.rows import Skip

PLACES = {"binary": "binarised/", "continuous": "continuous/contree-"}


@lru_cache(maxsize=4)
def table(source: str, name: str, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """The matrix (int32 for 0/1 columns, float64 for numbers) and the class codes of one table."""
    if source == "penalty":
        return encode(name, read_text(folder, ENCODED[name].file))
    cells = read_numbers(folder, PLACES[source] + name)
    y = np.unique(cells[:, -1], return_inverse=True)[1].astype(np.int32)
    kind = np.int32 if source == "binary" else np.float64
    return np.ascontiguousarray(cells[:, :-1], dtype=kind), y


def read_numbers(folder: Path, name: str) -> np.ndarray:
    """Every cell of a file of numbers, the target last."""
    return np.loadtxt(found(folder, name), delimiter=",", skiprows=1)


def read_text(folder: Path, name: str) -> np.ndarray:
    """Every cell of a file as text, the target last."""
    return np.loadtxt(found(folder, name), delimiter=",", skiprows=1, dtype=str)


def found(folder: Path, name: str) -> Path:
    """The file of a table, packed or not."""
    paths = [folder / f"{name}{ending}" for ending in (".csv", ".csv.gz")]
    for path in paths:
        if path.exists():
            return path
    raise Skip(f"no file {name}.csv in {folder}; give the folder of the data with --data")
