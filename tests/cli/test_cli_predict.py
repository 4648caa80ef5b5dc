import csv
import datetime
import io
import math
import os
import re

import numpy as np
import pytest

import silva
from silva.cli.main import run


@pytest.fixture
def loans(examples):
    return examples / "loans.csv"


@pytest.fixture
def model(loans, tmp_path, capsys):
    path = tmp_path / "loans.silva"
    assert run(["fit", str(loans), "-t", "repaid", "-o", str(path)]) == 0
    capsys.readouterr()
    return path


@pytest.fixture
def predict(model, capsys):
    def command(*arguments, model=model):
        code = run(["predict", str(model), *map(str, arguments)])
        return code, *capsys.readouterr()

    return command


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


def test_one_line_a_row(predict, loans):
    code, out, err = predict(loans)
    assert code == 0
    known = [row[-1] for row in rows_of(loans.read_text())[1:]]
    assert rows_of(out) == [["prediction"], *([answer] for answer in known)]
    assert "repaid" in err


def test_shares_add_up(predict, loans):
    _, out, _ = predict(loans, "--proba")
    header, *rows = rows_of(out)
    assert header == ["prediction", "probability of no", "probability of yes"]
    assert all(math.isclose(sum(map(float, row[1:])), 1.0) for row in rows)


def test_columns_are_matched_by_name(predict, loans, tmp_path):
    table = tmp_path / "shuffled.csv"
    table.write_text("\n".join(",".join(row[::-1]) for row in rows_of(loans.read_text())))
    assert predict(table)[1] == predict(loans)[1]


def test_standard_input_and_output_file(predict, loans, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(loans.read_bytes())))
    output = tmp_path / "answers.csv"
    code, out, err = predict("-", "-o", output)
    assert (code, out) == (0, "")
    assert "20 predictions" in err
    assert output.read_text() == predict(loans, "-o", "-")[1]
    code, _, err = predict(loans, "-o", output)
    assert code == 1
    assert "--force" in err
    assert predict(loans, "-o", output, "--force")[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.csv", "loans.silva"]


@pytest.mark.parametrize("verb", ["predict", "fit"])
def test_pipes_and_devices_are_not_replaced(predict, loans, tmp_path, capsys, verb):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/null"):
        if verb == "predict":
            code, out, err = predict(loans, "-o", path, "--force")
        else:
            code = run(["fit", str(loans), "-t", "repaid", "-o", str(path), "--force"])
            out, err = capsys.readouterr()
        assert (code, out) == (1, "")
        assert f"{path}: is not a regular file" in err
    assert pipe.is_fifo()


def test_the_output_file_may_be_a_link(predict, loans, tmp_path):
    (tmp_path / "real.csv").touch()
    (tmp_path / "link.csv").symlink_to("real.csv")
    assert predict(loans, "-o", tmp_path / "link.csv", "--force")[0] == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == predict(loans)[1]


def test_no_rows_give_a_header_alone(predict, loans, tmp_path):
    table = tmp_path / "empty.csv"
    table.write_text(loans.read_text().splitlines()[0])
    assert predict(table)[:2] == (0, "prediction\n")
    assert predict(table, "--proba")[:2] == (0, "prediction,probability of no,probability of yes\n")


def test_absent_column_is_named(predict, loans, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text(loans.read_text().replace("income", "Income", 1))
    code, out, err = predict(table)
    assert (code, out) == (1, "")
    assert "'income'" in err
    assert "'Income'" in err


def test_text_for_a_number_is_located(predict, loans, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text(loans.read_text().replace("2100,", "about 2000,", 1))
    code, out, err = predict(table)
    assert (code, out) == (1, "")
    assert "'about 2000' in line 2 (row 0, counted from 0)" in err


def test_text_column_of_digits_stays_text(tmp_path, capsys):
    train, new, model = tmp_path / "train.csv", tmp_path / "new.csv", tmp_path / "m.silva"
    train.write_text("code,y\n007,a\nx,b\n007,a\nx,b\n")
    new.write_text("code\n007\n")
    assert run(["fit", str(train), "-t", "y", "-o", str(model)]) == 0
    capsys.readouterr()
    assert run(["predict", str(model), str(new)]) == 0
    assert capsys.readouterr().out == "prediction\na\n"


def test_models_fitted_on_booleans_and_numbered_categories(tmp_path, capsys):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"flag": [True, False] * 4, "kind": [3, 3, 7, 7] * 2})
    target = ["a", "b", "c", "d"] * 2
    fitted = silva.TreeClassifier(categorical_features=["kind"]).fit(table, target)
    silva.save(fitted, tmp_path / "m.silva")
    table.to_csv(tmp_path / "new.csv", index=False)
    assert run(["predict", str(tmp_path / "m.silva"), str(tmp_path / "new.csv")]) == 0
    assert capsys.readouterr().out.split() == ["prediction", *target]


def test_models_without_names_take_columns_in_order(tmp_path, capsys):
    fitted = silva.TreeRegressor().fit(np.array([[1.0, 0.0], [2.0, 0.0]]), [10.0, 20.5])
    silva.save(fitted, tmp_path / "m.silva")
    (tmp_path / "new.csv").write_text("a,b\n2,0\n1,0\n")
    assert run(["predict", str(tmp_path / "m.silva"), str(tmp_path / "new.csv")]) == 0
    assert capsys.readouterr().out.split() == ["prediction", "20.5", "10.0"]


def test_regression_has_no_shares(tmp_path, predict, loans, capsys):
    model = tmp_path / "regression.silva"
    assert run(["fit", str(loans), "-t", "loan", "-o", str(model)]) == 0
    capsys.readouterr()
    code, out, err = predict(loans, "--proba", model=model)
    assert (code, out) == (2, "")
    assert "regression" in err


def test_broken_model_file_is_refused(predict, loans, tmp_path):
    broken = tmp_path / "broken.silva"
    broken.write_bytes(b"not a model")
    code, out, err = predict(loans, model=broken)
    assert (code, out) == (1, "")
    assert "Traceback" not in err
    assert "fault of silva" not in err


def test_bare_trees_predict_what_their_estimator_does(predict, model, loans, tmp_path, capsys):
    bare = tmp_path / "bare.silva"
    silva.save(silva.load(model).grown_tree_, bare)
    assert run(["show", str(bare)]) == 0
    capsys.readouterr()
    for options in ([], ["--proba"]):
        assert predict(loans, *options, model=bare)[:2] == predict(loans, *options)[:2]


def test_a_column_without_a_value_in_training_takes_anything(predict, tmp_path, capsys):
    training, later = tmp_path / "training.csv", tmp_path / "later.csv"
    training.write_text("x,empty,y\n1,,a\n2,NA,b\n")
    later.write_text("x,empty\n1,text\n2,3.5\n")
    path = tmp_path / "small.silva"
    assert run(["fit", str(training), "-t", "y", "-o", str(path)]) == 0
    capsys.readouterr()
    code, out, _ = predict(later, model=path)
    assert (code, out.split()) == (0, ["prediction", "a", "b"])


def test_dates_of_parquet_files_and_of_text(predict, tmp_path, capsys):
    """Dates mean the same whatever file they come from; a model of text has no dates."""
    polars = pytest.importorskip("polars")
    days = [datetime.date(2024, 2, day) for day in range(20, 29)]
    table = polars.DataFrame({"admitted": days, "billed": ["no"] * 4 + ["yes"] * 5})
    table.write_parquet(tmp_path / "visits.parquet")
    table.write_csv(tmp_path / "visits.csv")
    dated = tmp_path / "visits.silva"
    for name in ("visits.parquet", "visits.csv"):
        assert run(["fit", str(tmp_path / name), "-t", "billed", "-o", str(dated), "--force"]) == 0
        assert "admitted < 2024-02-23 12:00 → no" in capsys.readouterr().out
        for other in ("visits.parquet", "visits.csv"):
            code, out, _ = predict(tmp_path / other, model=dated)
            assert (code, out.split()) == (0, ["prediction", *["no"] * 4, *["yes"] * 5])
    (tmp_path / "words.csv").write_text("admitted\n2024-02-20\nlast week\n")
    code, _, err = predict(tmp_path / "words.csv", model=dated)
    assert code == 1
    assert "'last week' in line 3 (row 1, counted from 0) where the model needs a date" in err


def test_ids_stand_before_the_predictions(predict, loans, tmp_path):
    lines = loans.read_text().splitlines()
    marks = ["id", "NA", "007", "1.50 ", "-", *map(str, range(5, len(lines)))]
    table = tmp_path / "ids.csv"
    table.write_text("".join(f"{mark},{line}\n" for mark, line in zip(marks, lines, strict=True)))
    code, out, _ = predict(table, "--id", "id", "--id", "age", "-q")
    plain = predict(loans)[1].splitlines()
    ages = [line.split(",")[lines[0].split(",").index("age")] for line in lines]
    assert code == 0
    assert out.splitlines() == [",".join(row) for row in zip(marks, ages, plain, strict=True)]


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["idd"], "--id 'idd': .* has no such column; did you mean 'id'?"),
        (["id", "id"], "--id 'id': the output has a column of this name already"),
        (["prediction"], "--id 'prediction': the output has a column of this name already"),
    ],
)
def test_wrong_ids_are_refused(predict, loans, tmp_path, ids, message):
    header, *lines = loans.read_text().splitlines()
    table = tmp_path / "ids.csv"
    table.write_text("\n".join([f"id,prediction,{header}", *(f"1,2,{line}" for line in lines)]))
    code, out, err = predict(table, *(word for one in ids for word in ("--id", one)))
    assert (code, out) == (1, "")
    assert re.search(message, err)


def test_predictions_as_parquet(predict, loans, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "answers.parquet"
    assert predict(loans, "--id", "age", "--proba", "-o", path)[0] == 0
    found = parquet.read_table(path)
    plain = list(csv.DictReader(io.StringIO(predict(loans, "--id", "age", "--proba")[1])))
    kinds = dict(zip(found.column_names, map(str, found.schema.types), strict=True))
    assert kinds["age"] == "int64"
    assert kinds["prediction"] == "string"
    assert kinds["probability of yes"] == "double"
    assert [{name: str(cell) for name, cell in row.items()} for row in found.to_pylist()] == plain
    code, _, err = predict(loans, "-o", path)
    assert code == 1
    assert "--force" in err
    header = tmp_path / "empty.csv"
    header.write_text(loans.read_text().splitlines()[0])
    assert predict(header, "-o", path, "--force")[0] == 0
    assert parquet.read_table(path).num_rows == 0


def test_ids_of_models_without_names(tmp_path, capsys):
    fitted = silva.TreeRegressor().fit(np.array([[1.0, 0.0], [2.0, 0.0]]), [10.0, 20.5])
    silva.save(fitted, tmp_path / "m.silva")
    (tmp_path / "new.csv").write_text("a,id,b\n2,x,0\n1,y,0\n")
    words = ["predict", str(tmp_path / "m.silva"), str(tmp_path / "new.csv"), "--id"]
    assert run([*words, "id"]) == 0
    assert capsys.readouterr().out.split() == ["id,prediction", "x,20.5", "y,10.0"]
    assert run([*words, "nope"]) == 1
    assert "has 3 columns beside --id, and the model needs 2" in capsys.readouterr().err


def test_names_that_differ_in_case_are_not_written_as_parquet(predict, loans, tmp_path):
    table, path = tmp_path / "ids.csv", tmp_path / "answers.parquet"
    header, line = loans.read_text().splitlines()[:2]
    table.write_text(f"Prediction,{header}\n1,{line}\n")
    code, _, err = predict(table, "--id", "Prediction", "-o", path)
    assert code == 1
    assert "cannot tell the columns 'Prediction' and 'prediction' apart" in err
    assert not path.exists()
    assert predict(table, "--id", "Prediction")[0] == 0


def test_ids_of_every_type(tmp_path, capsys):
    pa = pytest.importorskip("pyarrow")
    moment = datetime.datetime(2024, 2, 29, 8, 30)
    columns = {
        "x": [1.0, 2.0],
        "day": [moment.date(), None],
        "at": pa.array([moment, None], pa.timestamp("us")),
        "instant": pa.array([None, moment], pa.timestamp("us", "UTC")),
        "clock": [moment.time(), None],
        "n": [7, None],
        "share": [0.1, None],
        "flag": [None, True],
    }
    pytest.importorskip("pyarrow.parquet").write_table(pa.table(columns), tmp_path / "t.parquet")
    silva.save(
        silva.TreeRegressor().fit(pa.table({"x": [1.0, 2.0]}), [10.0, 20.5]), tmp_path / "m.silva"
    )
    words = [word for name in columns for word in ("--id", name)]
    code = run(["predict", str(tmp_path / "m.silva"), str(tmp_path / "t.parquet"), *words])
    assert (code, capsys.readouterr().out.splitlines()) == (
        0,
        [
            "x,day,at,instant,clock,n,share,flag,prediction",
            "1.0,2024-02-29,2024-02-29 08:30:00,,08:30:00,7,0.1,,10.0",
            "2.0,,,2024-02-29 08:30 UTC,,,,True,20.5",
        ],
    )
