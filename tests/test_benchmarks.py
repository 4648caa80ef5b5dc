"""The benchmark command works and its table is whole; nothing here is about time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
TINY = ["--scale", "0.002", "--repeats", "1", "--peers", "scikit-learn"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """One tiny run of every case, without covertype: (printed text, JSON rows by case)."""
    folder = tmp_path_factory.mktemp("benchmarks")
    output = folder / "rows.json"
    done = command(*TINY, "--data", str(folder), "--json", str(output))
    assert done.returncode == 0, done.stderr
    content = json.loads(output.read_text())
    by_case = {}
    for row in content["rows"]:
        by_case.setdefault(row["case"], []).append(row)
    return done.stdout, content, by_case


def command(*arguments):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments],
        cwd=PROJECT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


EXPECTED_ROWS = {
    "full_tree": 1,
    "two_threads": 1,
    "covertype": 1,
    "regression": 1,
    "shallow": 1,
    "iris": 2,
    "predict": 2,
    "memory": 2,
    "growth": 10,
    "categories": 1,
    "subset_search": 4,
    "raw": 1,
    "pruning": 6,
    "adaboost": 2,
    "adaboost_predict": 2,
    "forest": 2,
    "extra_trees": 2,
    "forest_covertype": 1,
    "forest_predict": 1,
    "forest_row": 2,
    "forest_memory": 2,
}


def test_every_case_has_its_rows(run):
    _, _, by_case = run
    assert {case: len(rows) for case, rows in by_case.items()} == EXPECTED_ROWS


def test_a_case_without_its_data_says_why(run):
    printed, _, by_case = run
    assert "covertype.csv.gz" in by_case["covertype"][0]["note"]
    assert "skipped: no file covertype.csv.gz" in printed


def test_the_printed_table_names_every_work(run):
    printed, content, _ = run
    assert all(row["work"] in printed for row in content["rows"])


def test_compared_rows_hold_both_figures_and_their_ratio(run):
    _, content, _ = run
    timed = [row for row in content["rows"] if row["unit"] == "times" and row["value"] is not None]
    assert len(timed) >= 8
    for row in timed:
        assert row["value"] == pytest.approx(row["theirs"] / row["silva"])


def test_full_trees_fit_their_training_rows(run):
    _, _, by_case = run
    assert "train accuracy 1.0000 / 1.0000" in by_case["full_tree"][0]["note"]
    assert "train R2 1.0000 / 1.0000" in by_case["regression"][0]["note"]


def test_targets_are_not_judged_on_small_tables(run):
    printed, content, _ = run
    assert all(row["met"] is None for row in content["rows"])
    assert "targets are judged at full size only" in printed


def test_an_unknown_case_is_refused():
    done = command("--only", "no_such_case")
    assert done.returncode == 2
    assert "no_such_case" in done.stderr


@pytest.mark.parametrize(
    ("sense", "value", "met"),
    [(">=", 20, True), (">=", 19.9, False), (">", 20, False), ("<=", 20, True), ("<=", 21, False)],
)
def test_a_target_is_met_in_its_own_sense(monkeypatch, sense, value, met):
    monkeypatch.syspath_prepend(str(PROJECT))
    from benchmarks.rows import Row, Target

    assert Row("case", "work", value=value, target=Target(sense, 20)).judged().met is met


def test_mean_depth_weighs_leaves_by_their_rows(monkeypatch):
    monkeypatch.syspath_prepend(str(PROJECT))
    from sklearn.tree import DecisionTreeClassifier

    from benchmarks.fits import mean_depth

    model = DecisionTreeClassifier(random_state=0).fit([[0], [0], [0], [1], [2]], [0, 0, 0, 1, 0])
    assert mean_depth(model.tree_) == pytest.approx((3 * 1 + 1 * 2 + 1 * 2) / 5)
