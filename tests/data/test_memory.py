"""Sparse data says how much memory it needs before it is made dense."""

from pathlib import Path

import numpy as np
import pytest

from silva.data.bind import bind_training
from silva.data.frames import memory
from silva.errors import DataError, DataWarning

sparse = pytest.importorskip("scipy.sparse")


def test_more_than_there_is_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 2**30)
    with pytest.raises(
        DataError, match=r"1,048,576 rows x 1,000 columns need 7\.8 GiB.*1\.0 GiB are"
    ):
        memory.check_dense_size(2**20, 1000, 8)


def test_what_is_sparse_needs_no_dense_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 2**10)
    pd = pytest.importorskip("pandas")
    matrix = sparse.coo_array(([1.0], ([0], [0])), shape=(2**20, 1000))
    for data in (matrix, pd.DataFrame.sparse.from_spmatrix(matrix)):
        table = bind_training(data)
        assert sum(column.values.nbytes for column in table.columns) == 8


def test_a_lot_is_warned_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "WORTH_A_WARNING", 100)
    with pytest.warns(DataWarning, match="10 rows x 5 columns need 0.0 GiB when made dense"):
        memory.check_dense_size(10, 5, 8)


def test_pandas_columns_that_are_mostly_missing_count(monkeypatch: pytest.MonkeyPatch) -> None:
    pd = pytest.importorskip("pandas")
    monkeypatch.setattr(memory, "WORTH_A_WARNING", 100)
    monkeypatch.setattr(memory, "available_memory", lambda: 200)
    columns = {f"c{i}": pd.arrays.SparseArray([np.nan] * 9 + [1.0]) for i in range(5)}
    frame = pd.DataFrame(columns)
    with pytest.raises(DataError, match="10 rows x 5 columns"):
        bind_training(frame)


def test_unknown_memory_only_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "WORTH_A_WARNING", 100)
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    with pytest.warns(DataWarning, match="made dense"):
        memory.check_dense_size(10, 5, 8)


def test_available_memory_is_a_plausible_size() -> None:
    available = memory.available_memory()
    assert available is None or 0 <= available < 2**50


def test_memory_of_a_control_group(tmp_path: Path) -> None:
    assert memory._group_memory(tmp_path) is None
    (tmp_path / "memory.current").write_text("700\n")
    (tmp_path / "memory.stat").write_text("anon 100\ninactive_file 200\n")
    (tmp_path / "memory.max").write_text("max\n")
    assert memory._group_memory(tmp_path) is None
    (tmp_path / "memory.max").write_text("1000\n")
    assert memory._group_memory(tmp_path) == 500
    (tmp_path / "memory.max").write_text("100\n")
    assert memory._group_memory(tmp_path) == 0


def test_system_without_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(*_: object, **__: object) -> str:
        raise FileNotFoundError

    monkeypatch.setattr(memory.Path, "read_text", absent)
    assert memory.available_memory() == memory._installed_memory()
