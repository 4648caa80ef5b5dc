"""Tables as ordered columns: every partition once, and each split finds its test again."""

import numpy as np
import pandas as pd
import pytest

from silva.data.bind import bind_training
from silva.errors import PlanError
from silva.optimal import ordered
from silva.optimal.ordered import Pairs
from silva.optimal.questions import asks_all_sets, questions_of
from silva.tree.splits import Multiway, Subset, Threshold
from tests.optimal.raw_oracle import ordered_sides, set_sides

PLENTY = 10**9


def asked(frame, max_bins=None, max_subset_levels=6, memory=PLENTY, **choices):
    table = bind_training(frame, **choices)
    return questions_of(table, np.ones(len(frame)), max_bins, max_subset_levels, memory)


def partitions(questions):
    """Every pair of sides that a test makes, as a set of the rows with row 0."""
    found = set()
    for ranks, levels in zip(questions.ranks, questions.levels, strict=True):
        for position in range(1, levels):
            found.add(with_first(np.flatnonzero(ranks < position), len(ranks)))
    return found


def with_first(rows, n_rows):
    side = frozenset(int(row) for row in rows)
    return side if 0 in side else frozenset(range(n_rows)) - side


def cells(frame, column):
    return [(None if pd.isna(value) else value,) for value in frame[column]]


def expected(frame, sides, *more):
    n_rows = len(frame)
    found = {
        with_first(side, n_rows)
        for column in frame
        for side in sides(cells(frame, column), 0, *more)
        if 0 < len(side) < n_rows
    }
    return found - {frozenset(range(n_rows))}


@pytest.mark.parametrize("missing", [False, True])
def test_numbers_have_every_threshold_and_both_sides_for_missing_values(missing):
    values = np.array([3.0, 1.0, 2.0, 2.0, -0.0, 0.0, np.inf, 1e-300])
    if missing:
        values[[1, 4]] = np.nan
    frame = pd.DataFrame({"x": values})
    questions = asked(frame)
    assert partitions(questions) == expected(frame, ordered_sides)
    assert len(questions.columns) == 1 + missing
    for ranks, levels in zip(questions.ranks, questions.levels, strict=True):
        assert sorted(set(ranks.tolist())) == list(range(levels))


@pytest.mark.parametrize("most", [0, 3, 6])
@pytest.mark.parametrize("missing", [False, True])
def test_categories_have_all_sets_or_one_against_the_rest(missing, most):
    texts = ["a", "b", "c", "d", "b", "a", "e"]
    if missing:
        texts[2] = None
    frame = pd.DataFrame({"x": texts})
    assert partitions(asked(frame, max_subset_levels=most)) == expected(frame, set_sides, most)


def test_small_alphabets_count_missing_values_as_one_level():
    codes = bind_training(pd.DataFrame({"x": ["a", "b", None]})).columns[0]
    assert asks_all_sets(codes, 3)
    assert not asks_all_sets(codes, 2)


@pytest.mark.parametrize("kind", ["ordinal", "binary", "boolean"])
def test_columns_with_an_order_are_asked_by_threshold(kind):
    values = {
        "ordinal": pd.Categorical(
            ["low", "high", None, "mid"], ["low", "mid", "high"], ordered=True
        ),
        "binary": ["yes", "no", None, "yes"],
        "boolean": [True, False, False, True],
    }[kind]
    questions = asked(pd.DataFrame({"x": values}))
    assert not any(column.is_set for column in questions.columns)
    assert [column.missing_first for column in questions.columns] == (
        [None] if kind == "boolean" else [True, False]
    )


def test_equal_and_turned_columns_are_kept_once_and_constant_ones_vanish():
    x = np.array([1.0, 2.0, 3.0, 5.0])
    frame = pd.DataFrame(
        {"x": x, "same": x**3, "turned": -x, "other": [1.0, 0.0, 0.0, 1.0], "one": 7.0}
    )
    frame["flag"] = frame["other"] == 0
    frame["word"] = np.where(frame["flag"], "north", "south")
    questions = asked(frame)
    assert [column.column for column in questions.columns] == [0, 3]
    assert questions.left_out == 0


def mixed_frame(rng, n_rows):
    """Columns of one, two and three values, with and without missing ones, and their copies."""
    values = {
        "pair": rng.integers(0, 2, n_rows),
        "far": np.where(rng.random(n_rows) < 0.5, -np.inf, 2.5),
        "three": rng.integers(-1, 2, n_rows).astype(float),
        "none": np.where(rng.random(n_rows) < 0.3, np.nan, rng.integers(0, 2, n_rows)),
        "flag": rng.random(n_rows) < 0.5,
        "size": pd.Categorical(rng.choice(["s", "m"], n_rows), ["s", "m"], ordered=True),
        "part": pd.Categorical(
            rng.choice(["s", None], n_rows), categories=["s", "m"], ordered=True
        ),
        "town": pd.Categorical(rng.choice(["a", "b"], n_rows)),
    }
    frame = pd.DataFrame(values)
    frame["turned"] = 1 - frame["pair"]
    frame["again"] = frame["flag"].map({False: 4.0, True: 3.0})
    return frame[rng.permutation(frame.columns)]


@pytest.mark.parametrize("seed", range(30))
def test_columns_of_two_values_are_the_same_found_together_or_alone(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    frame = mixed_frame(rng, int(rng.integers(1, 20)))
    together = asked(frame)
    monkeypatch.setattr(ordered, "BLOCK_CELLS", int(rng.integers(1, 60)))
    if seed % 2:
        monkeypatch.setattr(Pairs, "of", lambda self, number: None)
    alone = asked(frame)
    assert together.columns == alone.columns
    assert together.ranks.tolist() == alone.ranks.tolist()
    assert together.levels.tolist() == alone.levels.tolist()
    assert together.homes == alone.homes
    assert {n: low.tolist() for n, low in together.lows.items()} == {
        n: low.tolist() for n, low in alone.lows.items()
    }


def test_a_table_of_constant_columns_has_no_question():
    questions = asked(pd.DataFrame({"x": [1.0, 1.0], "y": ["a", "a"], "z": [np.nan, np.nan]}))
    assert questions.ranks.shape == (0, 2)


def test_integers_of_any_width_are_values_and_not_codes():
    frame = pd.DataFrame({"x": np.array([-1, -2, 3], dtype=np.int32)})
    questions = asked(frame)
    assert questions.ranks.tolist() == [[1, 0, 2]]


def test_float64_differences_are_kept():
    x = 1.7e9 + np.arange(200)
    assert asked(pd.DataFrame({"x": x})).levels.tolist() == [200]
    assert asked(pd.DataFrame({"x": x.astype(np.float32)})).levels.tolist() < [200]


def test_bins_have_equal_frequencies_and_say_what_is_left_out():
    frame = pd.DataFrame({"x": np.arange(100.0), "few": np.arange(100) % 3})
    questions = asked(frame, max_bins=4)
    assert questions.levels.tolist() == [5, 3]
    assert questions.left_out == 95
    assert np.bincount(questions.ranks[0]).tolist() == [20] * 5
    assert np.unique(questions.binned().columns[0]).tolist() == [0.0, 20.0, 40.0, 60.0, 80.0]


def test_weights_count_in_bins_as_copies_do():
    rng = np.random.default_rng(0)
    x, weights = rng.random(50).round(2), rng.integers(1, 4, 50)
    once = questions_of(bind_training(pd.DataFrame({"x": x})), weights, 4, 6, PLENTY)
    copies = asked(pd.DataFrame({"x": np.repeat(x, weights)}), max_bins=4)
    assert np.array_equal(np.repeat(once.ranks, weights, axis=1), copies.ranks)


def test_bins_of_frequent_values():
    frame = pd.DataFrame({"x": [0.0] * 90 + [1.0, 2.0, 3.0, 4.0, 5.0, np.nan, 6.0, 7.0, 8.0, 9.0]})
    questions = asked(frame, max_bins=3)
    assert 1 <= questions.levels.max() - 2 <= 3
    assert questions.left_out == 9 - (int(questions.levels.max()) - 2)


def test_every_test_is_found_again_from_its_split():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "x": rng.integers(0, 4, 30).astype(float),
            "turned": -rng.integers(0, 4, 30).astype(float),
            "c": rng.choice(list("abcd"), 30),
        }
    )
    frame.loc[::7, "x"] = np.nan
    frame.loc[::5, "c"] = None
    questions = asked(frame, max_subset_levels=2)
    values = frame["x"].to_numpy()
    for limit in (0.5, 1.5, 2.5):
        for missing in (0, 1):
            place = questions.place_of(Threshold(0, limit, missing, 0))
            left = questions.ranks[place.column] < place.position
            below = (values < limit) | (np.isnan(values) & (missing == 0))
            assert np.array_equal(left, below if place.left_child == 0 else ~below)
    for code, level in enumerate("abcd"):
        for missing in (0, 1):
            place = questions.place_of(Subset(2, (code,), (), missing, 0))
            left = questions.ranks[place.column] < place.position
            inside = (frame["c"] == level) | (frame["c"].isna() & (missing == 1))
            assert np.array_equal(left, inside if place.left_child == 1 else ~inside)


def test_splits_that_are_not_asked_have_no_place():
    questions = asked(pd.DataFrame({"x": [1.0, 2.0], "c": ["a", "b"]}))
    assert questions.place_of(Threshold(0, 0.5, 0, 0)) is None
    assert questions.place_of(Threshold(0, -np.inf, 0, 0)) is None
    assert questions.place_of(Threshold(0, 1.5, 2, 0)) is None
    assert questions.place_of(Multiway(1, (0, 1), 0, 0)) is None


def test_more_columns_than_the_memory_holds_are_refused_before_they_are_made():
    frame = pd.DataFrame({"x": [f"level {i}" for i in range(200)]})
    with pytest.raises(PlanError, match=r"memory_limit=100,000 bytes is too small: 200 ordered"):
        asked(frame, memory=100_000)


@pytest.mark.parametrize("policy", ["majority", "own_branch", "stop"])
def test_missing_values_need_both_directions(policy):
    table = bind_training(pd.DataFrame({"x": [1.0, np.nan], "y": [1.0, 2.0]}), missing=policy)
    with pytest.raises(PlanError, match=f"missing='{policy}' is not possible for column 'x'"):
        questions_of(table, np.ones(2), None, 6, PLENTY)
    known = bind_training(pd.DataFrame({"x": [1.0, 3.0]}), missing=policy)
    assert len(questions_of(known, np.ones(2), None, 6, PLENTY).columns) == 1
