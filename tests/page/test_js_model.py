"""What the page computes by itself, against Python: predictions, flips, layout, surfaces."""

import math
import random
from dataclasses import asdict, replace
from itertools import pairwise

import numpy as np
import pytest
from axis_trees import axis_trees
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from js_cases import (
    at_sums,
    fitted_models,
    mixed_frame,
    predicted,
    training_table,
    trying_rows,
    ulps,
)
from js_model import ASSETS, NAMES, answered, cells_of, floats
from reason_cases import fuzzed_table
from tree_samples import trees

from silva.data.schema import Column, Schema
from silva.data.table import Table
from silva.errors import DataError
from silva.inspect.drawing.arrange import arrange
from silva.inspect.drawing.boxes import Cards
from silva.inspect.drawing.layout import parents_of, tidy
from silva.inspect.drawing.lettering import SMALL, width
from silva.inspect.explain.measures import measure
from silva.inspect.explain.values import Row
from silva.inspect.flip_search import _Search
from silva.inspect.plane.regions import ends_in_plane, is_axis_parallel, rectangles
from silva.inspect.plane.setting import Setting, axis_of
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.subject import subject_of
from silva.page import assemble
from silva.page.payload.document import document, tree_document, used_columns
from silva.tree import route, words
from silva.tree.builder import TreeBuilder
from silva.tree.outline import Limits
from silva.tree.splits import METRICS, STOP, VALUE, Distance, Oblique
from silva.tree.view import TreeView

ROWS, FLIPPED = 380, 12
TRIED = (Phase.explicit, Phase.reuse, Phase.generate)
"""Failures are not shrunk: every attempt is a run of Node."""
ULPS = 4
"""How far apart probabilities of logistic leaves may be: exp differs between libraries."""


@pytest.fixture(scope="module")
def cases():
    """Models by name: the tree, its table of rows, and what the page says; one run of Node."""
    found, batch = {}, []
    for number, (name, model) in enumerate(fitted_models().items()):
        subject, table = subject_of(model), training_table(model)
        tree = at_sums(subject.tree(), table, number)
        doc = document(model)
        if tree is not subject.tree() and not is_axis_parallel(tree):
            doc["trees"] = [tree_document(tree)]
        rows = trying_rows(tree, table, number, ROWS)
        cells = cells_of(rows)
        asked = [
            {"row": cells[place], "columns": columns, "cells": 7}
            for place, columns in enumerate(chosen_columns(tree, number))
        ]
        questions = {"rows": cells, "flips": cells[:FLIPPED], "surfaces": asked}
        batch.append({"document": doc, **questions})
        found[name] = {"model": model, "tree": tree, "table": rows, "doc": doc, **questions}
    for one, told in zip(found.values(), answered(batch), strict=True):
        one["told"] = told
    return found


def chosen_columns(tree, seed):
    numbers = sorted(used_columns([tree])) or [0]
    rng = random.Random(seed)
    pairs = [rng.sample(numbers, min(2, len(numbers))) for _ in range(3)]
    return [*pairs, [numbers[0]], [numbers[-1]]]


def check_rows(tree, rows, told):
    nodes, codes, shares, values = predicted(tree, rows)
    assert [one["node"] for one in told] == nodes.tolist()
    assert all(one["path"][-1] == one["node"] and one["path"][0] == 0 for one in told)
    if codes is None:
        found = floats([one["value"] for one in told])
        assert found.tobytes() == values.tobytes()
        assert {one["code"] for one in told} == {None}
        return
    found = np.array([floats(one["shares"]) for one in told])
    if tree.linear is None:
        assert found.tobytes() == (shares + 0.0).tobytes()
        assert [one["code"] for one in told] == codes.tolist()
        return
    assert (ulps(found, shares) <= ULPS).all()
    ordered = np.sort(shares, axis=1)
    clear = shares.shape[1] < 2 or ordered[:, -1] - ordered[:, -2] > 1e-14
    told_codes = np.array([one["code"] for one in told])
    assert ((told_codes == codes) | ~np.asarray(clear)).all()


def test_ten_thousand_rows_get_the_predictions_of_python(cases):
    for case in cases.values():
        check_rows(case["tree"], case["table"], case["told"]["rows"])
    assert sum(len(case["told"]["rows"]) for case in cases.values()) >= 10_000
    ends = [one["node"] for case in cases.values() for one in case["told"]["rows"]]
    assert len(set(ends)) > 100


def same_flip(tree, ours, theirs):
    column = tree.schema.columns[theirs["column"]]
    value = column.levels[theirs["value"]] if column.levels else float(theirs["value"])
    prediction = theirs["prediction"]
    label = float(prediction) if tree.classes is None else tree.classes.tolist()[prediction]
    moves = [None if theirs[name] is None else float(theirs[name]) for name in DISTANCES]
    told = (column.name, value, theirs["words"], *moves, label, theirs["node"])
    assert repr(told) == repr(tuple(getattr(ours, name) for name in ours.__slots__))


DISTANCES = ("distance", "spreads")


def check_flips(subject, rows, told):
    tree = subject.tree()
    for place, theirs in enumerate(told):
        ours = _Search(subject, rows.take(np.array([place]))).flips()
        assert len(theirs["records"]) == len(ours)
        for one, other in zip(ours, theirs["records"], strict=True):
            same_flip(tree, one, other)
        assert (ours.best is None) is (theirs["best"] is None)
        if ours.best is not None:
            same_flip(tree, ours.best, theirs["best"])


def test_flips_are_those_of_python(cases):
    searched = 0
    for case in cases.values():
        tree, told = case["tree"], case["told"]["flips"]
        if tree.linear is None and is_axis_parallel(tree):
            check_flips(subject_of(case["model"]), case["table"], told)
            searched += sum(len(one["records"]) for one in told)
        else:
            assert all(one["refused"] and one["best"] is None for one in told)
    assert searched > 300


@given(st.lists(trees(), min_size=8, max_size=8), st.integers(0, 2**31))
@settings(max_examples=7, phases=TRIED)
def test_rows_of_any_tree_end_where_python_says(many, seed):
    tables = [fuzzed_table(tree, seed + place, 40) for place, tree in enumerate(many)]
    pairs = list(zip(many, tables, strict=True))
    batch = [{"document": document(tree), "rows": cells_of(table)} for tree, table in pairs]
    for (tree, table), told in zip(pairs, answered(batch), strict=True):
        check_rows(tree, table, told["rows"])


@given(st.lists(axis_trees(), min_size=8, max_size=8), st.integers(0, 2**31))
@settings(max_examples=6, phases=TRIED)
def test_flips_and_rectangles_of_any_tree_are_those_of_python(many, seed):
    tables = [fuzzed_table(tree, seed + place, 10) for place, tree in enumerate(many)]
    pairs = list(zip(many, tables, strict=True))
    batch = []
    for place, (tree, table) in enumerate(pairs):
        cells, columns = cells_of(table), chosen_columns(tree, seed + place)[0]
        surfaces = [{"row": cells[0], "columns": columns}]
        batch.append({"document": document(tree), "flips": cells, "surfaces": surfaces})
    for (tree, table), asked, told in zip(pairs, batch, answered(batch), strict=True):
        check_flips(subject_of(tree), table, told["flips"])
        columns, found = asked["surfaces"][0]["columns"], told["surfaces"][0]
        if all(
            isinstance(one[end], int | float) for one in found["axes"] for end in ("low", "high")
        ):
            row = table.take(np.zeros(1, dtype=int))
            check_rectangles(subject_of(tree), row, columns, found)


def random_split(rng, kinds):
    """A split of several columns with numbers of many digits."""
    count = int(rng.integers(2, 6))
    used = tuple(rng.permutation(len(kinds))[:count].tolist())
    numbers = [tuple(rng.normal(size=n).tolist()) for n in (count, count, count * count)]
    metric = METRICS[int(rng.integers(len(METRICS)))]
    if rng.random() < 0.4:
        codes = tuple(2 if kinds[one] == "categorical" else VALUE for one in used)
        return Oblique(used, codes, numbers[0], 0.0, STOP)
    return Distance(metric, used, *numbers[:2], numbers[2] if metric == METRICS[-1] else (), 0.0, 2)


def stump(schema, split, value):
    """A tree of one split with this threshold."""
    build = TreeBuilder(schema, "classification", np.array(["a", "b"]))
    root = build.add_split(None, 0, replace(split, threshold=value, missing_child=STOP), gain=0.5)
    build.add_leaf(root, 0, 2, {0: 2})
    build.add_leaf(root, 1, 2, {1: 2})
    return build.finish()


def test_sums_and_distances_have_the_bits_of_the_core():
    """A row whose sum is the threshold goes right, and left if the threshold is the next float."""
    rng = np.random.default_rng(4)
    kinds = ["continuous"] * 6 + ["ordinal", "binary"]
    levels = {"ordinal": tuple("pqrs"), "binary": ("no", "yes"), "continuous": None}
    schema = Schema(tuple(Column(f"c{i}", kind, levels[kind]) for i, kind in enumerate(kinds)))
    asked, expected = [], []
    for _ in range(400):
        split = random_split(rng, kinds)
        row = [*rng.normal(size=6).tolist(), int(rng.integers(4)), int(rng.integers(2))]
        columns = [np.array([one], float if at < 6 else np.int32) for at, one in enumerate(row)]
        table = Table(schema, tuple(columns), 1)
        value = measure(split, Row(table, 0, Lexicon(schema), None)).value
        limits = [value, math.nextafter(value, math.inf)]
        assert [route.leaves(stump(schema, split, one), table)[0] for one in limits] == [2, 1]
        told = {"kind": type(split).__name__.lower(), **asdict(split)}
        asked.append({"columns": [{"kind": one} for one in kinds], "split": told, "row": row})
        expected.append(value)
    assert floats(answered([{"measures": asked}])[0]["measures"]).tolist() == expected


def test_values_are_bound_as_python_binds_them(cases):
    """Levels by code, null for missing, and refusals of the policy `error`."""
    chosen = [cases[name] for name in ("errors", "regression", "missing=stop unseen=stop")]
    frame = mixed_frame(missing=False)[0][:1].astype({"town": object, "size": object})
    batch, expected = [], []
    for case in chosen:
        subject = subject_of(case["model"])
        coded = cells_of(subject.table(frame))[0]
        asked, wanted = [], []
        for number, column in enumerate(subject.schema.columns):
            for name, value in [("missing", None), ("unseen", "unseen")]:
                if name == "unseen" and column.levels is None:
                    continue
                asked.append([value if at == number else one for at, one in enumerate(coded)])
                wanted.append(bound_by_python(subject, frame, column, value))
        batch.append({"document": case["doc"], "bound": asked})
        expected.append(wanted)
    for told, wanted in zip(answered(batch), expected, strict=True):
        got = [one["refused"] or floats(one["row"]).tolist() for one in told["bound"]]
        assert list(map(repr, got)) == list(map(repr, wanted))


def bound_by_python(subject, frame, column, value):
    changed = frame.copy()
    if column.kind == "binary":
        changed[column.name] = changed[column.name].astype(object)
    changed[column.name] = 7 if value and column.kind == "binary" else value
    what = "missing" if value is None else "unseen"
    if getattr(column, what) == "error":
        with pytest.raises(DataError, match=f"column '{column.name}' .*{what}='error' forbids"):
            subject.table(changed)
        return f"{what} {column.name}"
    return [float(one) for one in cells_of(subject.table(changed))[0]]


def random_children(rng, count):
    """A tree in pre-order: each node hangs below one on the way to the node before it."""
    children, way = [[] for _ in range(count)], [0]
    for node in range(1, count):
        way = way[: rng.randint(1, len(way))]
        children[way[-1]].append(node)
        way.append(node)
    return children


def test_places_of_a_tidy_tree_are_those_of_python_to_the_bit():
    rng = random.Random(5)
    many, asked = [], []
    for count in [1, 2, 3, 5, 8, 30, 31, 32, 200, 1000, *[12] * 40]:
        widths = [rng.uniform(20, 180) for _ in range(count)]
        many.append(random_children(rng, count))
        asked.append({"parent": parents_of(many[-1]), "widths": widths, "gap": 14.0})
    told = answered([{"tidy": asked}])[0]["tidy"]
    for children, one, places in zip(many, asked, told, strict=True):
        assert floats(places).tolist() == tidy(children, one["widths"], 14.0)


def random_fold(rng, tree):
    inner = [not leaf for leaf in tree.is_leaf.tolist()]
    return [rng.choice([None, *range(1, 6)]) if one else None for one in inner]


def drawn_boxes(tree):
    """The places of all boxes in Python's picture, and the edges; relative to the first box."""
    view = TreeView(tree)
    scene = arrange(view, Limits(max_listed=words.MAX_LISTED), Cards(view, None, words.MAX_LISTED))
    x, y = scene.boxes[0].x, scene.boxes[0].y
    boxes = [(box.node, box.x - x, box.y - y, box.width, box.height) for box in scene.boxes]
    edges = [(e.x1 - x, e.y1 - y, e.x2 - x, e.y2 - y, e.bend - y, e.width) for e in scene.edges]
    return boxes, edges


def test_the_whole_tree_is_arranged_as_in_pythons_picture(cases):
    chosen = [cases[name] for name in ("many classes", "multiway", "oblique", "regression")]
    chosen.append(cases["one leaf"])
    asked = [{"open": None, "step": 0, "fold": None}]
    batch = [{"document": case["doc"], "arranged": asked} for case in chosen]
    for case, told in zip(chosen, answered(batch), strict=True):
        found = told["arranged"][0]
        boxes, edges = drawn_boxes(case["tree"])
        first = found["boxes"][0]
        ours = [(b["node"], b["x"], b["y"], b["w"], b["h"]) for b in found["boxes"]]
        moved = np.array(ours) - [0, first["x"], first["y"], 0, 0]
        assert np.allclose(moved, np.array(boxes), atol=0.5)
        names = ("x1", "y1", "x2", "y2", "bend", "width")
        lines = np.array([[edge[name] for name in names] for edge in found["edges"]])
        shift = [first["x"], first["y"]] * 2 + [first["y"], 0]
        assert np.allclose(lines - shift if len(lines) else lines, np.array(edges), atol=0.5)


def oracle_visible(tree, opened, fold, step):
    """Nodes whose ancestors are all open and no leaf, one by one."""
    parent = TreeView(tree).parent.tolist()
    found = []
    for node in range(tree.n_nodes):
        above, at = [], node
        while at:
            at = parent[at]
            above.append(at)
        if all(one in opened and not oracle_leaf(tree, one, fold, step) for one in above):
            found.append(node)
    return found


def oracle_leaf(tree, node, fold, step):
    return bool(tree.is_leaf[node]) or (fold[node] is not None and fold[node] <= step)


def test_folded_and_pruned_trees(cases):
    rng = random.Random(3)
    chosen = [cases[name] for name in ("multiway numbers", "regression", "stump", "one leaf")]
    batch, folds = [], []
    for case in chosen:
        tree = case["tree"]
        fold = random_fold(rng, tree)
        opened = [node for node in range(tree.n_nodes) if rng.random() < 0.8 or not node]
        arranged = [{"open": opened, "step": step, "fold": fold} for step in (0, 2, 5)]
        pruned = {"fold": fold, "steps": [0, 1, 3, 5], "about": 20}
        batch.append({"document": case["doc"], "arranged": arranged, "pruned": pruned})
        folds.append((fold, opened))
    for case, (fold, opened), told in zip(chosen, folds, answered(batch), strict=True):
        tree = case["tree"]
        for step, found in zip((0, 2, 5), told["arranged"], strict=True):
            check_arranged(tree, set(opened), fold, step, found)
        for step, found in zip((0, 1, 3, 5), told["pruned"], strict=True):
            every = oracle_visible(tree, set(range(tree.n_nodes)), fold, step)
            leaves = [node for node in every if oracle_leaf(tree, node, fold, step)]
            assert found["leaves"] == leaves
            assert found["inner"] == [node for node in every if node not in leaves]
            assert found["below"] == len(every) - 1
            assert sorted(found["first"]) == oracle_first(tree, set(found["inner"]), 20)


def check_arranged(tree, opened, fold, step, found):
    visible = oracle_visible(tree, opened, fold, step)
    assert found["visible"] == visible
    assert [box["node"] for box in found["boxes"] if not box["stub"]] == visible
    folded = [v for v in visible if v not in opened and not oracle_leaf(tree, v, fold, step)]
    stubs = [box for box in found["boxes"] if box["stub"]]
    assert [box["node"] for box in stubs] == folded
    view = TreeView(tree)
    for box in stubs:
        below = oracle_visible(tree, set(range(tree.n_nodes)), fold, step)
        hidden = sum(box["node"] < one < tree.subtree_end[box["node"]] for one in below)
        share = words.percent(int(view.rows[box["node"]]) / int(view.rows[0]))
        assert box["text"] == f"+{hidden:,} more ({share} of rows)"
        assert box["w"] > width(box["text"], SMALL)
    check_apart(found["boxes"], found["width"], found["height"])


def check_apart(boxes, width, height):
    """No two boxes of one height touch, and all lie inside the picture."""
    rows = {}
    for box in boxes:
        rows.setdefault(box["y"], []).append(box)
        assert 0 <= box["x"] <= box["x"] + box["w"] <= width
        assert 0 <= box["y"] <= box["y"] + box["h"] <= height
    for row in rows.values():
        for one, other in pairwise(row):
            assert one["x"] + one["w"] < other["x"]


def oracle_first(tree, inner, about):
    """Open the largest node on show whose children still fit, again and again."""
    rows, shown, opened, drawn = TreeView(tree).rows, {0} & inner, [], 1
    starts, child = tree.child_start.tolist(), tree.child.tolist()
    while shown and (drawn < about or not opened):
        node = min(shown, key=lambda one: (-rows[one], one))
        shown.remove(node)
        below = child[starts[node] : starts[node + 1]]
        if node and drawn + len(below) > about:
            continue
        opened.append(node)
        drawn += len(below)
        shown |= set(below) & inner
    return sorted(opened)


def test_bars_of_the_overview_are_shares_of_rows(cases):
    case = cases["multiway numbers"]
    told = answered([{"document": case["doc"], "icicle": [800, 90]}])[0]["icicle"]
    view = TreeView(case["tree"])
    before = np.concatenate(([0], np.cumsum(np.where(case["tree"].is_leaf, view.rows, 0))))
    assert np.allclose(told["x"], 800 * before[:-1] / view.rows[0])
    assert np.allclose(told["w"], 800 * view.rows / view.rows[0])
    assert told["rows"] == view.depth.max() + 1
    assert told["h"] == pytest.approx(90 / told["rows"])


def test_exact_surfaces_have_the_rectangles_of_python(cases):
    compared = 0
    for case in cases.values():
        tree, subject = case["tree"], subject_of(case["model"])
        if tree.linear is not None or not is_axis_parallel(tree):
            continue
        for place, (asked, told) in enumerate(pairs_of(case)):
            row = case["table"].take(np.array([place]))
            check_rectangles(subject, row, asked["columns"], told)
            check_surface(tree, row, asked["columns"], told)
            compared += len(told["rects"])
    assert compared > 300


def check_rectangles(subject, row, columns, told):
    axes = tuple(axis_of(subject, None, number) for number in columns)
    setting = Setting(row, dict.fromkeys(range(len(subject.schema)), "given"))
    wanted = {
        (node, *x, *(y or (0, 1)))
        for node, reached in ends_in_plane(subject.tree(), axes, setting)
        for x, y in rectangles(axes, reached)
    }
    names = ("node", "x0", "x1", "y0", "y1")
    found = [tuple(float(one[name]) for name in names) for one in told["rects"]]
    assert told["exact"]
    assert len(set(found)) == len(found)
    assert set(found) == wanted


def test_other_surfaces_predict_at_the_middle_of_cells(cases):
    names = ("oblique", "oblique missing", "linear", "logistic two", "logistic many", "cosine")
    for name in names:
        case = cases[name]
        for place, (asked, told) in enumerate(pairs_of(case)):
            assert not told["exact"]
            row = case["table"].take(np.array([place]))
            check_surface(case["tree"], row, asked["columns"], told)


def pairs_of(case):
    return zip(case["surfaces"], case["told"]["surfaces"], strict=True)


def check_surface(tree, row, columns, told):
    """The prediction of each rectangle is that of Python for a row in its middle."""
    rects = told["rects"]
    middles = [[middle(one, side) for one in rects] for side in "xy"]
    moved = dict(zip(columns, middles, strict=False))
    cells = [
        np.array(moved[number] if number in moved else column.repeat(len(rects)))
        for number, column in enumerate(row.columns)
    ]
    typed = [
        one.astype(np.float64 if column.levels is None else np.int32)
        for one, column in zip(cells, tree.schema.columns, strict=True)
    ]
    nodes, codes, shares, values = predicted(tree, Table(tree.schema, tuple(typed), len(rects)))
    assert [one["node"] for one in rects] == nodes.tolist()
    if codes is None:
        assert floats([one["value"] for one in rects]).tobytes() == values.tobytes()
        return
    assert [one["code"] for one in rects] == codes.tolist()
    sure = shares[np.arange(len(codes)), codes]
    apart = ulps(floats([one["value"] for one in rects]), sure)
    assert apart.max() <= (0 if tree.linear is None else ULPS)


def middle(rect, side):
    """The middle of a rectangle; of levels side by side the first."""
    low, high = rect[f"{side}0"], rect[f"{side}1"]
    return low + 0.5 if high - low > 1 and (low * 2) % 2 == 1 else (low + high) / 2


def test_numbers_are_written_as_python_writes_them():
    rng = np.random.default_rng(0)
    values = [0.0, -0.0, 1.0, -2.5, 1e15, 1e16, 123456789012345678.0, 1e-4, 1e-5, 5e-324, 0.1 + 0.2]
    values += rng.integers(0, 2**63, 500).view(np.float64).tolist()
    values += (rng.normal(size=200) * 10.0 ** rng.integers(-7, 20, 200)).tolist()
    values += [math.inf, -math.inf]
    shares = [0.0, 1.0, 0.0625, 0.1875, 0.0004, 0.0005, 0.9995, 0.9994, *rng.random(300).tolist()]
    told = answered([{"numbers": values, "percents": shares}])[0]
    assert told["numbers"] == [words.number(value) for value in values]
    assert told["percents"] == [words.percent(share) for share in shares]


def test_the_joined_script_answers_as_the_modules_do(cases, monkeypatch, tmp_path):
    lines = [f'import {{ {", ".join(NAMES[one])} }} from "./model/{one}.js";' for one in NAMES]
    every = ", ".join(name for names in NAMES.values() for name in names)
    texts = {f"model/{path.name}": path.read_text() for path in (ASSETS / "model").glob("*.js")}
    texts["app.js"] = "\n".join([*lines, f"window.page = {{ {every} }};"])
    monkeypatch.setattr(assemble, "_read", texts.__getitem__)
    script = tmp_path / "joined.cjs"
    script.write_text("globalThis.window = globalThis;" + assemble._joined("app.js"))
    chosen = list(cases.values())[::3]
    questions = ("rows", "flips", "surfaces")
    batch = [
        {"document": one["doc"], **{name: one[name][:40] for name in questions}} for one in chosen
    ]
    tree = chosen[0]["tree"]
    batch[0]["arranged"] = [{"open": [0], "step": 0, "fold": [None] * tree.n_nodes}]
    batch.append({"numbers": [0.1, 1e300], "percents": [0.5]})
    assert answered(batch, script) == answered(batch)
