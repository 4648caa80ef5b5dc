import io

import numpy as np
import pytest

from silva.cli import csvfile
from silva.cli.csvfile import read_csv
from silva.errors import DataError


def read(text, **choices):
    return read_csv(io.StringIO(text, newline=""), "table.csv", **choices)


def column(cells, **choices):
    names, columns = read("\n".join(["a,b", *(f"{cell},1" for cell in cells)]), **choices)
    assert names == ("a", "b")
    return columns["a"]


def test_whole_numbers_stay_integers():
    values = column(["1", "-2", " 9007199254740993 "])
    assert values.dtype == np.int64
    assert values.tolist() == [1, -2, 9007199254740993]


def test_numbers_with_gaps_are_float64():
    values = column(["1", "?", "0.1", "NA", "", "1e400", "-inf"])
    assert values.dtype == np.float64
    np.testing.assert_array_equal(values, [1, np.nan, 0.1, np.nan, np.nan, np.inf, -np.inf])


def test_one_word_makes_a_column_text():
    values = column(["1", "two", "NA", "3"])
    assert values.dtype == object
    assert values.tolist() == ["1", "two", None, "3"]


def test_underscores_and_python_words_are_text():
    assert column(["1_000", "2"]).tolist() == ["1_000", "2"]
    assert column(["None", "2"]).tolist() == ["None", "2"]


def test_integers_beyond_64_bits_are_floats():
    assert column(["18446744073709551616"]).tolist() == [2.0**64]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_header_tells_the_delimiter(delimiter):
    text = delimiter.join(["a", "b c"]) + "\r\n" + delimiter.join(["1", "x"]) + "\r\n"
    names, columns = read(text)
    assert names == ("a", "b c")
    assert columns["b c"].tolist() == ["x"]


def test_quoted_cells_hold_delimiters_quotes_and_line_ends():
    _, columns = read('name,n\n"Doe, ""J""\n2nd",1\n')
    assert columns["name"].tolist() == ['Doe, "J"\n2nd']


def test_blank_lines_are_no_rows():
    assert read("a\n1\n\n2\n\n")[1]["a"].tolist() == [1, 2]


def test_header_alone_gives_empty_columns():
    names, columns = read("a,b\n")
    assert names == ("a", "b")
    assert all(len(values) == 0 for values in columns.values())


def test_blocks_are_joined_in_order(monkeypatch):
    monkeypatch.setattr(csvfile, "_BLOCK_ROWS", 3)
    assert column([str(number) for number in range(10)]).tolist() == list(range(10))


def test_unnamed_columns_get_a_name():
    assert read(",a\n0,1\n")[0] == ("column 1", "a")


def test_types_are_obeyed():
    assert column(["1", "2"], types={"a": "text"}).tolist() == ["1", "2"]
    booleans = column(["yes", "FALSE", "?"], types={"a": "boolean"})
    assert booleans.tolist() == [True, False, None]


def test_only_wanted_columns_are_kept():
    names, columns = read("a,b,c\n1,2,3\n", only=["c", "a", "z"])
    assert names == ("a", "b", "c")
    assert list(columns) == ["a", "c"]


@pytest.mark.parametrize(
    ("text", "choices", "message"),
    [
        ("", {}, "table.csv is empty"),
        ("\n1\n", {}, "no header"),
        ("a,b,a\n1,2,3\n", {}, "'a' twice"),
        ("a,b\n1,2\n1,2,3\n", {}, "line 3 of table.csv has 3 cells where the header names 2"),
        ("a,b\n1\n", {}, "line 2 of table.csv has 1 cells"),
        ("a,b\n1,x\x1fy\n", {}, "control character"),
        ("a\n1\nx\n", {"types": {"a": "number"}}, "'a' of table.csv holds 'x' in row 2"),
        ("a\n1_0\n", {"types": {"a": "number"}}, "holds '1_0' in row 1"),
        ("a\n1\nmaybe\n", {"types": {"a": "boolean"}}, "'maybe' in row 2 .* yes or no"),
    ],
)
def test_refusals_say_where_and_why(text, choices, message):
    with pytest.raises(DataError, match=message):
        read(text, **choices)
