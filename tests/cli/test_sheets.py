"""Sheets of Excel workbooks: the table that a person sees in them."""

import datetime
import io
import zipfile

import pytest

from silva.cli.tables.options import TableOptions
from silva.cli.tables.read import read_table
from silva.errors import DataError
from tests.cli.test_tables import values_of

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")

DAYS = [datetime.datetime(2024, 2, 28), datetime.datetime(2024, 2, 29), None]
ROWS = [
    ["day", "moment", "price", "n", "code", "ok", "state"],
    [DAYS[0], datetime.datetime(2024, 1, 1, 8, 30), 0.1, 3, "007", True, "x\ny"],
    [DAYS[1], datetime.datetime(2024, 1, 1), "#DIV/0!", None, "08", False, ' "q", z '],
    [None, None, -1e300, -7, None, None, "#N/A"],
]
SEEN = {
    "day": ("DATE", ["2024-02-28", "2024-02-29", None]),
    "moment": ("TIMESTAMP", ["2024-01-01 08:30:00", "2024-01-01 00:00:00", None]),
    "price": ("DOUBLE", [0.1, None, -1e300]),
    "n": ("BIGINT", [3, None, -7]),
    "code": ("VARCHAR", ["007", "08", None]),
    "ok": ("VARCHAR", ["TRUE", "FALSE", None]),
    "state": ("VARCHAR", ["x\ny", '"q", z', None]),
}


def workbook(path, **sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return str(path)


def seen(data):
    return {name: (data.kinds[name], values_of(data, name)) for name in data.names}


@pytest.mark.parametrize("name", ["a.xlsx", "a.xlsm", "no ending"])
def test_a_sheet_is_read_as_it_is_seen(tmp_path, name):
    data = read_table(workbook(tmp_path / name, data=ROWS, empty=[]))
    assert seen(data) == SEEN
    assert "sheet 'data'" in data.told[0]


def test_rows_above_and_between_the_table(tmp_path):
    rows = [["Report"], [], *ROWS[:2], [], *ROWS[2:], ["", None]]
    path = workbook(tmp_path / "a.xlsx", data=rows)
    assert seen(read_table(path, TableOptions(skip_rows=2))) == SEEN
    with pytest.raises(DataError, match=r"row 3 of sheet 'data' .* has 7 cells .* --skip-rows"):
        read_table(path)


def test_workbooks_of_several_sheets(tmp_path):
    path = workbook(tmp_path / "a.xlsx", first=[["a"], [1]], second=ROWS)
    with pytest.raises(
        DataError, match="has the sheets 'first', 'second'; choose one with --sheet"
    ):
        read_table(path)
    assert seen(read_table(path, TableOptions(sheet="second"))) == SEEN
    with pytest.raises(DataError, match=r"no such sheet; did you mean 'second'?"):
        read_table(path, TableOptions(sheet="secund"))
    with pytest.raises(DataError, match="has empty sheets"):
        read_table(workbook(tmp_path / "b.xlsx", first=[]))


def test_sheets_without_a_header_and_wrong_cells(tmp_path):
    path = workbook(tmp_path / "a.xlsx", data=[[1, "x"], [2, "y"], [3]])
    data = read_table(path, TableOptions(no_header=True))
    assert data.column("column 2").tolist() == ["x", "y", None]
    with pytest.raises(DataError, match="holds 'y' in row 1 below the header where --number"):
        read_table(path, TableOptions(number=("x",)))
    twice = workbook(tmp_path / "b.xlsx", data=[["a", "a"], [1, 2]])
    with pytest.raises(DataError, match="names the column 'a' twice"):
        read_table(twice)


def test_workbooks_in_archives_and_pipes(tmp_path, monkeypatch):
    workbook(tmp_path / "a.xlsx", data=ROWS)
    content = (tmp_path / "a.xlsx").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("folder/a.xlsx", content)
    assert seen(read_table(str(tmp_path / "a.zip"))) == SEEN
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert seen(read_table("-")) == SEEN


def test_damaged_and_huge_workbooks_are_one_sentence(tmp_path):
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<broken")
    with pytest.raises(DataError, match="cannot be read as an Excel workbook") as raised:
        read_table(str(path))
    assert "\n" not in str(raised.value)
    large = workbook(tmp_path / "b.xlsx", data=[["a"], *([1] for _ in range(5000))])
    with pytest.raises(DataError, match=r"unpacks to more than 20,000 bytes; .*--max-unpacked"):
        read_table(large, TableOptions(max_unpacked=20_000))


def test_without_openpyxl_the_extra_is_named(tmp_path, monkeypatch):
    path = workbook(tmp_path / "a.xlsx", data=ROWS)
    monkeypatch.setattr("silva.cli.tables.sheets.find_spec", lambda name: None)
    with pytest.raises(DataError, match=r"needs openpyxl; run: pip install 'silva-trees\[excel\]'"):
        read_table(path)
