"""What the page computes by itself, against Python: predictions, flips, layout, surfaces."""

import math
import random
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from silva.data.schema import Column, Schema
from silva.data.table import Table
from silva.errors import DataError
from silva.inspect.explain.measures import measure
from silva.inspect.explain.values import Row
from silva.inspect.flip_search import _Search
from silva.inspect.plane.regions import ends_in_plane, is_axis_parallel, rectangles
from silva.inspect.plane.setting import Setting, axis_of
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.subject import subject_of
from silva.page import assemble
from silva.page.payload.columns import used_columns
from silva.page.payload.document import document, tree_document
from silva.page.payload.shown_trees import ShownTree
from silva.tree import route
from silva.tree.builder import TreeBuilder
from silva.tree.check import check
from silva.tree.linear import LinearLeaves
from silva.tree.splits import METRICS, STOP, VALUE, Distance, Oblique, Threshold
from tests.inspect.axis_trees import axis_trees
from tests.inspect.reason_cases import fuzzed_table
from tests.page.js_cases import (
    at_sums,
    fitted_models,
    mixed_frame,
    predicted,
    training_table,
    trying_rows,
    ulps,
)
from tests.page.js_model import ASSETS, NAMES, answered, cells_of, floats
from tests.tree.tree_samples import moments, trees

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
            doc["trees"] = [tree_document(ShownTree(tree))]
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


def two_leaves():
    """Numbers by two columns: a < 2 is asked twice, so that one leaf is out of reach."""
    schema = Schema((Column("a", "continuous"), Column("b", "continuous")))
    build = TreeBuilder(schema, "regression", center=0.0, target_unit=1.0)
    root = build.add_split(None, 0, Threshold(0, 2.0, 0, 0), gain=0.5)
    build.add_leaf(root, 0, 2, moments([1, 2], 0.0, 1.0))
    again = build.add_split(root, 1, Threshold(0, 2.0, 0, 0), gain=0.5)
    build.add_leaf(again, 0, 1, moments([3], 0.0, 1.0))
    build.add_leaf(again, 1, 2, moments([4, 6], 0.0, 1.0))
    return build.finish()


def test_linear_models_beyond_float64():
    """Sums that are no number give the intercept, and infinite ones are clipped."""
    models = LinearLeaves(
        start=np.array([0, 2, 2, 4]),
        column=np.array([0, 1, 0, 1], dtype=np.int32),
        code=np.full(4, VALUE, dtype=np.int32),
        weight=np.array([1e308, -1e308, 1e308, 1e308]),
        center=np.array([0.5, 0.25, 0.0, 0.1]),
        intercept=np.array([1.5, 2.5, 3.5]),
        low=np.array([-np.inf, 2.5, -7.0]),
        high=np.array([np.inf, 2.5, 1e300]),
    )
    tree = check(replace(two_leaves(), linear=models))
    values = [1e300, -1e300, 1.9, 2.0, 1e5, -3.0, 0.0, math.nan, math.inf, -math.inf]
    pairs = np.array([(a, b) for a in values for b in values])
    table = Table(tree.schema, tuple(pairs.T), len(pairs))
    told = answered([{"document": document(tree), "rows": cells_of(table)}])[0]
    check_rows(tree, table, told["rows"])
    assert {1.5, math.inf, -math.inf, -7.0, 1e300} <= set(
        floats([one["value"] for one in told["rows"]])
    )


def test_a_leaf_out_of_reach_has_no_rectangle():
    tree = two_leaves()
    asked = [{"row": [1.0, 1.0], "columns": columns} for columns in ([0, 1], [0], [1])]
    told = answered([{"document": document(tree), "surfaces": asked}])[0]["surfaces"]
    assert [[one["node"] for one in found["rects"]] for found in told] == [[1, 4], [1, 4], [1]]


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
