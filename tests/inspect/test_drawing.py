"""Pictures of trees as records: geometry, words and colours."""

import json
import sys
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import silva
from silva.data.bind import bind_numbers, bind_prediction
from silva.inspect.drawing import palette
from silva.inspect.drawing.boxes import rounded
from silva.inspect.drawing.given import GivenRows
from silva.inspect.drawing.layout import COUSINS, tidy
from silva.inspect.drawing.lettering import DOTS, cut_decimals, fitted, width, wrapped
from silva.inspect.drawing.picture import picture
from silva.inspect.drawing.questions import question
from silva.tree.view import TreeView
from tests.inspect.layout_oracle import naive
from tests.tree.tree_samples import SAMPLES, animal_tree, chain, patient_tree, price_tree, trees

GAP = 10.0


@st.composite
def shapes(draw, most=25):
    """Any tree of few nodes in pre-order, and the widths of their boxes."""
    children, path = [[]], [0]
    for node in range(1, draw(st.integers(1, most))):
        path = path[: draw(st.integers(1, len(path)))]
        children[path[-1]].append(node)
        children.append([])
        path.append(node)
    sizes = st.lists(st.floats(1.0, 200.0), min_size=len(children), max_size=len(children))
    return children, draw(sizes)


def rows_of(children):
    """The nodes of each depth, from left to right."""
    rows, level = [], [0]
    while level:
        rows.append(level)
        level = [child for node in level for child in children[node]]
    return rows


@settings(max_examples=150, deadline=None)
@given(shapes())
def test_layout_keeps_boxes_apart_in_order_and_parents_in_the_middle(shape):
    children, widths = shape
    x = tidy(children, widths, GAP)
    for row in rows_of(children):
        for left, right in pairwise(row):
            apart = x[right] - x[left] - (widths[left] + widths[right]) / 2
            assert apart >= GAP - 1e-6
    for node, below in enumerate(children):
        if below:
            assert x[node] == pytest.approx((x[below[0]] + x[below[-1]]) / 2, abs=1e-6)
    assert min(place - size / 2 for place, size in zip(x, widths, strict=True)) == pytest.approx(0)


@settings(max_examples=150, deadline=None)
@given(shapes())
def test_layout_is_as_narrow_as_that_of_the_oracle(shape):
    children, widths = shape
    x, slow = tidy(children, widths, GAP), naive(children, widths, (GAP, COUSINS * GAP))
    ends = [
        [place + side * size / 2 for place, size in zip(places, widths, strict=True)]
        for places in (x, slow)
        for side in (-1, 1)
    ]
    assert max(ends[1]) - min(ends[0]) == pytest.approx(max(ends[3]) - min(ends[2]))
    if all(len(below) <= 2 for below in children):
        moved = [place - slow[0] + x[0] for place in slow]
        assert x == pytest.approx(moved)


def test_small_subtrees_between_large_ones_are_spread_evenly():
    children = [[1, 4, 5, 6], [2, 3], [], [], [], [], [7, 8], [], []]
    x = tidy(children, [10.0] * 9, GAP)
    gaps = np.diff([x[node] for node in children[0]])
    assert np.ptp(gaps) < 1e-9


def test_a_long_chain_does_not_exhaust_the_stack():
    count = 100_000
    assert count > 50 * sys.getrecursionlimit()
    x = tidy([[node + 1] for node in range(count - 1)] + [[]], [4.0] * count, GAP)
    assert set(x) == {2.0}


@settings(max_examples=60, deadline=None)
@given(trees(), st.sampled_from([{}, {"max_depth": 1}, {"max_nodes": 3}, {"max_listed": 1}]))
def test_pictures_of_any_tree_have_no_overlaps_and_edges_that_connect(tree, limits):
    scene = picture(tree, **limits)
    for one, other in combinations(areas(scene), 2):
        assert not overlap(one, other)
    for box in scene.boxes:
        assert box.x >= 0
        assert box.x + box.width <= scene.width
        assert box.y + box.height <= scene.height
        for rect in box.rects:
            assert box.x <= rect.x
            assert rect.x + rect.width <= box.x + box.width + 1e-6
        for text in box.texts:
            assert box.y < text.y < box.y + box.height
    places = {}
    for edge in scene.edges:
        above, below = scene.boxes[edge.parent], scene.boxes[edge.child]
        assert edge.y1 == above.y + above.height <= edge.bend < edge.y2 == below.y
        assert edge.x1 == pytest.approx(above.x + above.width / 2)
        assert edge.x2 == pytest.approx(below.x + below.width / 2)
        assert edge.width >= 1.0
        places.setdefault(edge.parent, []).append(edge.x2)
    assert all(row == sorted(row) for row in places.values())
    assert [edge.child for edge in scene.edges] == list(range(1, len(scene.boxes)))
    drawn = [box.node for box in scene.boxes if box.kind != "stub"]
    assert drawn == sorted(drawn)
    assert limits or drawn == list(range(tree.n_nodes))
    json.dumps(scene.to_dict(), allow_nan=False)


def areas(scene):
    """Boxes and the labels of edges as left, top, right, bottom."""
    found = [(box.x, box.y, box.x + box.width, box.y + box.height) for box in scene.boxes]
    for edge in scene.edges:
        for text in edge.label:
            half = width(text.text, 11.0) / 2
            found.append((text.x - half, text.y - 9.0, text.x + half, text.y + 2.0))
    return found


def overlap(one, other):
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across > 0.1 and down > 0.1


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_sample_is_drawn_whole(sample):
    tree = sample()
    scene = picture(tree)
    view = TreeView(tree)
    assert [box.node for box in scene.boxes] == list(range(len(view)))
    assert [edge.condition for edge in scene.edges] == [node.edge for node in view if node.edge]
    for box, node in zip(scene.boxes, view, strict=True):
        assert box.name.startswith(f"Node {node.number}, {node.edge or 'all rows'}, {node.rows} ")
        assert box.kind == ("leaf" if node.is_leaf else "split")
        assert box.dashed == (node.is_leaf and node.rows < 10)
        assert ("stop here" in box.name) == bool(node.stops)


def told(scene, number):
    return [text.text for text in scene.boxes[number].texts]


def test_the_words_in_the_boxes():
    scene = picture(animal_tree())
    assert told(scene, 0) == ["weight < 40.5?", "25 rows", "dog 40%, lion 32%, 1 more"]
    assert told(scene, 1)[0] == "tame?"
    assert told(scene, 3)[0] == "color = brown?"
    assert told(scene, 5) == ["dog", "66.7% (21–94%)", "only 3 rows"]  # noqa: RUF001
    labels = [" ".join(text.text for text in edge.label) for edge in scene.edges]
    assert labels == [
        *("< 40.5", "no", "yes", "!= brown", "brown or missing"),
        *(">= 40.5", "< large or missing or unseen", ">= large"),
    ]
    assert scene.boxes[5].name == (
        "Node 5, color = brown or missing, 3 rows, 66.7% dog, few rows, leaf"
    )


def test_values_that_stop_are_said_in_the_box():
    scene = picture(patient_tree())
    assert told(scene, 0)[-1] == "unseen values stop here"
    assert told(scene, 5)[-1] == "missing or unseen values stop here"


def test_questions_of_many_children_and_own_branches():
    view = TreeView(patient_tree())
    columns = view.tree.schema.columns
    asked = [question(node.split, columns, node.edges, None) for node in view if node.split]
    assert asked[0] == ("blood?", "blood?", ("0", "A", "B", "missing"))
    assert asked[1].text == "0.5*age - 1.2*bmi + 3*[sex = male] + [blood = AB] < 12.25?"
    assert asked[1].answers[:2] == ("< 12.25", ">= 12.25")
    assert asked[3][1:] == ("blood in {A, AB}?", ("in {0, B}", "in {A, AB}"))
    assert asked[4].answers == ("< much", ">= much", "missing")


def test_large_sets_name_as_many_levels_as_fit():
    towns = [f"a town called {name}" for name in "ABCDEFGHIJKL"]
    table = pd.DataFrame({"town": np.repeat(towns, 20)})
    y = np.where(table["town"].isin(towns[1::2]), "yes", "no")
    scene = picture(silva.TreeClassifier(max_depth=1).fit(table, y), max_listed=10)
    asked = scene.boxes[0].texts[0]
    whole = ", ".join(towns[1::2])
    assert asked.full == f"town in {{{whole}}}?"
    assert " ".join(text.text for text in scene.boxes[0].texts[:3]).startswith(
        "town in {a town called B, a town called D and 4 more}?"
    )
    assert [" ".join(text.text for text in edge.label) for edge in scene.edges] == [
        "not in {a town called B and 5 more}",
        "in {a town called B and 5 more}",
    ]
    assert scene.edges[1].condition == f"town in {{{whole}}}"


def test_means_are_rounded_by_the_spread_of_all_rows():
    for spread, shown in ((1.0, "0.123"), (1e-3, "0.123457"), (1e4, "0"), (0.0, "0.123457")):
        root = replace(TreeView(price_tree())[0], mean=0.1234567, deviation=spread)
        assert rounded(0.1234567, root) == shown
    root = replace(root, mean=1.0, deviation=2.5e8)
    assert rounded(123456789.0, root) == "123457000"


def test_long_decimals_are_cut_and_the_exact_rule_is_kept():
    model = silva.TreeClassifier().fit([[0.1234567890123], [0.2]], ["a", "b"])
    scene = picture(model)
    exact = TreeView(model.grown_tree_)[1].edge
    assert told(scene, 0)[0].endswith("…?")
    assert scene.boxes[0].texts[0].full == f"{exact}?"
    assert scene.edges[0].condition == exact


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("x < 0.0061888847138", "x < 0.0061888…"),
        ("x >= -123456.789012", "x >= -123456.7…"),
        ("x < 3350 or 12.25", "x < 3350 or 12.25"),
        ("x < 1.2345678e-300", "x < 1.2345…e-300"),
        ("v1.23456789 < 1234567890", "v1.23456789 < 1234567890"),
    ],
)
def test_cut_decimals(text, cut):
    assert cut_decimals(text) == cut


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80), st.floats(30.0, 300.0), st.integers(1, 4), st.booleans())
def test_lines_fit(text, room, most, bold):
    lines = wrapped(text, room, 11.0, most, bold)
    assert 1 <= len(lines) <= most
    assert all(width(line, 11.0, bold) <= room for line in lines)
    if not lines[-1].endswith(DOTS):
        assert "".join("".join(lines).split()) == "".join(text.split())
    assert width(fitted(text, room, 11.0, bold), 11.0, bold) <= room


def test_limits_leave_stubs_that_add_up():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    model = silva.TreeClassifier().fit(X, rng.integers(0, 3, 400))
    for limits in ({"max_depth": 2}, {"max_nodes": 9}, {"min_rows": 40}):
        scene = picture(model, **limits)
        view = TreeView(model.grown_tree_)
        stubs = [box for box in scene.boxes if box.kind == "stub"]
        hidden = sum(int(box.texts[0].text.split()[0].replace(",", "")) for box in stubs)
        assert hidden + len(scene.boxes) - len(stubs) == len(view)
        assert all(box.dashed for box in stubs)
        assert f"of its {len(view):,} nodes are drawn" in scene.description
    stub = next(box for box in picture(model, max_depth=0).boxes if box.kind == "stub")
    assert [text.text for text in stub.texts] == [f"+{len(view) - 1} more", "100% of rows"]


def test_more_than_eight_classes_share_the_last_colour():
    y = np.repeat(np.arange(12), np.arange(5, 17))
    scene = picture(silva.TreeClassifier(max_depth=2).fit(np.arange(len(y))[:, None], y))
    assert [rect.colour for rect in scene.keys] == [f"class{i}" for i in range(7)] + ["others"]
    assert scene.keys[-1].full == "5 other classes"
    root = scene.boxes[0].rects
    assert root[-1].colour == "others"
    sizes = [rect.width for rect in root[:-1]]
    assert sizes == sorted(sizes, reverse=True)
    names = palette.class_colours([], 8)
    assert len(set(names)) == 8


def test_given_rows_are_counted_by_node():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] > X[:, 1], "a", "b")
    model = silva.TreeClassifier(max_depth=3).fit(X[:150], y[:150])
    paths = model.decision_path(X[150:]).toarray().astype(bool)
    scene = picture(model, X=X[150:], y=np.where(X[150:, 2] > 2, "new", y[150:]))
    for node, box in enumerate(scene.boxes):
        given_line = next(text for text in box.texts if text.text.startswith("given"))
        own = paths[:, node]
        assert given_line.text.startswith(f"given {own.sum()}")
        for label in "ab":
            share = np.mean((y[150:] == label)[own] & (X[150:, 2] <= 2)[own])
            assert share == 0 or f"{label} {100 * share:.1f}".removesuffix(".0") in (
                given_line.full or given_line.text
            )


def test_histograms_of_given_rows():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] * 10 + X[:, 1]
    model = silva.TreeRegressor(max_depth=2).fit(X, y)
    tree = model.grown_tree_
    found = GivenRows(tree, bind_prediction(X, tree.schema), bind_numbers(y, None, 200))
    paths = model.decision_path(X).toarray().astype(bool)
    for node in range(tree.n_nodes):
        own = y[paths[:, node]]
        counts = np.histogram(own, 16, (y.min(), y.max()))[0]
        assert found.histogram(node).tolist() == counts.tolist()
        assert found.mean(node) == pytest.approx(own.mean())
        assert found.rows(node) == len(own)


def test_weights_are_said_and_intervals_are_not():
    model = silva.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"], sample_weight=[2.0, 3.5])
    scene = picture(model)
    assert told(scene, 0)[1] == "2 rows, weight 5.5"
    assert told(scene, 1) == ["a", "100%", "only 1 row, weight 2"]
    assert not any("Intervals" in text.text for text in scene.texts)


def test_a_tree_without_splits_and_a_long_chain():
    scene = picture(silva.TreeRegressor().fit([[0.0], [1.0]], [2.0, 2.0]))
    assert [box.kind for box in scene.boxes] == ["leaf"]
    assert not scene.edges
    assert len(picture(chain(2000)).boxes) == 4001


def test_pipelines_searches_and_distilled_trees_are_drawn():
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(80, 2)), columns=["height", "weight"])
    y = np.where(X["height"] > 0, "tall", "short")
    piped = make_pipeline(StandardScaler(), silva.TreeClassifier()).fit(X, y)
    assert told(picture(piped, X=X, y=y), 0)[0].startswith("height < ")
    search = GridSearchCV(silva.TreeClassifier(), {"max_depth": [1, 2]}, cv=2).fit(X, y)
    assert told(picture(search), 0)[0].startswith("height < ")
    forest = silva.ForestClassifier(5, random_state=0).fit(X, y)
    assert "leaf" in picture(silva.distil(forest, X)).boxes[-1].name


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


@pytest.mark.parametrize("colours", [palette.LIGHT, palette.DARK])
def test_texts_have_contrast_in_both_themes(colours):
    for paper in ("paper", "split", "leaf"):
        for ink in ("ink", "quiet"):
            assert contrast(colours[ink], colours[paper]) >= 4.5
        assert contrast(colours["line"], colours[paper]) >= 3.0
    assert palette.LIGHT.keys() == palette.DARK.keys()
