import gzip
import io
from pathlib import Path

import numpy as np
import pytest

import silva
from silva.cli.main import run
from silva.cli.training import choose_task, parse_settings


@pytest.fixture
def course(examples):
    return str(examples / "course.csv")


@pytest.fixture
def fit(course, capsys):
    """Runs `silva fit` on the course table and returns its exit code, output and messages."""

    def command(*arguments, data=course):
        code = run(["fit", data, *arguments])
        return code, *capsys.readouterr()

    return command


def test_tree_and_baseline_are_printed(fit):
    code, out, err = fit("--target", "liked", "--drop", "rating")
    assert code == 0
    assert "├─ Sys = no → yes (10 rows: yes 100%)" in out
    assert out.splitlines()[-1].split()[:4] == ["training", "20", "0.9500", "0.6000"]
    assert "classification of 'liked'" in err


def test_quiet_says_nothing(fit):
    assert fit("-t", "liked", "--quiet")[2] == ""


def test_regression_when_asked(fit):
    code, out, err = fit("-t", "rating", "--task", "regression", "--drop", "liked")
    assert code == 0
    assert out.startswith("regression tree (squared_error)")
    assert "--task overrides" not in err


def test_settings_reach_the_estimator(fit):
    code, out, _ = fit("-t", "liked", "--set", "max_depth=1", "--set", "criterion=entropy")
    assert code == 0
    assert out.startswith("classification tree (entropy): 3 nodes, 2 leaves, depth 1")


def test_options_for_single_parameters(fit, examples, tmp_path):
    tennis = str(examples / "play_tennis.csv")
    chosen = ["--criterion", "gain_ratio", "--splits", "multiway", "--missing", "own_branch"]
    model = str(tmp_path / "model.silva")
    chosen += ["--set", "category_gain=plain", "--unseen", "stop"]
    code, out, _ = fit("-t", "PlayTennis", *chosen, "-o", model, data=tennis)
    assert code == 0
    assert out.startswith("classification tree (gain_ratio): 8 nodes, 5 leaves, depth 2")
    params = silva.load(model).get_params()
    assert (params["splits"], params["missing"]) == (["multiway"], "own_branch")
    assert params["unseen"] == "stop"


def test_a_plan_and_leaves_by_name(fit, examples, tmp_path):
    tennis, model = str(examples / "play_tennis.csv"), str(tmp_path / "model.silva")
    chosen = ["-t", "PlayTennis", "--plan", "ID3", "--leaf", "laplace", "-o", model]
    code, out, _ = fit(*chosen, data=tennis)
    assert code == 0
    assert out.startswith("classification tree (entropy): 8 nodes, 5 leaves, depth 2")
    assert (silva.load(model).plan, silva.load(model).leaf) == ("ID3", "laplace")


def test_equal_trees_for_equal_seeds(fit):
    chosen = ["-t", "liked", "--drop", "rating", "--set", "max_features=1", "--seed"]
    assert fit(*chosen, "5") == fit(*chosen, "5")
    assert len({fit(*chosen, str(seed))[1] for seed in range(5)}) > 1


def test_model_is_saved_and_never_overwritten_unasked(fit, tmp_path):
    model = tmp_path / "model.silva"
    assert fit("-t", "liked", "-o", str(model))[0] == 0
    before = model.read_bytes()
    code, out, err = fit("-t", "rating", "-o", str(model))
    assert (code, out) == (1, "")
    assert "--force" in err
    assert model.read_bytes() == before
    assert fit("-t", "rating", "-o", str(model), "--force")[0] == 0
    assert model.read_bytes() != before


def test_held_out_rows_are_not_trained_on(fit):
    code, out, _ = fit("-t", "liked", "--drop", "rating", "--held-out", "0.25")
    assert code == 0
    *_, training, held_out, parts = out.splitlines()
    assert training.split()[:2] == ["training", "15"]
    assert held_out.split()[:2] == ["held-out", "5"]
    assert parts == "15 training rows; 5 held-out rows, which chose nothing"


def test_validation_file_is_read_like_the_training_file(fit, tmp_path):
    train, validate = tmp_path / "train.csv", tmp_path / "validate.csv"
    train.write_text("code,y\n1,no\nx,yes\n1,no\nx,yes\n")
    validate.write_text("y,extra,code\nyes,0,1\nno,0,1\n")
    code, out, err = fit("-t", "y", "--validate", str(validate), data=str(train))
    assert code == 0, err
    assert out.splitlines()[-1].split()[:4] == ["held-out", "2", "0.5000", "0.5000"]


def test_validation_file_must_have_the_columns(fit, tmp_path):
    validate = tmp_path / "validate.csv"
    validate.write_text("liked,Easy\nyes,no\n")
    code, _, err = fit("-t", "liked", "--validate", str(validate))
    assert code == 1
    assert "lacks the column 'rating'" in err


def test_gzip_standard_input_and_parquet_give_the_same_tree(fit, course, tmp_path, monkeypatch):
    text = Path(course).read_text()
    code, expected, _ = fit("-t", "liked")
    assert code == 0
    with gzip.open(tmp_path / "course.csv.gz", "wt") as stream:
        stream.write(text)
    assert fit("-t", "liked", data=str(tmp_path / "course.csv.gz"))[1] == expected
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert fit("-t", "liked", data="-")[1] == expected
    polars = pytest.importorskip("polars")
    polars.read_csv(course).write_parquet(tmp_path / "course.parquet")
    assert fit("-t", "liked", data=str(tmp_path / "course.parquet"))[1] == expected


def test_held_out_works_on_parquet(fit, course, tmp_path):
    polars = pytest.importorskip("polars")
    polars.read_csv(course).write_parquet(tmp_path / "course.parquet")
    chosen = ["-t", "liked", "--held-out", "0.5"]
    expected = fit(*chosen)
    assert expected[0] == 0
    assert fit(*chosen, data=str(tmp_path / "course.parquet"))[:2] == expected[:2]


def test_big_trees_are_cut_and_say_so(fit, tmp_path):
    rows = np.random.default_rng(0).integers(0, 2, (500, 2))
    table = tmp_path / "noise.csv"
    table.write_text("x,y\n" + "\n".join(f"{2 * i},{y}" for i, (_, y) in enumerate(rows)))
    _, out, _ = fit("-t", "y", "--show-nodes", "5", data=str(table))
    assert "hidden" in out
    assert len(out.splitlines()) < 20


def test_output_without_unicode_is_drawn_in_ascii(fit, monkeypatch):
    monkeypatch.setattr("silva.cli.fitted.draws_unicode", lambda: False)
    assert fit("-t", "liked")[1].isascii()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-t", "like"], 1, "did you mean 'liked'"),
        (["-t", "liked", "--drop", "zzz"], 1, "--drop 'zzz'"),
        (["-t", "liked", "--set", "max_dept=3"], 2, "did you mean 'max_depth'"),
        (["-t", "liked", "--set", "max_depth"], 2, "key=value"),
        (["-t", "liked", "--set", "max_depth=0"], 1, "max_depth=0"),
        (["-t", "liked", "--set", "random_state=1"], 2, "--seed"),
        (["-t", "liked", "--criterion", "ginni"], 1, "Did you mean 'gini'"),
        (["-t", "liked", "--criterion", "gini", "--set", "criterion=error"], 2, "give one of them"),
        (["-t", "liked", "--splits", "subsets"], 2, "'subset'"),
        (["-t", "liked", "--missing", "drop"], 2, "'own_branch'"),
        (["-t", "liked", "--plan", "ID4"], 2, "'ID3'"),
        (["-t", "liked", "--plan", "ID3", "--set", "max_depth=2"], 1, "max_depth=2"),
        (["-t", "liked", "--plan", "greedy_accuracy"], 1, "column 'rating' is continuous"),
        (["-t", "liked", "--leaf", "constant"], 1, "leaf='constant'"),
        (["-t", "liked", "--held-out", "0.01"], 1, "leaves no row"),
        (["-t", "liked", "--held-out", "1.5"], 2, "--held-out"),
        (["-t", "liked", "--task", "regression"], 1, "liked|target"),
    ],
)
def test_refusals(fit, arguments, code, message):
    found, out, err = fit(*arguments)
    assert (found, out) == (code, "")
    assert "Traceback" not in err
    assert any(part in err for part in message.split("|"))


def test_held_out_and_validate_exclude_each_other(fit, course):
    code, _, err = fit("-t", "liked", "--held-out", "0.5", "--validate", course)
    assert code == 2
    assert "exclude" in err


def test_an_output_without_folder_is_refused_before_any_work(fit, tmp_path):
    code, out, err = fit("-t", "liked", "-o", str(tmp_path / "no" / "model.silva"))
    assert (code, out) == (1, "")
    assert f"there is no folder {tmp_path / 'no'}" in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n", "has no rows below its header"),
        ("y\n1\n2\n", "add columns to learn from"),
        ('x,y\n1,"a\n2,b\n', "a quote that is never closed"),
        ("x,Y\n1,a\n2,b\n", "did you mean 'Y'"),
    ],
)
def test_bad_files(fit, tmp_path, text, message):
    table = tmp_path / "table.csv"
    table.write_text(text)
    code, out, err = fit("-t", "y", data=str(table))
    assert (code, out) == (1, "")
    assert message in err


def test_absurdly_large_settings(fit):
    code, out, _ = fit("-t", "liked", "--set", f"max_depth={10**30}")
    assert (code, "classification tree" in out) == (0, True)


def test_missing_targets_are_refused(fit, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("x,y\n1,a\n2,\n")
    code, _, err = fit("-t", "y", data=str(table))
    assert code == 1
    assert "row 1" in err


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (np.array(["a", None], dtype=object), "classification"),
        (np.array([True, False]), "classification"),
        (np.array([0.0, 1.0, np.nan]), "classification"),
        (np.arange(10), "classification"),
        (np.arange(11), "regression"),
        (np.array([0.5, 1.0]), "regression"),
    ],
)
def test_choice_of_task(values, task):
    assert choose_task(values)[0] == task


def test_settings_are_none_json_or_text():
    settings = parse_settings(["a=None", "b=3", "c=0.5", "d=gini", 'e={"x": 2}', "f=True"])
    assert settings == {"a": None, "b": 3, "c": 0.5, "d": "gini", "e": {"x": 2}, "f": True}


def test_saved_model_equals_the_python_one(fit, tmp_path):
    model = tmp_path / "model.silva"
    _, out, _ = fit("-t", "liked", "--drop", "rating", "-o", str(model))
    assert out.startswith(silva.to_text(silva.load(model)))


def test_pruning_names_the_leaf_size_that_was_chosen(fit, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.random(200)
    rows = "\n".join(
        f"{a},{b}" for a, b in zip(x, np.sin(6 * x) + 0.5 * rng.normal(size=200), strict=True)
    )
    (tmp_path / "noise.csv").write_text(f"x,y\n{rows}\n")
    code, out, _ = fit("-t", "y", "--prune", "auto", data=str(tmp_path / "noise.csv"))
    assert code == 0
    last = out.splitlines()[-1]
    assert last.startswith("pruned by Auto(cv=10, repeats=5, seed=0, leaf_sizes=(5, 20)): ")
    assert last.endswith("; tree with at least 5 rows in each leaf")
