"""Where the page draws nodes, which of them, and how it writes numbers, against Python."""

import math
import random
from itertools import pairwise

import numpy as np
import pytest

from silva.inspect.drawing.arrange import arrange
from silva.inspect.drawing.boxes import Cards
from silva.inspect.drawing.layout import parents_of, tidy
from silva.inspect.drawing.lettering import SMALL, width
from silva.inspect.subject import subject_of
from silva.page.payload.document import document
from silva.tree import words
from silva.tree.shown import Limits
from silva.tree.view import TreeView
from tests.page.js_cases import fitted_models
from tests.page.js_model import answered, floats

DRAWN = (
    "many classes",
    "multiway",
    "multiway numbers",
    "oblique",
    "regression",
    "stump",
    "one leaf",
)


@pytest.fixture(scope="module")
def cases():
    """Trees and documents of models, by name."""
    models = {name: fitted_models()[name] for name in DRAWN}
    return {
        name: {"tree": subject_of(model).tree(), "doc": document(model)}
        for name, model in models.items()
    }


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
