"""The tables: seeded generators, and covertype from a folder beside the project."""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.rows import Skip

DATA_FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"
LABEL_NOISE = 0.0225
HELD_OUT_SHARE = 0.2


def signal(X: np.ndarray) -> np.ndarray:
    """An interaction, a wave and a line in the first four columns; the others say nothing."""
    return X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3]


def two_classes(
    n_rows: int, n_columns: int = 20, noise: float = LABEL_NOISE, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Normal float32 columns and the sign of the signal, with a share `noise` of labels flipped.

    At 80,000 x 20 scikit-learn's full tree has about 5,200 leaves at a mean depth of about 20.
    """
    random = np.random.default_rng(seed)
    X = random.standard_normal((n_rows, n_columns), dtype=np.float32)
    flipped = random.random(n_rows) < noise
    return X, ((signal(X) > 0) ^ flipped).astype(np.int64)


def numbers(n_rows: int, n_columns: int = 20, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Normal float32 columns and the signal with normal noise of deviation 0.5."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n_rows, n_columns), dtype=np.float32)
    return X, signal(X) + 0.5 * random.standard_normal(n_rows)


def counts(n_rows: int, n_columns: int = 20, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Normal float32 columns and Poisson counts whose logarithmic mean is half the signal."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n_rows, n_columns), dtype=np.float32)
    return X, random.poisson(np.exp(signal(X) / 2)).astype(np.float64)


def sparse_classes(
    n_rows: int, n_columns: int, filled: float, seed: int = 0
) -> tuple[csr_matrix, np.ndarray]:
    """A float32 matrix with few cells, and the sign of a noisy sum over a tenth of its columns."""
    random = np.random.default_rng(seed)
    n_cells = round(n_rows * n_columns * filled)
    cells = random.choice(n_rows * n_columns, n_cells, replace=False)
    values = random.random(n_cells, dtype=np.float32) + np.float32(0.5)
    X = csr_matrix((values, np.divmod(cells, n_columns)), shape=(n_rows, n_columns))
    effects = random.standard_normal(n_columns) * (np.arange(n_columns) % 10 == 0)
    noisy = X @ effects + 0.2 * random.standard_normal(n_rows)
    return X, (noisy > np.median(noisy)).astype(np.int64)


def covertype(folder: Path, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The 54 columns (float32) and 7 classes of covertype: all rows, or a seeded choice of them."""
    cells = read_covertype(folder / "covertype.csv.gz")
    if n_rows < len(cells):
        cells = cells[np.random.default_rng(0).permutation(len(cells))[:n_rows]]
    return np.ascontiguousarray(cells[:, :-1]), cells[:, -1].astype(np.int64)


def read_covertype(path: Path) -> np.ndarray:
    """Every cell of the file as float32 (all are small integers, so nothing is rounded)."""
    if not path.exists():
        raise Skip(f"no file {path.name} in the data folder; give its folder with --data")
    try:
        import pandas as pd
    except ImportError:
        raise Skip("pandas is not installed: pip install 'silva-trees[benchmark]'") from None
    return pd.read_csv(path).to_numpy(np.float32)


def split(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, ...]:
    """Seeded training and held-out parts: (X, y, held-out X, held-out y)."""
    order = np.random.default_rng(0).permutation(len(y))
    n_held = round(len(y) * HELD_OUT_SHARE)
    held, kept = order[:n_held], order[n_held:]
    return X[kept], y[kept], X[held], y[held]
