"""Trees for the tests: two made by hand, and Hypothesis strategies for any other."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from silva.data.schema import Column, Schema
from silva.tree.builder import Moments, TreeBuilder
from silva.tree.check import check
from silva.tree.moments import to_pairs
from silva.tree.splits import Subset, Threshold
from silva.tree.tree import Tree, from_arrays

ANIMALS = Schema(
    (
        Column("weight", "continuous"),
        Column("size", "ordinal", ("small", "medium", "large")),
        Column("color", "categorical", ("black", "brown", "white")),
        Column("tame", "binary", ("no", "yes")),
    )
)
CLASSES = np.array(["cat", "dog", "lion"])


def animal_tree() -> Tree:
    """One split of each kind of column.

    0 weight < 40.5: 1 tame (2 no: cat, 3 yes: is it brown? (4 no: dog, 5 yes: cat or dog)),
    6 size below large (7 yes: dog or lion, 8 no: lion).
    """
    build = TreeBuilder(ANIMALS, "classification", CLASSES)
    root = build.add_split(None, 0, Threshold(0, 40.5, 0), gain=0.25)
    heavy = build.add_split(root, 1, Threshold(1, 2.0, 0), gain=0.125)
    light = build.add_split(root, 0, Threshold(3, 1.0, 1), gain=0.1)
    build.add_leaf(light, 0, 6, {0: 6})
    colored = build.add_split(light, 1, Subset(2, (1,), 1, 0), gain=0.05)
    build.add_leaf(colored, 1, 3, {0: 1, 1: 2})
    build.add_leaf(colored, 0, 7, {1: 7})
    build.add_leaf(heavy, 0, 4, {1: 1, 2: 3})
    build.add_leaf(heavy, 1, 5, {2: 5})
    return build.finish()


def price_tree() -> Tree:
    """A regression tree: 0 age is missing, or not: 2 age < 3 (3, 4). Targets are 10 + q / 4."""
    schema = Schema((Column("age", "continuous"),))
    build = TreeBuilder(schema, "regression", center=10.0, target_unit=0.25)
    root = build.add_split(None, 0, Threshold(0, -math.inf, 0), gain=2.0)
    build.add_leaf(root, 0, 2, moments([-4, -2], 10.0, 0.25))
    known = build.add_split(root, 1, Threshold(0, 3.0, 1), gain=1.0)
    build.add_leaf(known, 0, 3, moments([1, 2, 3], 10.0, 0.25))
    build.add_leaf(known, 1, 1, moments([8], 10.0, 0.25))
    return build.finish()


def moments(targets: list[int], center: float, unit: float) -> Moments:
    """The moments of rows of weight 1 with these targets, in units."""
    mean = Fraction(center) + Fraction(sum(targets), len(targets)) * Fraction(unit)
    squares = sum(target * target for target in targets)
    return Moments(len(targets), sum(targets), squares, float(mean))


def chain(n_inner: int) -> Tree:
    """A tree that is one long path: inner node 2d asks x < d, and its left child is a leaf."""
    n_nodes, inner = 2 * n_inner + 1, np.arange(n_inner)
    is_inner = (np.arange(n_nodes) % 2 == 0) & (np.arange(n_nodes) < n_nodes - 1)
    targets = [*range(n_inner), -1]
    arrays = {
        "child_start": np.concatenate(([0], np.cumsum(2 * is_inner))),
        "child": np.arange(1, n_nodes),
        "split_kind": is_inner.astype(np.int8),
        "split_index": np.where(is_inner, np.arange(n_nodes) // 2, -1),
        "gain": is_inner.astype(float),
        "leaf_rows": np.ones(n_inner + 1, dtype=np.int64),
        "threshold_column": np.zeros(n_inner, dtype=np.int32),
        "threshold_value": inner.astype(float),
        "threshold_missing": np.zeros(n_inner, dtype=np.uint8),
        "subset_column": np.zeros(0, dtype=np.int32),
        "subset_start": np.zeros(1, dtype=np.int64),
        "subset_codes": np.zeros(0, dtype=np.int32),
        "subset_missing": np.zeros(0, dtype=np.uint8),
        "subset_unseen": np.zeros(0, dtype=np.uint8),
        "moment_weight": np.ones(n_inner + 1, dtype=np.int64),
        "moment_sum": to_pairs(targets),
        "moment_squares": to_pairs(target * target for target in targets),
        "moment_value": np.array(targets, dtype=float),
    }
    numbers = {"weight_unit": 1.0, "center": 0.0, "target_unit": 1.0}
    schema = Schema((Column("x", "continuous"),))
    return check(from_arrays(schema, "regression", None, "squared_error", arrays | numbers))


levels = st.one_of(st.text(max_size=4), st.integers(), st.floats(allow_nan=False), st.booleans())


@st.composite
def columns(draw, name):
    kind = draw(st.sampled_from(["continuous", "ordinal", "categorical", "binary"]))
    if kind == "continuous":
        return Column(name, kind)
    sizes = {"min_size": 2, "max_size": 2} if kind == "binary" else {"min_size": 1, "max_size": 5}
    return Column(name, kind, tuple(draw(st.lists(levels, unique=True, **sizes))))


@st.composite
def schemas(draw):
    names = draw(st.lists(st.text(max_size=5), min_size=1, max_size=4, unique=True))
    return Schema(tuple(draw(columns(name)) for name in names), draw(st.booleans()))


@st.composite
def splits(draw, schema):
    number = draw(st.integers(0, len(schema) - 1))
    column = schema.columns[number]
    missing = draw(st.integers(0, 1))
    if column.kind == "categorical":
        codes = draw(st.sets(st.integers(0, column.n_levels - 1)))
        return Subset(number, tuple(sorted(codes)), missing, draw(st.integers(0, 1)))
    return Threshold(number, draw(st.floats(allow_nan=False)), missing)


class_arrays = st.one_of(
    st.lists(st.text(max_size=4).filter(lambda s: not s.endswith("\0")), unique=True, min_size=1),
    st.lists(st.integers(-(2**63), 2**63 - 1), unique=True, min_size=1),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), unique=True, min_size=1),
    st.lists(st.booleans(), unique=True, min_size=1),
).map(np.array)

powers_of_two = st.integers(-1074, 960).map(lambda exponent: math.ldexp(1.0, exponent))
gains = st.floats(0.0, allow_nan=False)


@st.composite
def class_stats(draw, n_classes):
    codes = st.integers(0, n_classes - 1)
    return draw(st.dictionaries(codes, st.integers(1, 2**40), min_size=1, max_size=4))


moment_stats = st.builds(
    Moments,
    st.integers(1, 2**40),
    st.integers(-(2**100), 2**100),
    st.integers(0, 2**120),
    st.floats(allow_nan=False, allow_infinity=False),
)


@st.composite
def builders(draw, task):
    schema = draw(schemas())
    if task == "classification":
        criterion = draw(st.sampled_from(["gini", "entropy", "error"]))
        classes = draw(class_arrays)
        unit = draw(powers_of_two)
        return TreeBuilder(schema, task, classes, criterion, weight_unit=unit), schema, classes
    criterion = draw(st.sampled_from(["squared_error", "poisson"]))
    numbers = {
        "weight_unit": draw(powers_of_two),
        "target_unit": draw(powers_of_two),
        "center": draw(st.floats(allow_nan=False, allow_infinity=False)),
    }
    return TreeBuilder(schema, task, None, criterion, **numbers), schema, None


@st.composite
def trees(draw, task=None, max_inner=8):
    """Any legal tree, most of them too odd to come from data."""
    task = task or draw(st.sampled_from(["classification", "regression"]))
    build, schema, classes = draw(builders(task))
    open_places = [(None, 0)]
    for _ in range(draw(st.integers(0, max_inner))):
        parent, child = open_places.pop(draw(st.integers(0, len(open_places) - 1)))
        node = build.add_split(parent, child, draw(splits(schema)), draw(gains))
        open_places += [(node, 0), (node, 1)]
    stats = moment_stats if classes is None else class_stats(len(classes))
    for parent, child in draw(st.permutations(open_places)):
        build.add_leaf(parent, child, draw(st.integers(1, 2**40)), draw(stats))
    return build.finish()
