"""Tables of odd dialects from fit to predict: what they meant in training they mean later."""

import io

import numpy as np
import pytest

import silva
from silva.cli.answers import read_for
from silva.cli.main import run
from silva.cli.tables.options import TableOptions
from silva.cli.tables.read import read_table

TRAINING = (
    "price;day;zip;state;y\n"
    "3,5;31.12.2024;01234;None;yes\n"
    "1.204,25;1.1.2025;99999;fine;no\n"
    "7;2.1.2025;00501;-;yes\n"
    "8,25;3.1.2025;12345;fine;no\n"
)


@pytest.fixture
def shell(capsys, monkeypatch):
    """Runs a command and returns its exit code, output and messages."""

    def command(*words, stdin=""):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = run([str(word) for word in words])
        return code, *capsys.readouterr()

    return command


@pytest.fixture
def model(tmp_path, shell):
    path = tmp_path / "model.silva"
    (tmp_path / "training.csv").write_text(TRAINING)
    shell("fit", tmp_path / "training.csv", "-t", "y", "-o", path)
    return path


def test_what_was_understood_is_said_once(tmp_path, shell):
    (tmp_path / "t.csv").write_text(TRAINING)
    code, _, err = shell("fit", tmp_path / "t.csv", "-t", "y", "--task", "classification")
    assert code == 0
    assert err.splitlines() == [
        f"read 4 rows, 5 columns (1 of numbers, 1 of dates, 3 of text) from {tmp_path / 't.csv'}:"
        " semicolon-separated, UTF-8",
        "read as missing: - 1 time, None 1 time (in 'state'; --null sets the words)",
        "decimal comma in 'price' (--decimal)",
        "dates as %d.%m.%Y in 'day' (--date-format)",
        "'zip' read as text: numbers that begin with a zero are codes (--number)",
    ]
    assert shell("fit", tmp_path / "t.csv", "-t", "y", "-q")[2] == ""


def test_the_model_knows_the_kinds(model):
    columns = {column.name: column for column in silva.load(model).grown_tree_.schema.columns}
    assert columns["price"].levels is None
    assert columns["day"].time.sort == "datetime"
    assert columns["zip"].levels == ("00501", "01234", "12345", "99999")
    assert columns["state"].levels == ("fine",)


def row_of(table, place):
    """The values of the first row as text."""
    column = table.columns[place]
    if hasattr(column, "levels"):
        return column.levels[column.codes[0]] if column.codes[0] >= 0 else None
    return str(column[0])


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("price;day;zip;state\n3,75;5.1.2025;501;x\n", {}),
        ("price,day,zip,state\n3.75,2025-01-05,501,x\n", {}),
        ("state\tzip\tday\tprice\tmore\nx\t501\t2025-01-05\t3,75\t9\n", {}),
        ("price,day,zip,state\n3.75,05/01/2025,501,x\n", {"date_format": "%d/%m/%Y"}),
        ('{"price": 3.75, "day": "2025-01-05", "zip": 501, "state": "x"}', {}),
    ],
)
def test_types_come_from_the_model(model, text, options, tmp_path, shell, monkeypatch):
    monkeypatch.setattr("silva.cli.tables.read.note", lambda line: None)
    monkeypatch.setattr("silva.cli.answers.note", lambda line: None)
    (tmp_path / "new").write_text(text)
    schema = silva.load(model).grown_tree_.schema
    table = read_for(schema, str(tmp_path / "new"), TableOptions(**options))
    assert table.names == ("price", "day", "zip", "state")
    assert [row_of(table, place) for place in range(4)] == ["3.75", "2025-01-05", "501", "x"]
    assert silva.load(model).predict(table).tolist() == ["yes"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("price;day;zip;state\n3,75 EUR;5.1.2025;501;x\n", "'3,75 EUR' in row 1 (line 2)"),
        ("price;day;zip;state\n\n\n3;5.1.2025;5;x\n3;soon;5;x\n", "'soon' in row 2 (line 5)"),
        (
            "price,day,zip,state\n3,01/02/2025,501,x\n",
            "can be read in two ways; give --date-format %d/%m/%Y or --date-format %m/%d/%Y",
        ),
        ("Price;day;zip;state\n3;5.1.2025;501;x\n", "rename the column 'Price' if it is the same"),
        ("day;zip;state\n5.1.2025;501;x\n", "lacks the column 'price' of the model"),
    ],
)
def test_cells_that_the_model_cannot_take(model, text, message, shell):
    code, out, err = shell("predict", model, "-", "-q", stdin=text)
    assert (code, out) == (1, "")
    assert message in err
    assert err.count("\n") == 1


def test_validation_files_are_read_as_the_training_file(tmp_path, shell):
    (tmp_path / "t.csv").write_text("code;y\n1;3,5\n01;4,5\n1;3,5\n01;4,5\n")
    (tmp_path / "v.csv").write_text("y\tcode\n3.5\t1\n4.5\t2\n")
    files = ("fit", tmp_path / "t.csv", "-t", "y", "--validate", tmp_path / "v.csv")
    code, out, err = shell(*files, "--task", "regression")
    assert code == 0, err
    assert "code != 1" in out
    assert out.splitlines()[-1].split()[:2] == ["held-out", "2"]


def test_models_without_names_take_texts_by_place(tmp_path, shell):
    fitted = silva.TreeClassifier().fit(np.array([["01", "x"], ["2", "x"]], object), ["a", "b"])
    silva.save(fitted, tmp_path / "m.silva")
    code, out, _ = shell("predict", tmp_path / "m.silva", "-", stdin="p,q\n01,x\n2,x\n")
    assert (code, out.split()) == (0, ["prediction", "a", "b"])


def test_booleans_of_a_model(tmp_path, shell):
    table = np.array([(True, 1.0), (False, 1.0)] * 4, dtype=[("flag", bool), ("x", float)])
    silva.save(silva.TreeClassifier().fit(table, ["a", "b"] * 4), tmp_path / "m.silva")
    stdin = "flag,x\nYes,1\nfalse,1\n?,1\n"
    code, out, _ = shell("predict", tmp_path / "m.silva", "-", stdin=stdin)
    assert (code, out.split()[:3]) == (0, ["prediction", "a", "b"])
    code, _, err = shell("predict", tmp_path / "m.silva", "-", stdin="flag,x\nmaybe,1\n")
    assert code == 1
    assert "'maybe' in row 1 (line 2) where the model needs yes or no" in err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--encoding", "nope"], 2, "'nope' is not known to Python"),
        (["--delimiter", ";;"], 2, "is not one character"),
        (["--decimal", "x"], 2, "--decimal"),
        (["--text", "pricey"], 1, "--text 'pricey': there is no such column; did you mean 'price'"),
        (["--text", "zip", "--number", "zip"], 1, "--text and --number name the column 'zip'"),
        (
            ["--number", "state"],
            1,
            "holds 'fine' in row 2 (line 3) where --number asks for a number",
        ),
        (["--query", "DROP TABLE data"], 1, "--query must be one SELECT"),
        (["--decimal", "."], 0, "'price' read as text: 1 of 4 cells"),
    ],
)
def test_options_that_cannot_be(tmp_path, shell, words, code, message):
    (tmp_path / "t.csv").write_text(TRAINING.replace("3,5;", "3;").replace("8,25;", "8;"))
    found, _, err = shell("fit", tmp_path / "t.csv", "-t", "y", *words)
    assert found == code
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize("address", ["https://example.org/t.csv", "postgres://me@host/db"])
def test_addresses_and_directories_are_problems_of_the_data(address, tmp_path, shell):
    for path in (address, tmp_path):
        code, out, err = shell("fit", path, "-t", "y")
        assert (code, out) == (1, "")
        assert err.count("\n") == 1


def test_yes_and_no_keep_their_labels(examples, shell):
    code, out, _ = shell("fit", examples / "course.csv", "-t", "liked", "--drop", "rating")
    assert code == 0
    assert "Sys = no → yes" in out


def test_options_that_mean_nothing_for_a_file_are_named(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"x": 1, "y": "a"}\n{"x": 2, "y": "b"}\n')
    told = read_table(str(path), TableOptions(delimiter=";", no_header=True, table="t")).told
    assert told[-1] == "ignored, because the file is json: --delimiter, --no-header, --table"
    text = tmp_path / "rows.csv"
    text.write_text("x;y\n1;a\n")
    assert not any("ignored" in line for line in read_table(str(text), TableOptions()).told)
    assert (
        "ignored, because the file is text: --table"
        in read_table(str(text), TableOptions(table="t")).told[-1]
    )
