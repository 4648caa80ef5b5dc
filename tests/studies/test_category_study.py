"""The category study on tables made here: added columns, scores, losses, shares, ranks, tables."""

import argparse
import json
from pathlib import Path

import numpy as np
import pytest

import silva
from benchmarks import category_study
from benchmarks.category_methods import METHODS, PAIRS, PEERS, SILVA, Method
from benchmarks.category_report import (
    clean_cells,
    compared,
    enough,
    kept_cells,
    kept_share,
    loss_error,
    mean_losses,
    mean_share,
    rank_of_fair,
    report,
    standard_error,
    table_losses,
    verdict,
    wins_of_both,
)
from benchmarks.category_study import Figure, Work, cross_validated, scores_of, works
from benchmarks.category_tables import (
    ADDED,
    AS_THEY_COME,
    CLEAN,
    COLUMNS,
    JUNK,
    NAMED,
    QUICK,
    TABLES,
    USEFUL,
    read_variant,
    standard_score,
    useful_town,
    variants_of,
    with_column,
)
from benchmarks.prune_sets import SETS, Part, half, read
from benchmarks.rows import Skip
from benchmarks.saved import recalled

FAIR, PLAIN = "silva tree, fair", "silva tree, plain"


def majority(part: Part) -> np.ndarray:
    """The most frequent class, or the mean."""
    if part.task == "regression":
        return np.full(len(part.X_test), part.y.mean())
    labels, counts = np.unique(part.y, return_counts=True)
    return np.full(len(part.X_test), labels[counts.argmax()])


def by_added(part: Part) -> np.ndarray:
    """Overfits: the class of the last training row with the same added level."""
    if ADDED not in part.X:
        return majority(part)
    told = dict(zip(part.X[ADDED], part.y, strict=True))
    return np.array([told.get(level, "a") for level in part.X_test[ADDED]])


@pytest.fixture
def frame():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    return pd.DataFrame({"number": rng.normal(size=600)})


@pytest.fixture
def target():
    return np.where(np.random.default_rng(1).random(600) < 0.6, "a", "b")


def fold_scores(*values: float) -> np.ndarray:
    return np.array([values], float)


def made(cells: dict) -> dict:
    """Scores of one fold by table, variant and method."""
    return {key: fold_scores(value, value) for key, value in cells.items()}


def test_there_are_twenty_tables_with_both_tasks_in_both_halves():
    assert len(set(TABLES)) == len(TABLES) >= 20
    for number in (0, 1):
        tasks = [SETS[name].task for name in TABLES if half(name) == number]
        assert min(tasks.count("classification"), tasks.count("regression")) >= 4
    assert {*NAMED, *QUICK} <= set(TABLES)


def test_every_table_with_categories_is_in(shared_data):
    pytest.importorskip("pandas")
    for name in set(SETS) - set(TABLES):
        columns, _ = read(shared_data, name)
        assert columns.select_dtypes(exclude="number").empty, name


def test_tables_as_they_come_keep_their_names(shared_data):
    pytest.importorskip("pandas")
    added = {
        table: set(read_variant(shared_data, table, AS_THEY_COME)[0])
        - set(read_variant(shared_data, table, CLEAN)[0])
        for table in ("titanic", "auto-mpg", "zoo", "breast")
    }
    assert added == {
        "titanic": {"PassengerId", "Name", "Ticket"},
        "auto-mpg": {"car_name"},
        "zoo": {"animal_name"},
        "breast": {"id"},
    }


@pytest.mark.parametrize(
    ("variant", "n_levels", "most_rows"),
    [("identifier", 600, 1), ("near-identifier", 300, 2), ("town, 50", 50, 600)],
)
def test_useless_columns_have_their_levels(frame, target, variant, n_levels, most_rows):
    counts = with_column("pima", variant, frame, target)[ADDED].value_counts()
    assert len(counts) == n_levels
    assert counts.max() <= most_rows


def test_added_columns_follow_from_the_names_alone(frame, target):
    for variant in COLUMNS:
        first, again = (with_column("pima", variant, frame, target) for _ in range(2))
        other = with_column("heart", variant, frame, target)
        assert first.equals(again)
        assert not first.equals(other)
        assert list(frame) == ["number"]
    assert with_column("pima", CLEAN, frame, target) is frame
    known = with_column("pima", "identifier", frame, target)[ADDED][:3].tolist()
    assert known == ["level 524", "level 554", "level 213"]


def test_scores_of_the_target_are_standardised(target):
    numbers = np.array([1.0, 2.0, 6.0])
    assert standard_score("boston", numbers) == pytest.approx((numbers - 3) / np.sqrt(14 / 3))
    scores = standard_score("pima", target)
    assert scores.mean() == pytest.approx(0)
    assert scores.std() == pytest.approx(1)
    assert len(np.unique(scores)) == 2


def test_a_useful_town_is_drawn_by_its_effect_on_the_score():
    """Given the score z, town t has probability exp(e_t z) over the sum of all towns."""
    n_rows = 40_000
    score = np.repeat([-1.0, 1.0], n_rows // 2)
    towns = useful_town(3)(np.random.default_rng(5), score)
    effects = np.random.default_rng(5).normal(size=3)
    for z in (-1.0, 1.0):
        expected = np.exp(effects * z) / np.exp(effects * z).sum()
        found = np.bincount(towns[score == z], minlength=3) / (n_rows // 2)
        assert found == pytest.approx(expected, abs=0.015)


def test_only_the_useful_town_depends_on_the_target(frame):
    """Variance between the towns' means, in the units that noise has."""
    numbers = np.random.default_rng(3).normal(size=len(frame))
    between = {}
    for variant in (USEFUL, "town, 50"):
        towns = with_column("boston", variant, frame, numbers)[ADDED].to_numpy()
        means = np.array([numbers[towns == town].mean() for town in towns])
        between[variant] = means.var() / numbers.var() / (len(set(towns)) / len(towns))
    assert between["town, 50"] < 1.5 < between[USEFUL]


def test_r2_is_clipped_and_accuracy_is_a_share(frame):
    y = np.array([0.0, 1.0, 2.0])
    part = Part("regression", frame[:3], y, frame[:3], y)
    wild = category_study.score(part, np.array([50.0, 0.0, 9.0]))
    assert (wild, category_study.score(part, np.array([0.0, 1.0, 1.0]))) == (-1.0, 0.5)
    labels = np.array(["a", "b", "b"])
    part = Part("classification", frame[:3], labels, frame[:3], labels)
    assert cross_validated(lambda _: np.array(["a", "b", "a"]), [part]) == [pytest.approx(2 / 3)]


def test_losses_are_means_over_the_tables_that_are_there():
    variants = dict(zip(JUNK, (0.7, 0.8, 0.9, 1.0), strict=True))
    cells = {("heart", variant, FAIR): score for variant, score in variants.items()}
    cells |= {("heart", CLEAN, FAIR): 0.9, ("pima", CLEAN, FAIR): 0.6}
    cells |= {("pima", "identifier", FAIR): 0.5, ("zoo", "identifier", FAIR): 0.0}
    losses = mean_losses(made(cells), ["heart", "pima", "zoo"], FAIR)
    assert list(losses) == [*JUNK, "mean"]
    assert list(losses.values()) == pytest.approx([0.15, 0.1, 0.0, -0.1, 0.0375])
    assert mean_losses({}, ["heart"], FAIR)["mean"] is None
    single = table_losses(made(cells), ["heart", "pima", "zoo"], FAIR)
    assert single == pytest.approx([0.05, 0.1])
    assert loss_error(single) == pytest.approx(0.025)
    assert loss_error(single[:1]) is None


def test_the_verdict_names_the_limit():
    assert [verdict(loss, "tree") for loss in (0.003, 0.01, 0.011)] == [
        "aim met (<= 0.3)", "met (<= 1)", "missed (<= 1)",
    ]  # fmt: skip
    assert verdict(0.004, "forest") == "met (<= 0.5)"
    assert verdict(0.5, "boosting") == ""


def test_shares_of_the_plain_win():
    cells = {(table, CLEAN, method): 0.5 for table in "tuv" for method in (FAIR, PLAIN)}
    wins = {"t": (0.1, 0.2), "u": (0.3, 0.2), "v": (0.01, -0.1)}
    for table, (fair, plain) in wins.items():
        cells |= {(table, USEFUL, FAIR): 0.5 + fair, (table, USEFUL, PLAIN): 0.5 + plain}
    found = wins_of_both(made(cells), ["t", "u", "v", "w"], FAIR, PLAIN)
    assert found == pytest.approx(np.array(list(wins.values())))
    assert kept_share(found) == pytest.approx(0.41 / 0.3)
    assert enough(found).tolist() == found[:2].tolist()
    assert mean_share(found[:2]) == pytest.approx((0.5 + 1.5) / 2)
    assert kept_cells(found) == [
        "13.67", "10.00", "137%", "2 of 3 tables", "100%", "100%", "met",
    ]  # fmt: skip
    lost = kept_cells(-found[:2])
    assert lost[2:] == ["plain wins nothing", "0 of 2 tables", "", "", ""]
    assert kept_share(-found) is None
    assert kept_share(found[:0]) is None


def test_the_standard_error_is_that_of_paired_folds():
    differences = np.array([[0.0, 0.1, 0.2, 0.3, 0.4], [0.1] * 5])
    deviation = np.std(differences[0], ddof=1)
    assert standard_error(differences) == pytest.approx(deviation / np.sqrt(5) / 2)
    scores = {("t", CLEAN, FAIR): 1 - differences, ("t", CLEAN, PLAIN): np.ones((2, 5))}
    mean, error = compared(scores, "t", FAIR, PLAIN)
    assert (mean, error) == pytest.approx((-0.15, standard_error(differences)))
    assert compared(scores, "u", FAIR, PLAIN) is None


def test_ranks_share_ties_and_name_what_is_worse():
    assert [rank_of_fair(one) for one in (0.1, 0.0, 1e-9, -0.1)] == [1.0, 1.5, 1.5, 2.0]
    cells = clean_cells({"t": (-0.02, 0.01), "u": (-0.01, 0.01), "v": (0.0, 0.0)})
    assert cells == ["-1.00", "1.83", "1 of 3: t (-2.00, error 1.00)"]


def test_every_model_has_a_twin_by_the_plain_gain():
    assert all(fair in SILVA and plain in SILVA for fair, plain in PAIRS)
    assert len(PAIRS) == 4


@pytest.fixture(params=["classification", "regression"])
def part(request, frame, target) -> Part:
    """Numbers, text and missing cells; levels in the held-out rows that training has not seen."""
    text = np.array(["x", "y", "z"], object)[np.arange(600) % 3]
    frame = frame.assign(text=text, code=[f"level {row // 7}" for row in range(600)])
    frame.loc[::17, ["number", "text"]] = None
    y = frame["number"].fillna(0).to_numpy() if request.param == "regression" else target
    return Part(request.param, frame[:450], y[:450], frame[450:], y[450:])


@pytest.mark.parametrize("name", ["silva tree, one-vs-rest", *PEERS])
def test_methods_predict_tables_with_text_and_missing_cells(name, part):
    pytest.importorskip(METHODS[name].module)
    [found] = cross_validated(METHODS[name].predict, [part])
    assert 0.3 < found <= 1


@pytest.mark.parametrize("name", [name for pair in PAIRS for name in pair])
def test_silva_gets_the_gain_of_the_name(name, part, monkeypatch):
    if part.task not in METHODS[name].tasks:
        return
    asked = []

    class Model:
        """Remembers what it was made with."""

        def __init__(self, *estimator, **choices):
            asked.append(choices)

        def fit(self, X, y):
            return self

        def predict(self, X):
            return majority(part)

    for kind in ("Tree", "Forest", "ExtraTrees", "AdaBoost"):
        for ending in ("Classifier", "Regressor"):
            monkeypatch.setattr(silva, kind + ending, Model, raising=False)
    METHODS[name].predict(part)
    assert asked[0]["category_gain"] == name.rpartition(", ")[2]
    assert asked[-1].get("n_estimators", 30) == 30


def test_work_leaves_out_what_a_task_cannot_do():
    found = works(["heart", "boston", "zoo"], ["silva AdaBoost, fair"])
    assert {work.table for work in found} == {"heart", "zoo"}
    assert [work.variant for work in found if work.table == "zoo"] == list(variants_of("zoo"))
    assert variants_of("zoo") == (*variants_of("heart"), AS_THEY_COME)


@pytest.fixture
def cheap(monkeypatch, frame, target):
    """Two cheap methods, and a table made here for each name."""
    methods = {FAIR: Method("tree", majority), PLAIN: Method("tree", by_added)}
    for module in ("category_study", "category_report"):
        monkeypatch.setattr(f"benchmarks.{module}.METHODS", {**METHODS, **methods})

    def read_made(folder, table, variant):
        return with_column(table, variant, frame, target), target

    monkeypatch.setattr(category_study, "read_variant", read_made)
    return ["--tables", "heart", "penguins", "--methods", FAIR, PLAIN, "--jobs", "1"]


def test_the_command_saves_resumes_and_reports(cheap, tmp_path, capsys):
    file = tmp_path / "figures.json"
    assert category_study.main([*cheap, "--save", str(file)]) == 0
    printed = capsys.readouterr().out
    figures = recalled(file, Figure)
    assert len(figures) == 2 * 6 * 2
    assert np.shape(figures[0].scores) == (3, 5)
    assert json.loads(file.read_text().splitlines()[0])["table"] == "heart"
    assert (
        f"| {FAIR} | report half | 0.00 | 0.00 | 0.00 | 0.00 | 0.00 |  | 0.00 | 0.00 |  | aim met"
        in printed
    )
    assert "missed (<= 1)" in printed
    assert category_study.main([*cheap, "--save", str(file)]) == 0
    again = capsys.readouterr()
    assert (again.out, again.err) == (printed, "")
    assert len(recalled(file, Figure)) == len(figures)


def test_one_half_has_only_its_tables(cheap, capsys):
    assert category_study.main([*cheap, "--half", "0", "--details"]) == 0
    printed = capsys.readouterr()
    assert f"### {FAIR}: points won" in printed.out
    assert "| penguins | 0 | 0." in printed.out
    assert "report half" not in printed.out
    assert "heart" not in printed.err


def test_all_folds_are_the_same_for_all_methods(cheap):
    work = [Work("heart", variant, FAIR) for variant in (CLEAN, USEFUL)]
    clean, useful = (category_study.measure(one, Path()) for one in work)
    assert clean.scores == useful.scores


def test_a_missing_library_is_left_out_and_named(monkeypatch, capsys):
    methods = {"peer": Method("tree", majority, "no_such_library"), FAIR: METHODS[FAIR]}
    monkeypatch.setattr(category_study, "METHODS", methods)
    assert category_study.usable(methods) == [FAIR]
    assert "left out: peer, because no_such_library is missing" in capsys.readouterr().err


def test_missing_files_are_named(tmp_path, capsys):
    pytest.importorskip("pandas")
    arguments = ["--data", str(tmp_path), "--tables", "heart", "--methods", FAIR, "--jobs", "1"]
    assert category_study.main(arguments) == 1
    assert "no file heart_cleveland.csv" in capsys.readouterr().err


def test_the_reason_of_another_process_arrives(tmp_path):
    pytest.importorskip("pandas")
    options = argparse.Namespace(jobs=2, data=tmp_path)
    with pytest.raises(Skip, match="no file heart_cleveland"):
        list(category_study.measured([Work("heart", CLEAN, FAIR)], options))


def test_the_report_shows_every_section():
    cells = {}
    for table, variant, method in (
        (t, v, m) for t in NAMED for v in variants_of(t) for m in METHODS
    ):
        cells[table, variant, method] = 0.5 if variant == CLEAN else 0.75
    printed = report(made(cells), NAMED)
    for title in ("trees, points", "forests, points", "boosting, points", "Win by", "Share of"):
        assert title in printed
    assert "| YDF CART | 0.750 (0.500) | 0.750 (0.500) | 0.750 (0.500) | 0.750 (0.500) |" in printed
    assert "| silva forest, fair | choice half | 25.00 | 25.00 | 100% | 1 of 1 tables |" in printed
    assert "| silva tree, fair | report half | 0.00 | 1.50 | 0 of 3 |" in printed


def test_saved_scores_are_found_by_table_variant_and_method():
    figure = Figure("heart", CLEAN, FAIR, [[0.5, 0.7]])
    assert scores_of([figure])["heart", CLEAN, FAIR].mean() == pytest.approx(0.6)
