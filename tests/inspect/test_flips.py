"""Single changes that flip a prediction, against trying every value that a split can part."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import silva
from silva.data.column_facts import ColumnFacts
from silva.data.table import Table
from silva.errors import DataError, PlanError
from silva.inspect import flips
from silva.inspect.flip_search import _Search
from silva.inspect.importance import columns_used
from silva.inspect.subject import subject_of
from silva.tree import decision, route, stats
from tests.inspect.axis_trees import axis_trees
from tests.inspect.reason_cases import corners, fuzzed_table
from tests.tree.tree_samples import animal_tree, linear_tree, patient_tree, price_tree


def told(tree, table):
    nodes = route.leaves(tree, table)
    if tree.classes is None:
        return stats.node_mean(tree, nodes).tolist(), nodes.tolist()
    return decision.node_codes(tree, nodes).tolist(), nodes.tolist()


def with_value(row, number, value):
    columns = list(row.columns)
    columns[number] = np.array([value], dtype=row.columns[number].dtype)
    return Table(row.schema, tuple(columns), 1)


def tried(tree, row, number):
    """Every value of a column that may matter and changes the prediction, with what follows."""
    column, now = tree.schema.columns[number], told(tree, row)[0][0]
    values = range(column.n_levels)
    if column.levels is None:
        values = sorted({one for one in corners(tree, number) if not math.isnan(one)})
    found = {}
    for value in values:
        then, node = told(tree, with_value(row, number, value))
        if then[0] != now:
            found[value] = then[0], node[0]
    return found


def label(tree, prediction):
    return prediction if tree.classes is None else tree.classes.tolist()[prediction]


def expected(tree, row, number):
    """(value, distance, prediction, node) of each change: the nearest ones of those tried."""
    found, column = tried(tree, row, number), tree.schema.columns[number]
    now = row.columns[number][0]
    if column.levels is None or (column.kind == "ordinal" and now >= 0):
        sides = [max((v for v in found if v < now), default=None)]
        sides.append(min((v for v in found if v > now), default=None))
        chosen = sorted((v for v in sides if v is not None), key=lambda v: abs(float(v) - now))
    else:
        chosen = list(found)
    moves = column.levels is None or (column.kind == "ordinal" and now >= 0)
    return [
        (
            value if column.levels is None else column.levels[value],
            abs(float(value) - float(now)) if moves else None,
            label(tree, found[value][0]),
            found[value][1],
        )
        for value in chosen
    ]


def key(change):
    return repr((change[0], change[1], change[2], change[3]))


@given(axis_trees(), st.integers(0, 2**31))
@settings(max_examples=120)
def test_changes_are_the_nearest_values_that_flip_the_prediction(tree, seed):
    table = fuzzed_table(tree, seed, 12)
    for place in range(12):
        row = table.take(np.array([place]))
        found = _Search(subject_of(tree), row).flips()
        for number in columns_used(tree).tolist():
            name = tree.schema.columns[number].name
            own = [one for one in found if one.column == name]
            value = row.columns[number][0]
            if isinstance(value, np.floating) and np.isnan(value):
                check_stretches(tree, row, number, own)
                continue
            got = [(one.value, one.distance, one.prediction, one.node) for one in own]
            assert [key(one) for one in got] == [key(one) for one in expected(tree, row, number)]


def check_stretches(tree, row, number, own):
    """Where the row has no number, changes are the stretches of numbers that predict otherwise."""
    found = tried(tree, row, number)
    for one in own:
        then, node = told(tree, with_value(row, number, one.value))
        assert (label(tree, then[0]), node[0]) == (one.prediction, one.node)
        assert one.prediction != label(tree, told(tree, row)[0][0])
        assert (one.distance, one.spreads) == (None, None)
    values = sorted(v for v in corners(tree, number) if not math.isnan(v))
    runs = sum(
        value in found and (at == 0 or found.get(values[at - 1], (None,))[0] != found[value][0])
        for at, value in enumerate(values)
    )
    assert len(own) == runs


@given(axis_trees(), st.integers(0, 2**31), st.data())
@settings(max_examples=60)
def test_the_best_change_follows_its_rule(tree, seed, data):
    count = len(tree.schema)
    deviations = st.sampled_from([math.nan, 0.0, 0.5, 1e300])
    deviation = np.array([data.draw(deviations) for _ in range(count)])
    facts = ColumnFacts(*(np.zeros(count) for _ in range(3)), deviation, np.zeros(count, int))
    subject = replace(subject_of(tree), facts=facts)
    found = _Search(subject, fuzzed_table(tree, seed, 1)).flips()
    numbers = {c.name: c.levels is None for c in tree.schema.columns}
    few = [one for one in found if one.spreads is not None and one.spreads < 1]
    known = {
        c.name: not (np.isnan(v[0]) if c.levels is None else v[0] < 0)
        for c, v in zip(tree.schema.columns, fuzzed_table(tree, seed, 1).columns, strict=True)
    }
    level = [one for one in found if not numbers[one.column] and known[one.column]]
    many = [one for one in found if one.spreads is not None]
    other = [one for one in found if one.distance is not None]
    if few or (many and not level):
        assert found.best is min(few or many, key=lambda one: one.spreads)
    else:
        assert found.best is next(iter([*level, *other, *found]), None)


def test_numbers_move_to_the_nearest_limit_on_either_side():
    X = np.arange(12.0)[:, None]
    model = silva.TreeRegressor().fit(X, [0.0] * 4 + [1.0] * 4 + [0.0] * 4)
    found = flips(model, [[7.0]])
    assert [one.words for one in found] == ["x0 7.5 or more", "x0 below 3.5"]
    assert found.best is found[0]
    assert found[0].distance == 0.5
    assert found[0].spreads == 0.5 / np.arange(12.0).std()
    assert found[1].value == math.nextafter(3.5, 0.0)
    for one in found:
        assert model.predict([[one.value]])[0] == one.prediction == 0.0
        assert model.apply([[one.value]])[0] == one.node


def test_levels_and_missing_values():
    tree = animal_tree()
    frame = pd.DataFrame(
        {"weight": [50.0, None], "size": ["large", None], "color": ["white", "white"]}
    )
    frame["tame"] = "yes"
    heavy = flips(tree, frame[:1])
    assert [str(one) for one in heavy] == ["weight below 40.5 -> dog (moves by 9.5)"]
    light = flips(tree, frame[1:])
    assert (light.prediction, light.node) == ("dog", 4)
    assert [one.words for one in light] == ["weight 40.5 or more", "tame = no"]
    assert light.best.words == "tame = no"
    assert str(light).splitlines()[:2] == [
        "dog; the smallest change of one column that flips it:",
        "  tame = no -> cat",
    ]


def test_any_known_number_may_change_a_missing_one():
    found = flips(price_tree(), [[math.nan]])
    assert [(one.words, one.node) for one in found] == [("age below 3", 3), ("age 3 or more", 4)]
    X, y = [[math.nan]] * 3 + [[4.0], [6.0]], ["a"] * 3 + ["b"] * 2
    model = silva.TreeClassifier().fit(X, y)
    assert [(one.words, one.value) for one in flips(model, [[math.nan]])] == [("x0 known", 5.0)]


def test_a_tree_of_one_leaf_has_no_changes():
    model = silva.TreeClassifier().fit([[1.0], [2.0]], ["a", "a"])
    found = flips(model, [[1.0]])
    assert (len(found), found.best) == (0, None)
    assert str(found) == "a, and no change of one column alone changes that."
    assert found.to_dict() == {"prediction": "a", "node": 0, "changes": [], "best": None}


def test_records_as_plain_values_and_frames():
    model = silva.TreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], list("nnyy"))
    found = flips(model, [[3.5]])
    assert found.to_dict()["best"]["words"] == "x0 below 2.5"
    assert found.to_frame().shape == (1, 7)
    assert "x0 below 2.5 -&gt; n" in found._repr_html_()


@pytest.mark.parametrize(
    ("model", "row", "error", "words"),
    [
        (patient_tree(), None, PlanError, "oblique or distance splits"),
        (linear_tree(), [[1.0]], PlanError, "linear models"),
        (price_tree(), [[1.0], [2.0]], DataError, "row has 2 rows: give one row"),
    ],
)
def test_what_cannot_be_searched_is_refused(model, row, error, words):
    with pytest.raises(error, match=words):
        flips(model, row)


def test_forests_are_refused():
    forest = silva.ForestClassifier(2, random_state=0).fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(PlanError, match="needs one tree"):
        flips(forest, [[1.0]])


def test_the_node_of_any_known_number_is_that_of_the_value():
    """Several leaves predict the same: the value is the mean, and ends between the limits."""
    X = [[math.nan]] * 3 + [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
    y = [9.0] * 3 + [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]
    model = silva.TreeRegressor().fit(X, y)
    same = model.grown_tree_
    means = same.leaf_stats.value.copy()
    means[means < 9.0] = 0.5
    same = replace(same, leaf_stats=replace(same.leaf_stats, value=means))
    found = flips(same, [[math.nan]])
    assert [(one.words, one.value) for one in found] == [("x0 known", 0.0)]
    assert found[0].node == model.apply([[0.0]])[0]
