"""What single verbs print: the records of silva.inspect, and models that they write."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import silva
from silva.inspect import differences, evaluate, model_info


def test_evaluate_prints_the_record(zoo, silva_command):
    for kind in ("forest", "tree of numbers", "bare tree"):
        target = zoo.target(kind)
        code, out, err = silva_command("evaluate", zoo.path(kind), zoo.table, "-t", target, "-q")
        assert (code, err) == (0, "")
        assert out == f"{evaluate(zoo.models[kind], zoo.X, zoo.rows[target])}\n"


def test_evaluate_by_weights_of_a_column(zoo, silva_command):
    line = ["evaluate", zoo.path("stump"), zoo.table, "-t", "repaid", "--weight", "age", "-q"]
    code, out, _ = silva_command(*line, "--format", "json")
    expected = evaluate(zoo.models["stump"], zoo.X, zoo.rows["repaid"], zoo.rows["age"])
    assert json.loads(out) == json.loads(json.dumps(expected.to_dict()))
    code, _, err = silva_command(*line[:-3], "--weight", "ages")
    assert (code, "did you mean 'age'?" in err) == (1, True)


def test_labels_are_read_as_the_model_knows_them(tmp_path, silva_command):
    table = tmp_path / "table.csv"
    table.write_text("x,y\n" + "1,007\n2,008\n" * 5)
    model = tmp_path / "model.silva"
    assert silva_command("fit", table, "-t", "y", "-o", model, "--text", "y", "-q")[0] == 0
    assert silva.load(model).classes_.tolist() == ["007", "008"]
    code, out, err = silva_command("evaluate", model, table, "-t", "y", "-q")
    assert code == 0, err
    assert "accuracy                       1" in out


def test_rules_are_those_of_python(zoo, silva_command):
    model, rows = zoo.models["tree"], (zoo.X, zoo.rows["repaid"])
    line = ["rules", zoo.path("tree")]
    assert silva_command(*line)[1] == f"{silva.rules(model)}\n"
    line += [zoo.table, "-t", "repaid", "-q"]
    found = silva.rules(model, *rows, order="lift", simplify=True, digits=2)
    shown = silva_command(*line, "--order", "lift", "--simplify", "--digits", "2")
    assert shown == (0, f"{found}\n", "")
    found = silva.rules(model, *rows, simplify="c45rules")
    assert silva_command(*line, "--c45rules") == (0, f"{found}\n", "")
    _, out, _ = silva_command(*line, "--format", "csv")
    frame = pd.read_csv(io.StringIO(out), dtype={"nodes": str})
    expected = silva.rules(model, *rows).to_frame()
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--simplify", "--c45rules"], "exclude each other"),
        (["--c45rules"], "needs the training rows"),
        (["-t", "repaid"], "DATA and --target go together"),
        (["--weight", "age"], "--weight is for the rows of DATA"),
    ],
)
def test_rules_that_are_wrong_usage(options, message, zoo, silva_command):
    code, out, err = silva_command("rules", zoo.path("tree"), *options)
    assert (code, out) == (2, "")
    assert message in err


def test_info_prints_the_record_and_the_file(zoo, silva_command):
    path = zoo.path("adaboost")
    code, out, err = silva_command("info", path)
    assert (code, err) == (0, "")
    head, _, rest = out.partition("\n")
    assert head.startswith(f"{path}: ")
    assert head.endswith(f"format 1.0, written by silva {silva.__version__}")
    assert rest == f"{model_info(zoo.models['adaboost'])}\n"
    found = json.loads(silva_command("info", path, "--format", "json")[1])
    assert (found["trees"], found["library_version"]) == (4, silva.__version__)


def test_compare_prints_both_records(zoo, silva_command):
    pair = zoo.models["tree"], zoo.models["stump"]
    paths = zoo.path("tree"), zoo.path("stump")
    _, out, _ = silva_command("compare", *paths)
    assert out == f"A: {paths[0]}\nB: {paths[1]}\n{differences(*pair)}\n"
    _, out, _ = silva_command("compare", *paths, zoo.table, "-t", "repaid", "-q")
    told = [model.predict(zoo.X) for model in pair]
    truth = zoo.rows["repaid"].to_numpy()
    assert f"predictions differ on {np.count_nonzero(told[0] != told[1])} of 20 rows" in out
    scores = [f"{np.mean(one == truth):.4f}" for one in told]
    assert f"accuracy: A {scores[0]}, B {scores[1]}" in out
    assert "McNemar's exact test: p = " in out
    shares = [model.predict_proba(zoo.X)[:, 1] for model in pair]
    areas = [f"{roc_auc_score(truth, one):.4g}" for one in shares]
    assert f"AUC: A {areas[0]}, B {areas[1]}" in out
    line = ("compare", *paths, zoo.table, "-t", "repaid", "--weight", "age", "-q")
    _, out, _ = silva_command(*line)
    scores = [f"{np.average(one == truth, weights=zoo.rows['age']):.4f}" for one in told]
    assert f"accuracy: A {scores[0]}, B {scores[1]}" in out
    code, _, err = silva_command("compare", *paths, zoo.table, "--weight", "age")
    assert code == 2
    assert "give DATA and --target too" in err


def test_compare_on_data_needs_the_same_task(zoo, tmp_path, silva_command):
    paths = zoo.path("tree"), zoo.path("tree of numbers")
    assert silva_command("compare", *paths)[0] == 0
    code, out, err = silva_command("compare", *paths, zoo.table, "-q")
    assert (code, out) == (1, "")
    assert "their predictions cannot be compared; leave DATA out" in err
    other = tmp_path / "text.silva"
    rows = zoo.X.assign(age=["young", "old"] * 10)
    silva.save(silva.TreeClassifier().fit(rows, zoo.rows["repaid"]), other)
    code, _, err = silva_command("compare", paths[0], other, zoo.table, "-q")
    assert code == 1
    assert "the models read the column 'age' in two ways" in err


def test_doctor_prints_what_checkup_finds(tmp_path, silva_command):
    table = tmp_path / "table.csv"
    table.write_text(
        "row,name,same,y\n" + "".join(f"{i},n{i}x,1,{'ab'[i % 2]}\n" for i in range(30))
    )
    code, out, err = silva_command("doctor", table, "-t", "y")
    assert code == 0
    assert "classification of 'y', because" in err
    for part in ("row: row numbers", "name: columns that look like", "same: constant column"):
        assert part in out
    _, out, _ = silva_command("doctor", table, "-t", "y", "--drop", "row", "--format", "csv", "-q")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["column"] for row in rows][:2] == ["name", "same"]


def test_prune_writes_the_pruned_model(zoo, tmp_path, silva_command):
    output = tmp_path / "small.silva"
    line = ["prune", zoo.path("tree"), zoo.table, "-t", "repaid", "-o", output, "-q"]
    code, out, err = silva_command(*line, "--prune", "pessimistic")
    assert (code, err) == (0, "")
    assert out.startswith("Pessimistic(")
    pruned = silva.load(output)
    expected = silva.TreeClassifier(prune="pessimistic").fit(zoo.X, zoo.rows["repaid"])
    assert str(pruned.grown_tree_) == str(expected.grown_tree_)
    assert "Pessimistic" in repr(pruned.prune)
    assert zoo.models["tree"].prune is None


def test_prune_of_a_bare_tree_gives_a_bare_tree(zoo, tmp_path, silva_command):
    output = tmp_path / "small.silva"
    line = ["prune", zoo.path("bare tree"), "-o", output, "-q", "--prune"]
    assert silva_command(*line, "max_leaves", "--set", "max_leaves=2")[0] == 0
    assert isinstance(silva.load(output), silva.Tree)
    assert silva.load(output).n_leaves == 2


def test_prune_on_validation_rows_marks_the_score(zoo, tmp_path, silva_command):
    output, rows = tmp_path / "small.silva", tmp_path / "rows.csv"
    zoo.rows.iloc[::3].assign(repaid="no").to_csv(rows, index=False)
    line = ["prune", zoo.path("tree"), rows, "-t", "repaid", "-o", output, "-q"]
    assert silva_command(*line, "--prune", "reduced_error")[0] == 0
    pruned = silva.load(output)
    assert pruned.get_n_leaves() < zoo.models["tree"].get_n_leaves()
    assert pruned.summary_.chose
    assert pruned.summary_.held_out.rows == 7


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--prune", "pesimistic"], 2, "there is no such pruner; did you mean 'pessimistic'?"),
        (["--prune", "max_leaves"], 2, "needs --set max_leaves=VALUE"),
        (["--prune", "max_leaves", "--set", "leaves=3"], 2, "did you mean 'max_leaves'?"),
        (["--prune", "max_leaves", "--set", "max_leaves=0"], 1, "max_leaves"),
        (["--prune", "pessimistic"], 1, "looks at rows: give the table DATA and its --target"),
        (["--prune", "reduced_error"], 1, "looks at rows: give the table DATA and its --target"),
        (["-t", "repaid", "--prune", "auto"], 2, "DATA and --target go together"),
    ],
)
def test_prunings_that_are_not_possible(options, code, message, zoo, tmp_path, silva_command):
    output = tmp_path / "small.silva"
    found, out, err = silva_command("prune", zoo.path("tree"), "-o", output, *options)
    assert (found, out) == (code, "")
    assert message in err
    assert not output.exists()


def test_prune_says_which_rows_it_needs(zoo, tmp_path, silva_command):
    rows, output = tmp_path / "rows.csv", tmp_path / "small.silva"
    zoo.rows.head(5).to_csv(rows, index=False)
    line = ["prune", zoo.path("tree"), rows, "-t", "repaid", "-o", output, "-q"]
    code, _, err = silva_command(*line, "--prune", "pessimistic")
    assert (code, "grew from 20 rows and 5 rows are given" in err) == (1, True)
    code, _, err = silva_command(*line, "--prune", "pessimistic", "--rows", "validation")
    assert (code, "give --rows training" in err) == (1, True)
    line[1:3] = [zoo.path("bare tree"), zoo.table]
    code, _, err = silva_command(*line, "--prune", "cost_complexity")
    assert (code, "a bare tree does not say how it was grown" in err) == (1, True)
    assert silva_command(*line, "--prune", "auto", "--rows", "validation")[0] == 0


@pytest.fixture
def pictures(monkeypatch):
    """What was drawn: stands in for silva.to_svg and silva.plot_tree."""
    calls = []

    class Axes:
        def __init__(self):
            from matplotlib.figure import Figure

            self.figure = Figure()

    def to_svg(model, **options):
        calls.append(options)
        return "<svg>ä</svg>"

    def plot_tree(model, **options):
        calls.append(options)
        return Axes()

    monkeypatch.setattr(silva, "to_svg", to_svg, raising=False)
    monkeypatch.setattr(silva, "plot_tree", plot_tree, raising=False)
    return calls


BEGINNINGS = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}


@pytest.mark.parametrize(("end", "begin"), BEGINNINGS.items())
def test_plot_writes_the_picture(end, begin, zoo, tmp_path, pictures, silva_command):
    output = tmp_path / f"tree.{end}"
    options = ["--tree", "2", "--max-depth", "3", "--max-listed", "all", "--max-nodes", "9"]
    code, out, err = silva_command("plot", zoo.path("forest"), "-o", output, *options)
    assert (code, out, err) == (0, "", f"drew the tree in {output}\n")
    assert output.read_bytes().startswith(begin)
    limits = {"max_depth": 3, "min_rows": None, "max_nodes": 9, "max_listed": None}
    assert pictures == [{"tree": 2, **limits}]


def test_plot_prints_svg_and_refuses_other_names(zoo, tmp_path, pictures, silva_command):
    assert silva_command("plot", zoo.path("tree"), "-o", "-") == (0, "<svg>ä</svg>\n", "")
    code, _, err = silva_command("plot", zoo.path("tree"), "-o", tmp_path / "tree.gif")
    assert (code, "end the name in .svg, .png, .pdf" in err) == (2, True)
    code, _, err = silva_command("plot", zoo.path("forest"), "-o", "-", "--tree", "4")
    assert (code, "counted from 0 to 3" in err) == (2, True)
    code, _, err = silva_command("plot", zoo.path("tree"), "-o", "-", "--tree", "0")
    assert (code, "holds one tree" in err) == (2, True)


def test_plot_without_matplotlib_says_what_to_install(zoo, tmp_path, monkeypatch, silva_command):
    monkeypatch.setattr("silva.cli.drawing.find_spec", lambda _: None)
    code, _, err = silva_command("plot", zoo.path("tree"), "-o", tmp_path / "tree.png")
    assert code == 1
    assert "pip install 'silva-trees[plot]', or write name.svg" in err


@pytest.mark.parametrize("name", ["tree.svg", "tree.png"])
def test_fit_draws_the_tree(tmp_path, examples, silva_command, name):
    picture = tmp_path / name
    line = ["fit", examples / "course.csv", "-t", "liked", "--plot", picture]
    code, _, err = silva_command(*line)
    assert (code, f"drew the tree in {picture}" in err) == (0, True)
    assert picture.read_bytes()[:4] in (b"<svg", b"\x89PNG")
    code, _, err = silva_command(*line)
    assert (code, "exists already; give --force" in err) == (1, True)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--plot", "tree.doc"], "--plot tree.doc: end the name in .svg, .png, .pdf"),
        (["--plot", "tree.svg", "--model", "forest"], "--plot draws one tree"),
    ],
)
def test_pictures_that_fit_cannot_draw(examples, silva_command, more, message):
    code, _, err = silva_command("fit", examples / "course.csv", "-t", "liked", *more)
    assert (code, message in err) == (2, True)


@pytest.mark.parametrize("end", ["svg", "png"])
def test_plot_from_end_to_end(end, zoo, tmp_path, silva_command):
    output = tmp_path / f"tree.{end}"
    for kind, options in (("tree", []), ("forest of numbers", ["--tree", "1"])):
        line = ["plot", zoo.path(kind), "-o", output, "--force", *options]
        assert silva_command(*line)[0] == 0
        assert output.read_bytes().startswith(BEGINNINGS[end])
