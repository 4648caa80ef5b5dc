"""A million rows of CSV: the reader of the command line beside DuckDB's own, in turns.

Run `python -m benchmarks.read_table`. DuckDB reads with `sample_size = -1`, so that its types hold
for all rows, as ours do.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np

from silva.cli.tables.read import read_table

N_ROWS, TURNS = 1_000_000, 4


def write_rows(path: Path) -> None:
    """Ten columns: numbers with and without gaps, whole numbers, texts, a date."""
    rng = np.random.default_rng(0)
    days = np.datetime64("2020-01-01") + rng.integers(0, 1500, N_ROWS)
    gaps = np.where(rng.random(N_ROWS) < 0.1, "", rng.integers(0, 50, N_ROWS).astype(str))
    columns = {
        "a": rng.normal(size=N_ROWS).round(4).astype(str),
        "b": rng.integers(0, 1000, N_ROWS).astype(str),
        "c": rng.integers(0, 100_000, N_ROWS).astype(str),
        "housing": np.array(["rent", "own", "free"])[rng.integers(0, 3, N_ROWS)],
        "city": np.array([f"city {i}" for i in range(500)])[rng.integers(0, 500, N_ROWS)],
        "day": days.astype(str),
        "g": rng.random(N_ROWS).astype(str),
        "h": rng.exponential(size=N_ROWS).round(2).astype(str),
        "ok": np.array(["yes", "no"])[rng.integers(0, 2, N_ROWS)],
        "k": gaps,
    }
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    with path.open("w") as stream:
        stream.write(",".join(columns) + "\n")
        stream.writelines(",".join(row) + "\n" for row in rows)


def duckdb_arrays(path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"FROM read_csv('{path}', sample_size = -1)").fetchnumpy()


def duckdb_table(path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS FROM read_csv('{path}', sample_size = -1)")


def silva_columns(path: Path) -> None:
    read_table(str(path))


def seconds(read: Callable[[Path], None], path: Path) -> tuple[float, float]:
    """Wall and CPU time."""
    wall, cpu = time.perf_counter(), time.process_time()
    read(path)
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    readers = (duckdb_arrays, duckdb_table, silva_columns)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.csv"
        write_rows(path)
        taken = [[seconds(read, path) for read in readers] for _ in range(TURNS)]
    for reader, times in zip(readers, zip(*taken, strict=True), strict=True):
        wall, cpu = (min(one) for one in zip(*times, strict=True))
        print(f"{reader.__name__:<14} wall {wall:.2f} s, CPU {cpu:.2f} s")


if __name__ == "__main__":
    main()
