"""Tables of odd dialects from fit to predict: what they meant in training they mean later."""

import io
import re

import numpy as np
import pytest

import silva
from silva.cli.answers import read_for
from silva.cli.main import run
from silva.cli.tables.options import TableOptions
from silva.cli.tables.read import read_table
from silva.errors import DataError

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
        "kept as text: - 1 time, None 1 time (in 'state'; --null COLUMN=WORD reads it as missing)",
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
    assert columns["state"].levels == ("-", "None", "fine")


def row_of(table, place):
    """The values of the first row as text."""
    column = getattr(table.columns[place], "values", table.columns[place])
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
        (
            "price;day;zip;state\n3,75 kg;5.1.2025;501;x\n",
            "'3,75 kg' in line 2 (row 0, counted from 0)",
        ),
        (
            "price;day;zip;state\n\n\n3;5.1.2025;5;x\n3;soon;5;x\n",
            "'soon' in line 5 (row 1, counted from 0)",
        ),
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


AMOUNTS = "income;rate;y\n$41,508.76;12%;a\n$9.50;3%;b\n$10,000;20%;a\n($7.00);5%;b\n"


@pytest.fixture
def amounts(tmp_path, shell):
    path = tmp_path / "amounts.silva"
    (tmp_path / "amounts.csv").write_text(AMOUNTS, encoding="utf-8")
    assert shell("fit", tmp_path / "amounts.csv", "-t", "y", "-o", path)[0] == 0
    return path


@pytest.mark.parametrize(
    ("rows", "answers"),
    [
        ("$9.00;4%\n$30,000.10;12 %\n", ["b", "a"]),
        ("9;4%\n30000;12%\n", ["b", "a"]),
        ("$9,000;12%\n$90,000;12%\n", ["a", "a"]),
    ],
)
def test_amounts_are_read_as_in_training(amounts, shell, rows, answers):
    code, out, err = shell("predict", amounts, "-", stdin=f"income;rate\n{rows}")
    assert (code, out.split()[1:]) == (0, answers), err


def test_amounts_give_the_tree_of_plain_numbers(tmp_path, shell):
    """As texts, incomes hardly repeat, and the majority class is all that can be learned."""
    rng = np.random.default_rng(4)
    incomes = rng.lognormal(10.5, 0.5, 600).round(2)
    repaid = np.where((incomes > 36000) ^ (rng.random(600) < 0.05), "yes", "no")
    printed = {}
    for form in ("{}", "${:,.2f}"):
        cells = (f"{form.format(x)};{y}" for x, y in zip(incomes, repaid, strict=True))
        (tmp_path / "t.csv").write_text("\n".join(["income;repaid", *cells]))
        fit = ("fit", tmp_path / "t.csv", "-t", "repaid", "--held-out", "0.3", "--depth", "3")
        code, printed[form], err = shell(*fit)
        assert code == 0, err
    assert printed["{}"] == printed["${:,.2f}"]
    assert held_out_accuracy(printed["{}"]) > 0.9
    assert held_out_accuracy(shell(*fit, "--text", "income")[1]) < 0.65


def held_out_accuracy(printed):
    line = next(line for line in printed.splitlines() if line.strip().startswith("held-out"))
    return float(line.split()[2])


def test_a_model_decides_what_a_file_leaves_open(tmp_path, shell):
    """1,234 and 1.234 alone are a thousand or not: as in training."""
    for cells, new, expected in (
        ("1,25;2,5;1500,0;2500,0", "1.234;1,000", "b a"),
        ("1.25;2.5;1,500.0;2,500.0", "1,234;1.00", "b a"),
    ):
        rows = "".join(f"{cell};{y}\n" for cell, y in zip(cells.split(";"), "aabb", strict=True))
        (tmp_path / "t.csv").write_text(f"x;y\n{rows}")
        shell("fit", tmp_path / "t.csv", "-t", "y", "-o", tmp_path / "m.silva", "--force")
        for cell, label in zip(new.split(";"), expected.split(), strict=True):
            _, out, err = shell("predict", tmp_path / "m.silva", "-", stdin=f"x;z\n{cell};0\n")
            assert out.split()[1:] == [label], (cell, err)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("€9;4%\n", "'income' holds numbers with €, such as '€9', and the model was fitted to"),
        ("$9;0.04\n", "'rate' holds numbers without a unit, such as '0.04', and the model was"),
        ("$9k;4%\n", "'$9k' in line 2 (row 0, counted from 0) where the model needs a number"),
    ],
)
def test_amounts_of_other_units_are_refused(amounts, shell, rows, message):
    code, out, err = shell("predict", amounts, "-", "-q", stdin=f"income;rate\n{rows}")
    assert (code, out) == (1, "")
    assert message in err
    if "k" not in rows:
        named = ("--number", "income", "--number", "rate")
        assert shell("predict", amounts, "-", *named, stdin=f"income;rate\n{rows}")[0] == 0


def test_plain_models_refuse_percentages(tmp_path, shell):
    (tmp_path / "t.csv").write_text("x,y\n0.1,a\n0.2,b\n")
    shell("fit", tmp_path / "t.csv", "-t", "y", "-o", tmp_path / "m.silva")
    code, _, err = shell("predict", tmp_path / "m.silva", "-", stdin="x\n12%\n")
    assert code == 1
    assert "fitted to numbers without a unit" in err


def test_models_of_different_units_have_no_file_in_common(amounts, tmp_path, shell):
    for unit, code in (("%", 1), ("€", 1), ("$", 0), ("", 0)):
        (tmp_path / "t.csv").write_text(AMOUNTS.replace("$", unit if unit != "%" else ""))
        if unit == "%":
            (tmp_path / "t.csv").write_text("income;rate;y\n1%;1%;a\n2%;2%;b\n")
        other = tmp_path / "other.silva"
        assert shell("fit", tmp_path / "t.csv", "-t", "y", "-o", other, "--force")[0] == 0
        compare = ("compare", amounts, other, tmp_path / "amounts.csv", "-t", "y")
        found, _, err = shell(*compare)
        assert found == code, err
        assert ("read the column 'income' in two ways" in err) == bool(code)


@pytest.mark.parametrize("kind", ["forest", "adaboost", "stump", "optimal"])
def test_every_model_keeps_how_numbers_are_written(kind, tmp_path, shell):
    (tmp_path / "t.csv").write_text(AMOUNTS, encoding="utf-8")
    shell("fit", tmp_path / "t.csv", "-t", "y", "--model", kind, "-o", tmp_path / "m.silva")
    stdin = "income;rate\n€9;4%\n"
    code, _, err = shell("predict", tmp_path / "m.silva", "-", stdin=stdin)
    assert code == 1
    assert "was fitted to numbers with $" in err


def test_classes_plus_and_minus(tmp_path, shell):
    """Credit approval: + and - are classes, ? is missing, - is missing among numbers only."""
    rows = "".join(
        f"{'ab?'[i % 3]},{'-' if i % 5 == 0 else i},{'-u'[i % 2]},{'+-'[i // 20]}\n"
        for i in range(40)
    )
    (tmp_path / "t.csv").write_text(f"A1,A2,A3,class\n{rows}")
    fit = ("fit", tmp_path / "t.csv", "-t", "class", "-o", tmp_path / "m.silva")
    code, _, err = shell(*fit)
    assert code == 0
    assert "read as missing: ? 13 times, - 8 times (in 'A1', 'A2'" in err
    model = silva.load(tmp_path / "m.silva")
    assert model.classes_.tolist() == ["+", "-"]
    columns = {column.name: column for column in model.grown_tree_.schema.columns}
    assert columns["A2"].levels is None
    assert columns["A3"].levels == ("-", "u")
    code, out, _ = shell("evaluate", tmp_path / "m.silva", tmp_path / "t.csv", "-t", "class")
    assert code == 0
    assert "40 rows" in out
    code, _, err = shell(*fit, "--null", "-", "--force")
    assert code == 1
    assert "Warning: the target 'class' holds - 20 times, read as missing" in err


def test_words_in_the_target_are_said(tmp_path, shell):
    (tmp_path / "t.csv").write_text("x,y\n1,NA\n2,EU\n3,NA\n4,EU\n")
    for verb in ("fit", "doctor"):
        code, _, err = shell(verb, tmp_path / "t.csv", "-t", "y", "-q")
        assert "Warning: the target 'y' holds NA 2 times, read as missing (--null 'y=' " in err
    fit = ("fit", tmp_path / "t.csv", "-t", "y", "--null", "y=", "-o", tmp_path / "m.silva")
    assert shell(*fit)[0] == 0
    code, out, err = shell("evaluate", tmp_path / "m.silva", tmp_path / "t.csv", "-t", "y")
    assert code == 0
    assert "Warning" not in err
    assert "4 rows" in out


def test_words_that_a_model_knows_are_values(tmp_path, shell):
    (tmp_path / "t.csv").write_text("x,y\n" + "NA,a\nEU,b\nAS,b\n" * 3)
    fit = ("fit", tmp_path / "t.csv", "-t", "y", "--null", "x=", "-o", tmp_path / "m.silva")
    assert shell(*fit)[0] == 0
    _, out, _ = shell("predict", tmp_path / "m.silva", "-", stdin="x,z\nNA,1\nEU,1\n")
    assert out.split()[1:] == ["a", "b"]


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
    assert "'maybe' in line 2 (row 0, counted from 0) where the model needs yes or no" in err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--encoding", "nope"], 2, "'nope' is not known to Python"),
        (["--delimiter", ";;"], 2, "is not one character"),
        (["--decimal", "x"], 2, "--decimal"),
        (["--text", "pricey"], 1, "--text 'pricey': there is no such column; did you mean 'price'"),
        (["--null", "pricey=7"], 1, "there is no column 'pricey'; did you mean 'price=7'?"),
        (["--text", "zip", "--number", "zip"], 1, "--text and --number name the column 'zip'"),
        (
            ["--number", "state"],
            1,
            "holds 'fine' in line 3 (row 1, counted from 0) where --number asks for a number",
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


def customers(n_rows=200):
    """Rows of which the number tells the class as well as the age; 12 ages are not known."""
    rows = ["id,card,age,seen,y"]
    for i in range(n_rows):
        age = -999 if i % 17 == 3 else 20 + i * 37 % 60
        day = "1900-01-01" if i % 40 == 1 else f"2024-{1 + i % 12:02}-{1 + i % 28:02}"
        rows.append(f"{1000 + i},C{i * 7919 % 10007},{age},{day},{'no' if i < 100 else 'yes'}")
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_fit_leaves_out_columns_that_hardly_repeat(kind, tmp_path, shell):
    (tmp_path / "t.csv").write_text(customers())
    fit = ("fit", tmp_path / "t.csv", "-t", "y", "--model", kind, "-o", tmp_path / "m.silva")
    code, _, err = shell(*fit)
    assert code == 0
    assert "left out 'id', 'card': values hardly repeat (--keep COLUMN to use one)" in err
    assert "Warning" not in err
    assert silva.load(tmp_path / "m.silva").feature_names_in_.tolist() == ["age", "seen"]
    _, _, err = shell("predict", tmp_path / "m.silva", tmp_path / "t.csv")
    assert "columns that the model does not use: id, card, y" in err
    code, _, err = shell(*fit, "--keep", "id", "--force")
    assert "left out 'card'" in err
    assert "id" in silva.load(tmp_path / "m.silva").feature_names_in_
    code, _, err = shell(*fit, "--keep", "idd", "--force", "-q")
    assert (code, err) == (
        1,
        "Error: --keep 'idd': there is no such column; did you mean 'id'?\n",
    )


def test_doctor_gives_the_option_that_mends_marks(tmp_path, shell):
    import json
    import shlex

    (tmp_path / "t.csv").write_text(customers())
    doctor = ("doctor", tmp_path / "t.csv", "-t", "y", "--format", "json")
    found = json.loads(shell(*doctor)[1])["problems"]
    odd = [one for one in found if one["sort"] == "a probable mark of missing values"]
    assert [(one["column"], one["seen"].split(";")[0]) for one in odd] == [
        ("age", "-999 in 12 rows"),
        ("seen", "1900-01-01 in 5 rows"),
    ]
    options = [
        word
        for one in odd
        for word in shlex.split(one["advice"].split("say so: ")[1].split(" in the")[0])
    ]
    code, out, err = shell(*doctor, *options)
    assert code == 0
    assert "probable mark" not in out
    missing = {one["name"]: one["missing"] for one in json.loads(out)["columns"]}
    assert (missing["age"], missing["seen"]) == (12, 5)
    assert "read as missing: -999 12 times, 1900-01-01 5 times" in err


SIZES = "size,y\nS,a\nM,a\nL,b\nXL,b\n-,\nS,a\n"


def test_ordered_levels_are_those_of_the_model(tmp_path, shell):
    """A level that the list lacks is an unseen value at predict."""
    model = tmp_path / "m.silva"
    (tmp_path / "t.csv").write_text(SIZES.replace("-,", "-,a"))
    options = ("--ordered", "size=S,M,L,XL,XXL", "-o", model)
    code, out, err = shell("fit", tmp_path / "t.csv", "-t", "y", *options)
    assert code == 0, err
    assert "size < L → a" in out
    assert "(1 of ordered levels, 1 of text)" in err
    (column,) = silva.load(model).grown_tree_.schema.columns
    assert (column.kind, column.levels) == ("ordinal", ("S", "M", "L", "XL", "XXL"))
    assert shell("predict", model, "-", "-q", stdin="size\nXXL\nS\nhuge\n")[1].split() == [
        *("prediction", "b", "a", "a")
    ]


def test_marks_in_ordered_columns_are_missing_at_predict_as_in_training(tmp_path, shell):
    model = tmp_path / "m.silva"
    rows = [f"{size},{y}\n" for size, y in (("S", "a"), ("M", "a"), ("L", "b"), ("-", "b"))]
    (tmp_path / "t.csv").write_text("size,y\n" + "".join(rows * 5))
    options = ("--ordered", "size=S,M,L", "--missing", "learn", "-o", model)
    code, _, err = shell("fit", tmp_path / "t.csv", "-t", "y", *options)
    assert code == 0, err
    assert "read as missing: - 5 times" in err
    _, out, err = shell("predict", model, tmp_path / "t.csv")
    assert out.split()[1:] == ["a", "a", "b", "b"] * 5
    assert "read as missing: - 5 times" in err
    _, out, err = shell("evaluate", model, tmp_path / "t.csv", "-t", "y")
    assert "read as missing: - 5 times" in err


def test_listed_levels_are_no_words_for_missing_cells(tmp_path):
    (tmp_path / "t.csv").write_text(SIZES)
    options = TableOptions(ordered=("size=-,S,M,L,XL",))
    data = read_table(str(tmp_path / "t.csv"), options)
    assert data.column("size").tolist() == ["S", "M", "L", "XL", "-", "S"]
    assert data.columns["size"].ordered
    assert data.columns["size"].levels == ("-", "S", "M", "L", "XL")


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (
            "size=S,M,L",
            r"'XL' in line 5 \(row 3, counted from 0\), which is not among the levels",
        ),
        ("sise=S,M", "there is no such column; did you mean 'size'?"),
        ("size=S,M,S", "lists 'S' more than once"),
        ("size", "'size' lists no levels"),
        ("size=S", "at least two levels"),
        ("size=S,,M", "lists 'S,,M'"),
    ],
)
def test_wrong_orders_are_refused(tmp_path, choice, message):
    (tmp_path / "t.csv").write_text(SIZES)
    with pytest.raises(DataError, match=message):
        read_table(str(tmp_path / "t.csv"), TableOptions(ordered=(choice,)))
    both = TableOptions(ordered=("size=S,M,L,XL",), number=("size",))
    with pytest.raises(DataError, match="--ordered and --number name"):
        read_table(str(tmp_path / "t.csv"), both)
    with pytest.raises(DataError, match="'size' twice"):
        read_table(str(tmp_path / "t.csv"), TableOptions(ordered=("size=S,M",) * 2))


def test_orders_of_numbers_and_of_names_with_signs(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a=b": 3, "c": "x, y"}\n{"a=b": null, "c": "z"}\n')
    options = TableOptions(ordered=("a=b=3,1", 'c=z,"x, y"'))
    data = read_table(str(tmp_path / "t.jsonl"), options)
    assert data.columns["a=b"].codes.tolist() == [0, -1]
    assert data.columns["c"].codes.tolist() == [1, 0]


def test_enums_of_queries_and_ordered_columns_of_arrow_are_ordered(tmp_path):
    (tmp_path / "t.csv").write_text(SIZES)
    query = "SELECT size::ENUM('S', 'M', 'L', 'XL') AS size FROM data WHERE size <> '-'"
    column = read_table(str(tmp_path / "t.csv"), TableOptions(query=query)).columns["size"]
    assert (column.levels, column.ordered) == (("S", "M", "L", "XL"), True)
    pa = pytest.importorskip("pyarrow")
    parts = [
        pa.DictionaryArray.from_arrays([1, None, 0], ["z", "a"], ordered=is_ordered)
        for is_ordered in (True, False)
    ]
    table = pa.table({"size": parts[0], "town": parts[1]})
    with (
        pa.OSFile(str(tmp_path / "t.arrow"), "w") as sink,
        pa.ipc.new_file(sink, table.schema) as f,
    ):
        f.write_table(table)
    data = read_table(str(tmp_path / "t.arrow"))
    assert (data.columns["size"].levels, data.columns["size"].ordered) == (("z", "a"), True)
    assert data.column("size").tolist() == data.column("town").tolist() == ["a", None, "z"]
    assert not hasattr(data.columns["town"], "ordered")


def test_repeated_levels_of_arrow_have_no_order(tmp_path):
    pa = pytest.importorskip("pyarrow")
    column = pa.DictionaryArray.from_arrays([0, 1, 2], ["z", "a", "z"], ordered=True)
    table = pa.table({"size": column})
    with (
        pa.OSFile(str(tmp_path / "t.arrow"), "w") as sink,
        pa.ipc.new_file(sink, table.schema) as f,
    ):
        f.write_table(table)
    assert read_table(str(tmp_path / "t.arrow")).column("size").tolist() == ["z", "a", "z"]


@pytest.mark.parametrize(("known", "missing"), [("12", "NA"), ("xy", "")])
def test_rows_without_a_target_are_dropped_if_asked(tmp_path, shell, known, missing):
    rows = [f"{i},{missing if i in (3, 7) else known[i % 2]}\n" for i in range(12)]
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(rows))
    (tmp_path / "same.csv").write_text(
        "x,y\n" + "".join(rows[i] for i in range(12) if i not in (3, 7))
    )
    words = ("-t", "y", "--task", "classification")
    code, _, err = shell("fit", tmp_path / "t.csv", *words)
    assert code == 1
    assert re.search(r"missing.* in row 3 \(2 (such )?rows in all\)", err)
    more = ("--drop-missing-target", "-o", tmp_path / "m.silva", "--validate", tmp_path / "t.csv")
    code, out, err = shell("fit", tmp_path / "t.csv", *words, *more)
    assert code == 0, err
    assert err.count("dropped 2 rows without a value in 'y'") == 2
    plain = shell("fit", tmp_path / "same.csv", *words, "--validate", tmp_path / "same.csv")[1]
    assert out == plain
    for verb in ("evaluate", "rules", "doctor"):
        model = () if verb == "doctor" else (tmp_path / "m.silva",)
        found = shell(verb, *model, tmp_path / "t.csv", "-t", "y", "--drop-missing-target")
        assert found[0] == 0, found[2]
        assert "dropped 2 rows without a value in 'y'" in found[2]


def test_a_target_without_a_value_stays_an_error(tmp_path, shell):
    (tmp_path / "t.csv").write_text("x,y\n1,\n2,\n")
    code, _, err = shell("fit", tmp_path / "t.csv", "-t", "y", "--drop-missing-target")
    assert code == 1
    assert "no row has a value in the column 'y'" in err


def test_tables_of_excel_give_predictions_for_all_rows(tmp_path, shell):
    """Never an empty output with exit code 0: the line break in the header cost all rows."""
    (tmp_path / "t.csv").write_bytes(b'a,"b\nx",y\r\n1,2,p\r\n3,4,q\r\n')
    model = tmp_path / "m.silva"
    assert shell("fit", tmp_path / "t.csv", "-t", "y", "-o", model)[0] == 0
    assert shell("predict", model, tmp_path / "t.csv")[:2] == (0, "prediction\np\nq\n")
