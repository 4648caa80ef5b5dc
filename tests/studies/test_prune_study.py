"""The pruning study on tables small enough for a test: halves, ranks, methods, the table."""

import json

import numpy as np
import pytest

from benchmarks import prune_study
from benchmarks.prune_candidates import candidates, measured
from benchmarks.prune_methods import FOR_CLASSES, methods_for
from benchmarks.prune_sets import SETS, Part, half
from benchmarks.prune_study import Figure, cross_validated, mean_ranks
from benchmarks.saved import recalled, remember

PEERS = ("scikit-learn, CV", "YDF CART")


@pytest.fixture(params=["classification", "regression"])
def part(request) -> Part:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=200)
    text = np.where(rng.random(200) < 0.5, "a", "b")
    frame = pd.DataFrame({"number": numbers, "text": text})
    frame.loc[::17, "number"] = np.nan
    signal = (numbers > 0) + (text == "a") + 0.5 * rng.normal(size=200)
    is_numbers = request.param == "regression"
    target = signal if is_numbers else np.where(signal > 1, "yes", "no")
    return Part(request.param, frame[:150], target[:150], frame[150:], target[150:])


def test_halves_take_turns():
    for task in ("classification", "regression"):
        names = sorted(name for name in SETS if SETS[name].task == task)
        assert [half(name) for name in names] == [i % 2 for i in range(len(names))]


def test_equals_share_their_rank_and_the_impossible_is_left_out():
    errors = {("t", "a"): 0.1, ("t", "b"): 0.1, ("t", "c"): 0.3, ("u", "a"): 0.2, ("u", "c"): 0.1}
    figures = [Figure(table, method, 2.0, error, 0.0) for (table, method), error in errors.items()]
    assert mean_ranks(figures, ["t", "u"], ["a", "b", "c"]) == {"a": 1.75, "b": 1.5, "c": 2.0}


def test_every_method_of_silva_answers(part):
    methods = {name: one for name, one in methods_for(part.task).items() if name not in PEERS}
    assert set(FOR_CLASSES).isdisjoint(methods) == (part.task == "regression")
    found = cross_validated(methods, [part])
    whole = found["full tree"]
    for leaves, error, _ in found.values():
        assert 1 <= leaves <= whole[0]
        assert 0 <= error < 2


def test_every_candidate_is_judged(part):
    figures = measured("t", [part])
    assert [figure.method for figure in figures] == [str(one) for one in candidates()]
    assert all(1 <= figure.leaves <= part.full.n_leaves for figure in figures)


def test_figures_are_kept_and_shown(tmp_path, capsys, monkeypatch):
    file = tmp_path / "figures.jsonl"
    for method, error in (("full tree", 0.2), ("auto", 0.1)):
        for table in ("adult", "audiology", "abalone"):
            remember(file, Figure(table, method, 3.0, error, 0.5))
    assert len(recalled(file, Figure)) == 6
    assert json.loads(file.read_text().splitlines()[0])["method"] == "full tree"
    wanted = ["--sets", "adult", "audiology", "abalone", "--methods", "full tree", "auto"]
    assert prune_study.main([*wanted, "--out", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "| adult | 20.00 (3) | 10.00 (3) |" in printed
    assert "| auto | 1.00 | 1.00 |  | 1.00 | 1.00 | 1.00 | 0.50 |" in printed
