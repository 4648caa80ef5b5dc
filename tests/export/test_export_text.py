"""Trees as text: what people see, line by line."""

from dataclasses import replace

import numpy as np
import pytest

from silva.data.schema import Column, Schema
from silva.errors import PlanError
from silva.export.text import to_text
from silva.tree.builder import Moments, TreeBuilder
from silva.tree.check import check
from silva.tree.linear import LinearLeaves, Smoothing
from silva.tree.splits import STOP, Distance, Multiway, Oblique, Subset, Threshold
from silva.tree.view import TreeView

SCHEMA = Schema(
    (
        Column("petal width (cm)", "continuous"),
        Column("AI", "binary", ("no", "yes")),
        Column("color", "categorical", ("red", "blue")),
    )
)


def flowers(weight_unit=1.0, classes=("setosa", "versicolor", "virginica")):
    build = TreeBuilder(SCHEMA, "classification", np.array(classes), weight_unit=weight_unit)
    root = build.add_split(None, 0, Threshold(0, 0.8, 1, 1), 0.333)
    build.add_leaf(root, 0, 50, {0: 50})
    rest = build.add_split(root, 1, Threshold(0, 1.75, 0, 0), 0.39)
    few = build.add_split(rest, 0, Subset(2, (1,), (), 0, 0), 0.1)
    build.add_leaf(few, 0, 48, {1: 47, 2: 1})
    build.add_leaf(few, 1, 6, {1: 2, 2: 4})
    build.add_leaf(rest, 1, 46, {1: 1, 2: 45})
    return build.finish()


def prices():
    build = TreeBuilder(SCHEMA, "regression", center=1e9, target_unit=0.0009765625)
    root = build.add_split(None, 0, Threshold(1, 1.0, 0, 0), 2.0)
    build.add_leaf(root, 0, 3, Moments(3, 3, 5, 1e9 + 2**-10))
    build.add_leaf(root, 1, 1, Moments(1, 10, 100, 1e9 + 10 * 2**-10))
    return build.finish()


NOTE = "\nSome numbers are rounded; digits=None (silva show --digits exact) shows them exactly."
LEGEND = "\n\nUnless shown otherwise, missing and unseen values follow the larger branch."
FLOWERS = """\
classification tree (gini): 7 nodes, 4 leaves, depth 3
all rows (150 rows: setosa 33.3%, versicolor 33.3%, virginica 33.3%)
├─ petal width (cm) < 0.8 → setosa (50 rows: setosa 100%)
└─ petal width (cm) >= 0.8 (100 rows: versicolor 50%, virginica 50%)
   ├─ petal width (cm) < 1.75 (54 rows: versicolor 90.7%, virginica 9.3%)
   │  ├─ color != blue → versicolor (48 rows: versicolor 97.9%, virginica 2.1%)
   │  └─ color = blue → virginica (6 rows: virginica 66.7%, versicolor 33.3%)
   └─ petal width (cm) >= 1.75 → virginica (46 rows: virginica 97.8%, versicolor 2.2%)"""


def body(text):
    """The lines of the nodes."""
    return text.removesuffix(LEGEND).split("\n")[1:]


def test_a_classification_tree():
    assert to_text(flowers()) == FLOWERS + LEGEND
    assert str(flowers()) == FLOWERS + LEGEND
    assert str(TreeView(flowers())) == FLOWERS + LEGEND


def test_a_regression_tree_shows_as_many_digits_as_it_needs():
    assert to_text(prices(), digits=None).count("1000000000.0") == 3
    assert to_text(prices()).removesuffix(NOTE) == (
        """\
regression tree (squared_error): 3 nodes, 2 leaves, depth 1
all rows (4 rows: mean 1000000000.003174, deviation 0.003868)
├─ AI = no → 1000000000.000977 (3 rows: deviation 0.0007974)
└─ AI = yes → 1000000000.009766 (1 row: deviation 0)"""
        + LEGEND
    )


def test_estimators_and_views_are_taken_too():
    class Estimator:
        grown_tree_ = flowers()

    assert to_text(Estimator()) == to_text(TreeView(flowers())) == to_text(flowers())
    for wrong in (None, "tree", object()):
        with pytest.raises(TypeError, match="fitted"):
            to_text(wrong)


def test_depth_limit_says_what_it_hid():
    assert body(to_text(flowers(), max_depth=1)) == [
        "all rows (150 rows: setosa 33.3%, versicolor 33.3%, virginica 33.3%)",
        "├─ petal width (cm) < 0.8 → setosa (50 rows: setosa 100%)",
        "└─ petal width (cm) >= 0.8 (100 rows: versicolor 50%, virginica 50%)",
        "   └─ … 4 nodes, 100 rows hidden",
    ]


def test_row_limit_says_what_it_hid():
    assert body(to_text(flowers(), min_rows=48)) == [
        "all rows (150 rows: setosa 33.3%, versicolor 33.3%, virginica 33.3%)",
        "├─ petal width (cm) < 0.8 → setosa (50 rows: setosa 100%)",
        "└─ petal width (cm) >= 0.8 (100 rows: versicolor 50%, virginica 50%)",
        "   ├─ petal width (cm) < 1.75 (54 rows: versicolor 90.7%, virginica 9.3%)",
        "   │  ├─ color != blue → versicolor (48 rows: versicolor 97.9%, virginica 2.1%)",
        "   │  └─ … 1 node, 6 rows hidden",
        "   └─ … 1 node, 46 rows hidden",
    ]


def test_node_limit_keeps_the_nodes_with_most_rows():
    assert body(to_text(flowers(), max_nodes=3)) == [
        "all rows (150 rows: setosa 33.3%, versicolor 33.3%, virginica 33.3%)",
        "├─ … 1 node, 50 rows hidden",
        "└─ petal width (cm) >= 0.8 (100 rows: versicolor 50%, virginica 50%)",
        "   ├─ petal width (cm) < 1.75 (54 rows: versicolor 90.7%, virginica 9.3%)",
        "   │  └─ … 2 nodes, 54 rows hidden",
        "   └─ … 1 node, 46 rows hidden",
    ]
    assert len(body(to_text(flowers(), max_nodes=1))) == 2


@pytest.mark.parametrize("limit", ["max_depth", "min_rows", "max_nodes"])
def test_impossible_limits(limit):
    with pytest.raises(PlanError, match=f"{limit}=-1"):
        to_text(flowers(), **{limit: -1})


@pytest.mark.parametrize("limit", ["max_depth", "min_rows", "max_nodes"])
@pytest.mark.parametrize("value", ["3", 2.5, float("nan")])
def test_limits_are_whole_numbers(limit, value):
    with pytest.raises(PlanError, match=f"{limit}={value!r}.*whole number"):
        to_text(flowers(), **{limit: value})


def test_limits_that_hide_nothing():
    assert to_text(flowers(), max_depth=3, min_rows=1, max_nodes=7) == FLOWERS + LEGEND


def test_plain_ascii():
    text = to_text(flowers(classes=("sëtosa", "b", "c")), max_depth=2, ascii_only=True)
    assert body(text) == [
        r"all rows (150 rows: s\xebtosa 33.3%, b 33.3%, c 33.3%)",
        r"|- petal width (cm) < 0.8 -> s\xebtosa (50 rows: s\xebtosa 100%)",
        "`- petal width (cm) >= 0.8 (100 rows: b 50%, c 50%)",
        "   |- petal width (cm) < 1.75 (54 rows: b 90.7%, c 9.3%)",
        "   |  `- ... 2 nodes, 54 rows hidden",
        "   `- petal width (cm) >= 1.75 -> c (46 rows: c 97.8%, b 2.2%)",
    ]


def test_node_numbers():
    lines = body(to_text(flowers(), numbers=True))
    assert [line.split("#")[1].split()[0] for line in lines] == list("0123456")


def test_weights_are_shown_where_rows_have_them():
    lines = body(to_text(flowers(weight_unit=0.5)))
    assert lines[1] == "├─ petal width (cm) < 0.8 → setosa (50 rows, weight 25: setosa 100%)"


def test_numbers_as_classes_are_not_taken_for_shares():
    lines = body(to_text(flowers(classes=(0, 1, 2))))
    assert lines[1] == "├─ petal width (cm) < 0.8 → 0 (50 rows: class 0 100%)"


def test_small_shares_are_never_rounded_to_none_or_all():
    build = TreeBuilder(SCHEMA, "classification", np.array(["a", "b"]))
    build.add_leaf(None, 0, 100_000, {0: 99_999, 1: 1})
    assert to_text(build.finish()) == (
        "classification tree (gini): 1 node, 1 leaf, depth 0\n"
        "all rows → a (100,000 rows: a >99.9%, b <0.1%)"
    )


def test_many_classes_are_summed_up():
    build = TreeBuilder(SCHEMA, "classification", np.array(list("abcdef")))
    build.add_leaf(None, 0, 20, {0: 1, 1: 8, 2: 4, 3: 4, 4: 2, 5: 1})
    assert body(to_text(build.finish())) == [
        "all rows → b (20 rows: b 40%, c 20%, d 20%, 3 others 20%)"
    ]


SIZES = Schema(
    (
        Column("age", "continuous"),
        Column("size", "ordinal", ("small", "medium", "large")),
        Column("color", "categorical", tuple(f"c{i}" for i in range(20))),
    )
)


def mixed(smoothing=None):
    """Many children, own branches, rows that stop, a sum, a distance, and a long list."""
    build = TreeBuilder(
        SIZES, "classification", np.array(["a", "b"]), "gain_ratio", smoothing=smoothing
    )
    root = build.add_split(None, 0, Multiway(2, (0, 1, 2), 3, STOP), 0.5)
    sums = build.add_split(root, 0, Oblique((0, 1), (-1, -1), (0.5, -2.0), 1.5, 2), 0.25)
    for child, stats in enumerate(({0: 3}, {1: 2}, {0: 1})):
        build.add_leaf(sums, child, sum(stats.values()), stats)
    near = Distance("euclidean", (0, 1), (40.0, 1.0), (0.125, 1.0), (), 2.5, STOP)
    distance = build.add_split(root, 1, near, 0.25)
    build.add_leaf(distance, 0, 2, {0: 2})
    build.add_leaf(distance, 1, 2, {1: 2})
    long = build.add_split(root, 2, Subset(2, tuple(range(1, 16)), (), 0, 0), 0.25)
    build.add_leaf(long, 0, 2, {0: 2})
    build.add_leaf(long, 1, 2, {1: 2})
    build.add_leaf(root, 3, 1, {1: 1})
    return build.finish()


MIXED = """\
classification tree (gain_ratio): 12 nodes, 8 leaves, depth 2
all rows (15 rows: a 53.3%, b 46.7%), unseen values stop here
├─ color = c0 (6 rows: a 66.7%, b 33.3%)
│  ├─ 0.5*age - 2*position(size) < 1.5 → a (3 rows: a 100%)
│  ├─ 0.5*age - 2*position(size) >= 1.5 → b (2 rows: b 100%)
│  └─ age or size is missing or unseen → a (1 row: a 100%)
├─ color = c1 (4 rows: a 50%, b 50%), missing or unseen values stop here
│  ├─ euclidean distance to (age 40, position(size) 1) scaled by (0.125, 1) < 2.5 → a (2 rows: a 100%)
│  └─ euclidean distance to (age 40, position(size) 1) scaled by (0.125, 1) >= 2.5 → b (2 rows: b 100%)
├─ color = c2 (4 rows: a 50%, b 50%)
│  ├─ color not in {LEVELS} → a (2 rows: a 100%)
│  └─ color in {LEVELS} → b (2 rows: b 100%)
└─ color is missing → b (1 row: b 100%)

Unless shown otherwise, missing and unseen values follow the larger branch. \
Rows that stop at an inner node get that node's prediction.
Where all edges of a node list levels, any other level counts as unseen.
position(size): small = 0, medium = 1, large = 2.
Scaled by: values and the point are multiplied by these factors first."""  # noqa: E501


def test_every_kind_of_split():
    exact, short = (f"c{', c'.join(map(str, range(1, end)))}" for end in (16, 11))
    assert to_text(mixed(), max_listed=None) == MIXED.replace("LEVELS", exact)
    assert to_text(mixed()) == str(mixed()) == MIXED.replace("LEVELS", f"{short} and 5 more")


def test_smoothing_is_explained():
    lines = to_text(mixed(Smoothing(2.0, "uniform"))).splitlines()
    assert lines[-1] == "Probabilities are (weight + 2 * p) / (total + 2), where p is 1 / classes."
    lines = to_text(mixed(Smoothing(0.5, "root"))).splitlines()
    assert lines[-1].endswith("where p is the share of the class in all rows.")


def linear_prices():
    models = LinearLeaves(
        start=np.array([0, 1, 1]),
        column=np.array([0], dtype=np.int32),
        code=np.array([-1], dtype=np.int32),
        weight=np.array([0.5]),
        center=np.array([40.0]),
        intercept=np.array([3.25, 7.0]),
        low=np.array([1.0, 7.0]),
        high=np.array([9.0, 7.0]),
    )
    build = TreeBuilder(SIZES, "regression")
    root = build.add_split(None, 0, Threshold(0, 50.0, 0, 0), 2.0)
    build.add_leaf(root, 0, 2, Moments(2, 6, 20, 3.0))
    build.add_leaf(root, 1, 1, Moments(1, 7, 49, 7.0))
    return check(replace(build.finish(), linear=models))


def test_linear_leaves_show_their_models():
    lines = body(to_text(linear_prices()))
    assert lines[1:3] == [
        "├─ age < 50 → 3.25 + 0.5*(age - 40), between 1 and 9 (2 rows: mean 3, deviation 1)",
        "└─ age >= 50 → 7 (1 row: mean 7, deviation 0)",
    ]
    assert "age < 50 → linear model (2 rows: mean 3, deviation 1)" in str(linear_prices())


def test_names_cannot_break_the_text():
    schema = Schema((Column("a\nb\x1b[31m", "binary", ("", "yes\r")),))
    build = TreeBuilder(schema, "classification", np.array(["x\ny", "z"]))
    root = build.add_split(None, 0, Threshold(0, 1.0, 0, 0), 0.5)
    build.add_leaf(root, 0, 1, {0: 1})
    build.add_leaf(root, 1, 1, {1: 1})
    assert body(to_text(build.finish())) == [
        "all rows (2 rows: 'x\\ny' 50%, z 50%)",
        "├─ 'a\\nb\\x1b[31m' = '' → 'x\\ny' (1 row: 'x\\ny' 100%)",
        "└─ 'a\\nb\\x1b[31m' = 'yes\\r' → z (1 row: z 100%)",
    ]
