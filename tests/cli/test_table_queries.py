"""`--query`: one SELECT over the table, and nothing else."""

import pytest

from silva.cli.main import run
from silva.cli.tables.options import TableOptions
from silva.cli.tables.read import read_table
from silva.cli.tables.wishes import Wish
from silva.errors import DataError


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,day\n1,x,2024-01-05\n2,y,2024-01-06\n3,x,2024-01-07\n")
    return str(path)


def ask(path, query, **options):
    return read_table(path, TableOptions(query=query, **options))


def test_columns_have_types_in_queries(table):
    found = ask(table, "SELECT a * 2 AS twice, upper(b) AS b, dayofyear(day) AS n FROM data;")
    assert found.names == ("twice", "b", "n")
    assert [found.column(name).tolist() for name in found.names] == [
        [2, 4, 6],
        ["X", "Y", "X"],
        [5, 6, 7],
    ]
    assert "the query gave 3 rows" in found.told[0]


def test_sums_decimals_and_order(table):
    query = "SELECT b, sum(a) AS s, 0.1::DECIMAL(9, 1) AS d FROM data GROUP BY b ORDER BY b DESC"
    found = ask(table, query)
    assert found.column("b").tolist() == ["y", "x"]
    assert found.column("s").tolist() == [2.0, 4.0]
    assert found.column("d").tolist() == [0.1, 0.1]


def test_wanted_kinds_hold_for_the_result(table):
    query = "SELECT a, day::VARCHAR AS day FROM data"
    wanted = {"a": Wish("text"), "day": Wish("moment")}
    found = read_table(table, TableOptions(query=query), wanted)
    assert found.column("a").tolist() == ["1", "2", "3"]
    assert found.kinds["day"] == "DATE"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1; SELECT 2",
        "CREATE TABLE x (a INT)",
        "COPY data TO 'stolen.csv'",
        "ATTACH 'other.db'",
        "INSTALL httpfs",
        "SET threads = 1",
        "DROP TABLE raw",
        "",
    ],
)
def test_anything_but_one_select_is_refused(query, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="--query must be one SELECT over the table data, got "):
        ask(table, query)
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('{table}')",
        "SELECT * FROM '{table}'",
        "SELECT content FROM read_text('{table}')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM data, read_parquet('https://example.org/a.parquet')",
    ],
)
def test_queries_reach_no_file(query, table):
    with pytest.raises(DataError, match=r"--query failed: .*(disabled|access)"):
        ask(table, query.format(table=table))


def test_queries_see_no_python_variable(table):
    import pandas

    secret = pandas.DataFrame({"x": [1]})
    with pytest.raises(DataError, match="Table with name secret does not exist"):
        ask(table, "SELECT * FROM secret")
    assert len(secret) == 1


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELEC 1", "--query is not SQL that DuckDB takes .*syntax error"),
        ("SELECT zzz FROM data", "--query failed: .*zzz"),
        ("SELECT * FROM dta", "--query failed: .*dta"),
    ],
)
def test_faults_of_queries_are_one_sentence(query, message, table):
    with pytest.raises(DataError, match=message) as raised:
        ask(table, query)
    assert "\n" not in str(raised.value)


def test_names_that_differ_in_case_need_no_query(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text("a,A\n1,2\n")
    assert read_table(str(path)).names == ("a", "A")
    with pytest.raises(DataError, match="cannot tell the columns 'a' and 'A' apart"):
        ask(str(path), "SELECT * FROM data")


def test_fit_and_predict_take_queries(examples, tmp_path, capsys):
    model, query = str(tmp_path / "m.silva"), "SELECT repaid, age, income / loan AS ratio FROM data"
    loans = str(examples / "loans.csv")
    assert run(["fit", loans, "-t", "repaid", "--query", query, "-o", model]) == 0
    assert "ratio" in capsys.readouterr().out
    assert run(["predict", model, loans, "--query", query, "-q"]) == 0
    assert len(capsys.readouterr().out.split()) == 21
    assert run(["predict", model, loans, "-q"]) == 1
    assert "lacks the column 'ratio' of the model" in capsys.readouterr().err


def test_nested_values_are_taken_apart_by_queries(tmp_path):
    path = tmp_path / "nested.jsonl"
    path.write_text('{"a": {"b": 1}, "c": [1, 2]}\n{"a": {"b": 2}, "c": []}\n')
    data = read_table(str(path))
    assert "2 of other values" in data.told[0]
    with pytest.raises(DataError, match=r"column 'a' holds values of type STRUCT.*--query"):
        data.table(["a"])
    assert ask(str(path), "SELECT a.b, len(c) AS n FROM data").column("b").tolist() == [1, 2]
