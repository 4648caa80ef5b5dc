"""The benchmark command works and its table is whole; nothing here is about time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.timing import usable_cpus
from silva import _core

PROJECT = Path(__file__).resolve().parents[2]
ALL_SETS = ["avx512", "avx2", "baseline"]
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
    paths = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, "PYTHONPATH": paths, "SILVA_BENCHMARK_PAUSE": "0"}
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
    "entropy": 1,
    "poisson": 1,
    "sparse": 1,
    "sparse_forest": 1,
    "default_regressor": 1,
    "forest_missing": 1,
    "forest_shapes": 2,
    "wide_forest": 1,
    "threads": 2 * (usable_cpus().bit_length() - 1),
}
COMPARED = ["full_tree", "two_threads", "covertype", "forest", "forest_row"]


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


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """A tiny run with every instruction set that exists: (printed text, JSON rows)."""
    folder = tmp_path_factory.mktemp("instruction_sets")
    output = folder / "rows.json"
    options = ["--data", str(folder), "--json", str(output), "--only", *COMPARED]
    done = command(*TINY, *options, "--isa", *ALL_SETS)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(output.read_text())["rows"]


def test_every_instruction_set_has_its_row(compared):
    printed, rows = compared
    asked = [row for row in rows if row["isa"]]
    assert [row["isa"] for row in asked] == ALL_SETS * (len(asked) // len(ALL_SETS))
    assert {row["case"] for row in rows} == set(COMPARED)
    assert "instruction set" in printed
    assert "of best" in printed


def test_a_row_says_what_share_of_the_best_speed_it_has(compared):
    rows = [row for row in compared[1] if row["isa"]]
    for first in range(0, len(rows), len(ALL_SETS)):
        same = {row["isa"]: row for row in rows[first : first + len(ALL_SETS)]}
        best = same[_core.instruction_sets()[0]]
        for name in _core.instruction_sets():
            assert same[name]["share"] == pytest.approx(best["silva"] / same[name]["silva"])
            if same[name]["peer"] == "scikit-learn":
                assert same[name]["theirs"] == best["theirs"]
                assert same[name]["value"] == pytest.approx(best["theirs"] / same[name]["silva"])


def test_an_instruction_set_that_the_machine_lacks_says_so(monkeypatch):
    monkeypatch.syspath_prepend(str(PROJECT))
    from benchmarks.isa import row_of
    from benchmarks.rows import times_row

    same = [times_row("case", "work", "CPU s", ours, "peer", 6.0) for ours in (2.0, 3.0)]
    absent = row_of("avx512", same, ["avx2", "baseline"])
    assert absent.silva is absent.share is absent.value is None
    assert "no such instructions" in absent.note
    assert row_of("baseline", same, ["avx2", "baseline"]).share == pytest.approx(2 / 3)


def test_the_aimed_shares_need_avx512(monkeypatch):
    monkeypatch.syspath_prepend(str(PROJECT))
    from benchmarks.isa import shares
    from benchmarks.rows import Row

    assert "need a machine" in shares([Row("case", "work", isa="avx2", share=1.0)])
    rows = [Row("case", "work", isa="avx512", share=1.0), Row("case", "w", isa="avx2", share=0.5)]
    told = shares(rows)
    assert told.splitlines() == ["avx2: 0 of 1 works reach 60% of the speed of AVX-512", "  w: 50%"]


def test_cases_without_times_are_not_compared():
    done = command("--isa", "baseline", "--only", "memory")
    assert done.returncode == 2
    assert "memory" in done.stderr


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
