"""DuckDB reads what Python's csv module wrote: any texts, any dialect."""

import csv
import io

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from silva.cli.tables.lines import line_of_row
from silva.cli.tables.nulls import AMONG_NUMBERS, ANYWHERE
from silva.cli.tables.options import TableOptions
from silva.cli.tables.read import read_table
from tests.effort import tries

SPACES = " \t\r\n\f\v\u00a0\u3000\ufeff"
SIGNS = st.characters(codec="utf-8", exclude_characters="\0\r\x1f", exclude_categories=("Cs",))
CELLS = st.one_of(
    st.text(SIGNS, max_size=8),
    st.text("ab \"',;\t|#\n", max_size=6),
    st.integers(-(10**20), 10**20).map(str),
    st.floats().map(repr),
    st.sampled_from(["NA", "null", "007", "1,5", "1.234,5", "2024-02-29", "01/02/2024", "8:30"]),
)


@st.composite
def tables(draw):
    width = draw(st.integers(1, 3))
    row = st.lists(CELLS, min_size=width, max_size=width)
    return [[f"c{i}" for i in range(width)], *draw(st.lists(row, max_size=6))]


def written(rows, delimiter, line_end):
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL)
    writer.writerows(rows)
    return stream.getvalue()


@settings(max_examples=60, deadline=None)
@given(tables(), st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n"]))
def test_texts_are_read_as_they_were_written(tmp_path_factory, rows, delimiter, line_end):
    path = tmp_path_factory.mktemp("laws") / "table.csv"
    path.write_text(written(rows, delimiter, line_end), encoding="utf-8", newline="")
    names = tuple(rows[0])
    options = TableOptions(delimiter=delimiter, quote='"', text=names, nulls=("",))
    data = read_table(str(path), options)
    assert data.names == names
    for place, name in enumerate(names):
        expected = [row[place].strip(SPACES) or None for row in rows[1:]]
        assert data.column(name).tolist() == expected


ODD_TEXT = st.text("ab1 \"',;\t|#\n\r\\é-", max_size=6)
QUOTINGS = [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]


@st.composite
def files(draw):
    """Names, rows, a delimiter, and the file that Python's csv module writes of them."""
    choices = {
        "delimiter": draw(st.sampled_from(",;\t|")),
        "lineterminator": draw(st.sampled_from(["\n", "\r\n", "\r"])),
        "quoting": draw(st.sampled_from(QUOTINGS)),
    }
    name = ODD_TEXT.map(lambda text: text.strip(SPACES)).filter(bool)
    names = draw(st.lists(name, min_size=1, max_size=3, unique=True))
    row = st.lists(ODD_TEXT, min_size=len(names), max_size=len(names))
    rows = draw(st.lists(row, max_size=5))
    stream = io.StringIO(newline="")
    csv.writer(stream, **choices).writerows([names, *rows])
    text, delimiter = stream.getvalue(), choices["delimiter"]
    back = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    assume(list(back) == [names, *rows])  # Python leaves some line breaks without quotes
    assume(not text.startswith(("#", "sep=", '"sep=')))
    return names, rows, delimiter, text


@settings(max_examples=len(tries(60, 400)), deadline=None)
@given(files(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_files_of_spreadsheets_are_read_as_they_were_written(tmp_path_factory, file, encoding):
    names, rows, delimiter, written = file
    path = tmp_path_factory.mktemp("laws") / "table.csv"
    path.write_text(written, encoding=encoding, newline="")
    options = TableOptions(delimiter=delimiter, quote='"', text=tuple(names), nulls=("",))
    data = read_table(str(path), options)
    assert data.names == tuple(names)
    for place, name in enumerate(names):
        expected = [row[place].strip(SPACES) or None for row in rows]
        assert data.column(name).tolist() == expected


@settings(max_examples=60, deadline=None)
@given(tables())
def test_guesses_lose_nothing(tmp_path_factory, rows):
    """Whatever a column is taken for, its cells are those numbers, or those texts."""
    path = tmp_path_factory.mktemp("laws") / "table.csv"
    path.write_text(written(rows, ",", "\n"), encoding="utf-8", newline="")
    data = read_table(str(path), TableOptions(delimiter=",", quote='"', dates=False, decimal="."))
    for place, name in enumerate(rows[0]):
        cells = [row[place].strip(SPACES) for row in rows[1:]]
        values = data.column(name).tolist()
        for cell, value in zip(cells, values, strict=True):
            assert is_the_same(cell, value, data.kinds[name]), (cell, value)


def is_the_same(cell, value, kind):
    if cell in ("", *ANYWHERE) or (cell in AMONG_NUMBERS and kind != "VARCHAR"):
        return value is None or value != value
    if kind == "VARCHAR":
        return value == cell
    number = float(cell.replace(",", ""))
    return np.array_equal(number, value, equal_nan=True)


NOTATIONS = {  # the digits between thousands, the decimal sign, the text around a number
    "dollars": (",", ".", "${}"),
    "euros": ("\u202f", ",", "{} €"),
    "francs": ("'", ".", "CHF {}"),
    "percent": (" ", ",", "{}%"),
    "points": (".", ",", "{}"),
}


def spelled(number, notation):
    between, decimal, around = NOTATIONS[notation]
    plain = f"{abs(number):,.2f}".replace(",", "_").replace(".", decimal).replace("_", between)
    return around.format(f"-{plain}" if number < 0 else plain)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-(10**9), 10**9).map(lambda cents: cents / 100), min_size=1, max_size=6),
    st.sampled_from(sorted(NOTATIONS)),
)
def test_amounts_are_the_numbers_that_they_spell(tmp_path_factory, numbers, notation):
    path = tmp_path_factory.mktemp("laws") / "table.csv"
    rows = [["a", "b"], *([spelled(number, notation), "x"] for number in numbers)]
    path.write_text(written(rows, ";", "\n"), encoding="utf-8", newline="")
    assert read_table(str(path)).column("a").tolist() == numbers


def test_lines_are_those_of_an_editor(tmp_path):
    from silva.cli.tables.dialect import Dialect

    path = tmp_path / "t.csv"
    path.write_bytes(b'# c\r\n\r\na,b\r\n1,"x\r\ny"\r\n\r\n# c\r\n2,z\r\n')
    dialect = Dialect(",", '"', '"', 2, "#", True, ("a", "b"))
    found = [line_of_row(str(path), dialect, "t.csv", row) for row in range(3)]
    assert found == [4, 8, None]
