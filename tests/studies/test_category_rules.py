"""The rules that the documentation compares: silva's own among them, and simple cases by hand."""

import numpy as np
import pandas as pd
import pytest

import silva
from benchmarks import category_bias, category_rules
from benchmarks.category_rules import COLUMNS, RULES, Levels, World, best_set, simulate
from silva.grow.fair import charge, groups_of, lone_levels
from silva.tree.splits import columns_of, split_of

RANDOM = np.random.default_rng(0)


def test_the_best_set_is_that_of_all_sets():
    levels = Levels(np.array([4, 2, 3, 0]), np.array([1, 2, 0, 0]))
    gains = []
    for mask in range(1, 7):
        right = np.array([(mask >> i) & 1 for i in range(3)], bool)
        rows, ones = levels.rows[:3][right].sum(), levels.ones[:3][right].sum()
        gains.append(float(category_rules.gini_gain(np.array(rows), np.array(ones), levels)))
    assert best_set(levels).gain == pytest.approx(max(gains))


@pytest.mark.parametrize("seed", range(20))
def test_the_fair_rule_is_that_of_the_library(seed: int):
    random = np.random.default_rng(seed)
    town = random.integers(0, 12, 60)
    target = random.random(60) < 0.3 + 0.04 * town
    levels = Levels(np.bincount(town, minlength=12), np.bincount(town, target, 12).astype(int))
    score, right = RULES["fair: rho + sigma, one question free, lone levels unseen"](levels, RANDOM)
    frame = pd.DataFrame({"town": [f"t{one:02}" for one in town]})
    model = silva.TreeClassifier(max_depth=1).fit(frame, target)
    only = silva.edit.competing_splits(model, 0, frame, target)[0]
    assert only.score == pytest.approx(score)
    listed = {f"t{one:02}" for one in np.flatnonzero(right)}
    codes = split_of(model.grown_tree_, 0).codes
    assert {model.grown_tree_.schema.columns[0].levels[one] for one in codes} in (
        listed,
        {f"t{one:02}" for one in np.flatnonzero((levels.rows > 1) & ~right)},
    )


def test_every_rule_chooses_and_is_tried():
    tally = simulate(World(number=2.0), 100, 3, 0)
    assert all(chosen.sum() == 3 for chosen in tally.chosen.values())
    assert tally.chosen["plain"][COLUMNS.index("identifier")] == 3
    assert tally.fresh["plain"] == 0.0
    assert "| plain | 0.0 |" in category_rules.report("number", tally, 3)


def test_the_bias_of_presets(capsys, tmp_path):
    assert category_bias.main(["--repeats", "1", "--figure", str(tmp_path / "bias.svg")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("| ID3 |")
    assert lines[2].endswith("| 100% |")
    assert lines[5].endswith("| 0% |")
    assert (tmp_path / "bias.svg").read_text().startswith("<?xml")


def test_charges_of_stumps_are_those_of_the_function():
    town = RANDOM.integers(0, 9, 80)
    target = RANDOM.normal(size=80)
    frame = pd.DataFrame({"town": [f"t{one}" for one in town]})
    model = silva.TreeRegressor(max_depth=1).fit(frame, target)
    one = silva.edit.competing_splits(model, 0, frame, target)[0]
    bound = silva.data.bind.bind_numbers(target, None, 80)
    assert one.gain - one.score == pytest.approx(
        charge(one.gain, groups_of(town, lone_levels(town, None)), bound)
    )
    assert columns_of(one.split) == (0,)
