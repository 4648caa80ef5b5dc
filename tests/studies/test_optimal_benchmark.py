"""The benchmark of the exact search on tables small enough for a test; nothing is about time."""

import itertools
import os
import sys

import numpy as np
import pytest

import silva
from benchmarks.optimal import __main__ as command
from benchmarks.optimal import held_out, measure, report
from benchmarks.optimal.cases import FAMILIES, OPEN, Case
from benchmarks.optimal.contenders import (
    Question,
    core,
    core_answer,
    ranked,
    reached_leaves,
    solver_time,
)
from benchmarks.optimal.encodings import ENCODED, encode
from benchmarks.optimal.held_out_report import paired, summary
from benchmarks.optimal.measure import Plan
from benchmarks.optimal.processes import Worker, workers


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two tables of 40 rows under names that the cases know."""
    random = np.random.default_rng(0)
    for place, name, cells in (
        ("binarised", "zoo-1", random.integers(0, 2, (40, 4))),
        ("continuous", "contree-bank", random.normal(size=(40, 3)).round(2)),
    ):
        (tmp_path / place).mkdir()
        target = cells[:, :1] > 0
        head = ",".join([*(f"x{i}" for i in range(cells.shape[1])), "class"])
        whole = np.hstack([cells, target])
        file = tmp_path / place / f"{name}.csv"
        np.savetxt(file, whole, fmt="%g", delimiter=",", header=head, comments="")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    return tmp_path


def figure(errors, proved=True, cpu=1.0, **more):
    told = {"errors": errors, "splits": 1, "proved": proved, "cpu": cpu, "gap": None, "details": {}}
    return {**told, "n": 100, "p": 3, **more}


def test_families_ask_what_the_targets_name():
    asked = {name: list(cases()) for name, cases in FAMILIES.items()}
    assert {name: len(cases) for name, cases in asked.items() if name != "more"} == {
        "binary": 32, "continuous": 20, "penalty": 16, "incumbent": 52, "memory": 4,
    }  # fmt: skip
    every = itertools.chain.from_iterable(asked.values())
    assert {(one.source, one.table, one.depth) for one in every if not one.settled} == OPEN


@pytest.mark.parametrize(
    ("left_out", "expected"),
    [
        ("monk1", [[1, 0, 0, 1, 0], [0, 1, 0, 0, 1], [0, 0, 1, 1, 0]]),
        ("monk1-f", [[0, 0, 0], [1, 0, 1], [0, 1, 0]]),
        ("monk1-l", [[1, 0, 1], [0, 1, 0], [0, 0, 1]]),
    ],
)
def test_an_encoding_keeps_the_levels_that_its_ending_says(left_out, expected):
    cells = np.array([["1", "a", "no"], ["2", "b", "yes"], ["3", "a", "no"]])
    X, y = encode(left_out, cells)
    assert X.tolist() == expected
    assert y.tolist() == [0, 1, 0]


def test_a_name_is_no_feature():
    X, _ = encode("zoo", np.array([["bear", "1", "a"], ["crab", "0", "b"]]))
    assert ENCODED["zoo"].skipped == 1
    assert X.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("settled", "value", "proved", "verdict"),
    [
        (True, 10, True, True),
        (True, 10, False, True),
        (True, 11, False, None),
        (True, 11, True, False),
        (True, 9, False, False),
        (False, 9, True, True),
        (False, 11, False, None),
        (False, 11, True, False),
    ],
)
def test_values_are_held_against_what_is_known(settled, value, proved, verdict):
    assert Case("binary", "t", 3, value=10, settled=settled).agrees(value, proved) is verdict


def test_a_penalised_value_is_accuracy_less_the_splits():
    case = Case("penalty", "t", None, "0.01", 0.94)
    assert case.reached(0, 6, 124) == pytest.approx(0.94)
    assert case.agrees(case.reached(0, 6, 124), True) is True
    assert case.agrees(0.95, True) is False


def test_the_answer_of_the_core_is_counted_from_its_tree():
    class Search:
        upper, lower, proved, memory, work = 6, 4, False, 1, 2

        def tree(self):
            column, position = np.array([0, -1, 1, -1, -1]), np.array([2, 0, 1, 0, 0])
            return column, position, np.array([1, -1, 3, -1, -1]), np.array([2, -1, 4, -1, -1])

    ranks, levels = ranked(np.array([[0.1, 7], [0.2, 7], [0.3, 7], [0.3, 8], [0.3, 8]]))
    assert levels.tolist() == [3, 2]
    assert reached_leaves(Search().tree(), ranks).tolist() == [1, 1, 3, 4, 4]
    answer = core_answer(Search(), ranks, np.array([0, 1, 2, 1, 1]), 2, 0.5)
    assert (answer.errors, answer.splits, answer.proved, answer.gap) == (1, 2, False, 1.0)


def test_the_core_is_asked_in_whole_numbers(monkeypatch):
    told = {}

    class Search:
        upper, lower, proved, memory, work = 1, 1, True, 1, 2

        def __init__(self, *data, **choices):
            told.update(
                shapes=[getattr(one, "shape", one) for one in data], costs=data[-1], **choices
            )

        def start(self, *question):
            told["question"] = question

        def advance(self, seconds, work):
            told["seconds"] = seconds

        def tree(self):
            return None

    monkeypatch.setattr(silva._core, "OptimalSearch", Search, raising=False)
    X, y = np.array([[0], [1], [1], [1]]), np.array([0, 1, 1, 2])
    answer = core(X, y, Question(None, "0.015", seconds=3.0, memory=5))()
    assert told["shapes"] == [(1, 4), (1,), (4,), 3, (4,), (3, 3)]
    assert told["costs"].tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert told["question"] == (None, None, 200, 3 * 4, 1, None)
    assert (told["memory"], told["n_threads"], told["seconds"]) == (5, 1, 3.0)
    assert (answer.errors, answer.splits) == (2, 0)


def test_the_search_of_a_peer_is_timed_apart():
    with solver_time("math", "sqrt") as spent:
        import math

        assert math.sqrt(4.0) == 2.0
    assert spent["solver"] >= 0
    with solver_time("collections", "Counter", "total") as spent:
        import collections

        assert collections.Counter("aab").total() == 3
    assert "solver" in spent


def test_contenders_run_apart_and_take_turns(folder):
    case = Case("binary", "zoo-1", 2, value=0)
    names = {"greedy": None, "scikit-learn": None}
    with workers(names, folder, None) as asked:
        found = measure.compared(case, asked, Plan(2, 1.0, {}))
        known = measure.compared(case, asked, Plan(1, 1.0, {case.key: {"greedy": {"cpu": 7.0}}}))
        missing = asked["greedy"].ask(Case("binary", "absent", 2), Question(2))
    assert {name: one["errors"] for name, one in found.items()} == {"greedy": 0, "scikit-learn": 0}
    assert known["greedy"] == {"cpu": 7.0}
    assert "no file binarised/absent.csv" in missing["failed"]


def test_a_process_that_ends_is_told_and_started_anew(folder):
    case = Case("continuous", "bank", 2)
    worker = Worker("nobody", sys.executable, None, folder)
    assert "ended by itself" in worker.ask(case, Question(2))["failed"]
    worker.end()
    assert "ended by itself" in worker.ask(case, Question(2))["failed"]


def test_a_table_judges_speed_and_values():
    one, two, three = (Case("binary", name, 3, value=5) for name in "abc")
    results = {
        one: {"silva": figure(5, cpu=0.5), "pystreed": figure(5, cpu=2.0)},
        two: {"silva": figure(5), "pystreed": figure(6, proved=False)},
        three: {"silva": figure(4), "pystreed": {"failed": "it fell over"}},
    }
    text, good = report.section("binary", results, "silva")
    assert not good
    assert "|  | 4.00 | 5 | yes |" in text
    assert "|  | > 1.00 | 5 | yes |" in text
    assert "it fell over" in text
    assert "faster on 3 of 3 (target 27 of 32): met" in text
    assert "4.00 times as fast in the geometric mean of 1 (target 2): met" in text
    assert "c d3: silva says 4, known is 5: MISSED" in text


def test_incumbents_and_memory_are_judged():
    case = Case("incumbent:binary", "a", 3)
    greedy = {"greedy": figure(5, cpu=0.1), "scikit-learn": figure(4, cpu=0.1)}
    text, good = report.section(
        "incumbent", {case: {"silva": figure(5, cpu=0.1), **greedy}}, "silva"
    )
    assert not good
    assert "no worse than either greedy tree on 0 of 1: MISSED" in text
    case = Case("memory:binary", "a", 3)
    tight = figure(5, peak=2**20, limit=2**20)
    text, good = report.section(
        "memory", {case: {"free": figure(5, peak=2**24), "tight": tight}}, ""
    )
    assert good
    text, good = report.section("penalty", {Case("penalty", "a", None, "0.01"): {}}, "silva")
    assert good
    assert "no file here: lymph" in text


def test_the_command_runs(folder, tmp_path, capsys):
    kept = tmp_path / "figures.json"
    asked = ["--only", "continuous", "--tables", "bank", "--depths", "3"]
    known = {"continuous/bank d3": {"pycontree": figure(23, cpu=0.1)}}
    measure.write(kept, known)
    told = ["--data", str(folder), "--repeats", "1", "--peers-from", str(kept), "--json", str(kept)]
    assert command.main([*asked, *told]) == 1
    printed = capsys.readouterr().out
    assert "bank d3: silva says 0, known is 23: MISSED" in printed
    assert set(measure.read(kept, ["silva"])["continuous/bank d3"]) == {"silva"}


class StandIn(silva.TreeClassifier):
    """A greedy tree that claims a proof, in the place of the exact search."""

    def __init__(self, max_depth=3, time_limit=60, n_jobs=1, random_state=None):
        super().__init__(max_depth=max_depth, n_jobs=n_jobs, random_state=random_state)
        self.time_limit = time_limit

    proved_ = True


@pytest.fixture
def study(monkeypatch, tmp_path):
    """The folds of one small table, greedy trees as optimal ones, and the file of figures."""
    pd = pytest.importorskip("pandas")
    random = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"number": random.normal(size=120), "text": random.choice(["a", "b"], 120)}
    )
    frame.loc[::11, "number"] = np.nan
    target = np.where((frame["number"] > 0) ^ (random.random(120) < 0.2), "yes", "no")
    monkeypatch.setattr(held_out, "read", lambda folder, table: (frame, target))
    monkeypatch.setattr(silva, "OptimalTreeClassifier", StandIn, raising=False)
    return tmp_path / "folds.jsonl"


def test_held_out_folds_are_paired_and_kept(study, capsys):
    wanted = ["--tables", "heart", "--depths", "2", "--out", str(study)]
    assert held_out.main(wanted) == 0
    printed = capsys.readouterr().out
    assert "| heart | 120 |" in printed
    assert "| 2 | greedy, same depth | 1 | +0.00" in printed
    lines = study.read_text().splitlines()
    assert len(lines) == held_out.FOLDS * (1 + len(held_out.RIVALS))
    assert held_out.main(wanted) == 0
    assert capsys.readouterr().out == printed
    assert study.read_text().splitlines() == lines


def test_pruned_rivals_have_no_more_leaves(study):
    frame, target = held_out.read(None, "heart")
    part = next(held_out.dealt(frame, target))
    for leaves in (1, 2, 5):
        assert held_out.pruned_as_large(part, 3, leaves).leaves <= leaves
    assert held_out.pruned_as_large(part, 3, 1000).leaves == part.full.n_leaves


def test_a_paired_difference_has_the_error_of_folds_that_share_rows():
    right = {"optimal": (6, 7, 8), "other": (5, 5, 5)}
    folds = [
        held_out.Fold("t", 2, i, name, right[name][i], 10, 0, 20, 2, None, 0.0)
        for i in range(3)
        for name in right
    ]
    mean, error = paired(folds, "other")
    assert mean == pytest.approx(0.2)
    assert error == pytest.approx(np.sqrt((1 / 3 + 1 / 2) * 0.01))
    assert "| 2 | other | 1 | +20.00 (nan) | +0.00 | 1 / 0 / 0 | 1 / 0 |" in summary(folds)


def test_the_study_has_twenty_tables():
    assert len(held_out.TABLES) == 20
