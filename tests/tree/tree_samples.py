"""Trees for the tests: some made by hand, and Hypothesis strategies for any other."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from silva.data.schema import POLICIES, Column, Schema
from silva.data.timescale import TimeScale
from silva.tree.arrays import offsets, stored
from silva.tree.builder import Moments, TreeBuilder
from silva.tree.check import check
from silva.tree.linear import LinearLeaves, Smoothing, models_a_leaf
from silva.tree.moments import to_pairs
from silva.tree.splits import (
    METRICS,
    STOP,
    VALUE,
    Distance,
    Multiway,
    Oblique,
    Subset,
    Threshold,
    n_children_of,
)
from silva.tree.tables import TABLES
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
    root = build.add_split(None, 0, Threshold(0, 40.5, 0, 0), gain=0.25)
    heavy = build.add_split(root, 1, Threshold(1, 2.0, 0, 0), gain=0.125)
    light = build.add_split(root, 0, Threshold(3, 1.0, 1, 1), gain=0.1)
    build.add_leaf(light, 0, 6, {0: 6})
    colored = build.add_split(light, 1, Subset(2, (1,), (), 1, 0), gain=0.05)
    build.add_leaf(colored, 1, 3, {0: 1, 1: 2})
    build.add_leaf(colored, 0, 7, {1: 7})
    build.add_leaf(heavy, 0, 4, {1: 1, 2: 3})
    build.add_leaf(heavy, 1, 5, {2: 5})
    return build.finish()


PATIENTS = Schema(
    (
        Column("age", "continuous", missing="own_branch"),
        Column("bmi", "continuous", missing="stop"),
        Column("sex", "binary", ("female", "male")),
        Column("pain", "ordinal", ("none", "some", "much"), unseen="stop"),
        Column("blood", "categorical", ("0", "A", "B", "AB"), "stop", "stop"),
    )
)


def patient_tree() -> Tree:
    """Every kind of split, own branches of missing values, rows that stop at inner nodes.

    0 blood 0, A or B: 1 an oblique sum (2, 3, 4 missing), 5 a distance (6, 7), 8 blood in a set of
    two (9 the other two, 10), and 11 missing blood: pain below much (12, 13, 14 missing).
    """
    build = TreeBuilder(PATIENTS, "classification", np.array(["ill", "well"]), "gain_ratio")
    root = build.add_split(None, 0, Multiway(4, (0, 1, 2), 3, STOP), gain=0.25)
    terms = ((0, 1, 2, 4), (VALUE, VALUE, VALUE, 3), (0.5, -1.2, 3.0, 1.0))
    oblique = build.add_split(root, 0, Oblique(*terms, 12.25, 2), gain=0.125)
    build.add_leaf(oblique, 0, 8, {0: 8})
    build.add_leaf(oblique, 1, 7, {1: 7})
    build.add_leaf(oblique, 2, 1, {0: 1})
    center, scale = (40.0, 22.5, 1.0), (0.125, 0.5, 1.0)
    matrix = (1.0, 0.5, 0.0, 0.5, 2.0, 0.0, 0.0, 0.0, 1.0)
    far = Distance("mahalanobis", (0, 1, 3), center, scale, matrix, 3.25, STOP)
    distance = build.add_split(root, 1, far, gain=0.0625)
    build.add_leaf(distance, 0, 2, {0: 2})
    build.add_leaf(distance, 1, 3, {0: 1, 1: 2})
    subset = build.add_split(root, 2, Subset(4, (1, 3), (0, 2), STOP, STOP), gain=0.5)
    build.add_leaf(subset, 0, 4, {0: 4})
    build.add_leaf(subset, 1, 4, {1: 4})
    missing = build.add_split(root, 3, Threshold(3, 2.0, 2, STOP), gain=0.25)
    build.add_leaf(missing, 0, 1, {0: 1})
    build.add_leaf(missing, 1, 1, {1: 1})
    build.add_leaf(missing, 2, 2, {0: 1, 1: 1})
    return build.finish()


def price_tree() -> Tree:
    """A regression tree: 0 age is missing, or not: 2 age < 3 (3, 4). Targets are 10 + q / 4."""
    schema = Schema((Column("age", "continuous"),))
    build = TreeBuilder(schema, "regression", center=10.0, target_unit=0.25)
    root = build.add_split(None, 0, Threshold(0, -math.inf, 0, 0), gain=2.0)
    build.add_leaf(root, 0, 2, moments([-4, -2], 10.0, 0.25))
    known = build.add_split(root, 1, Threshold(0, 3.0, 1, 1), gain=1.0)
    build.add_leaf(known, 0, 3, moments([1, 2, 3], 10.0, 0.25))
    build.add_leaf(known, 1, 1, moments([8], 10.0, 0.25))
    return build.finish()


def linear_tree() -> Tree:
    """The regression tree with models: age and a constant in leaf 0, none, and age in leaf 2."""
    models = LinearLeaves(
        start=np.array([0, 1, 1, 2]),
        column=np.array([0, 0], dtype=np.int32),
        code=np.array([VALUE, VALUE], dtype=np.int32),
        weight=np.array([0.5, -2.0]),
        center=np.array([1.0, 0.25]),
        intercept=np.array([9.25, 10.5, 12.0]),
        low=np.array([9.0, 10.5, -np.inf]),
        high=np.array([9.5, 10.5, np.inf]),
    )
    return check(replace(price_tree(), linear=models))


def smoothed_tree() -> Tree:
    """The animals with probabilities that lean towards the shares of all rows."""
    return check(replace(animal_tree(), smoothing=Smoothing(2.5, "root")))


def dated_tree() -> Tree:
    """The regression tree with models, of a column of instants."""
    scale = TimeScale("datetime", "us", 1_709_251_200 * 10**6, "UTC")
    return check(replace(linear_tree(), schema=Schema((Column("at", "continuous", time=scale),))))


SAMPLES = (animal_tree, patient_tree, price_tree, linear_tree, smoothed_tree, dated_tree)


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
        **no_splits(),
        "threshold_column": np.zeros(n_inner, dtype=np.int32),
        "threshold_value": inner.astype(float),
        "threshold_missing": np.zeros(n_inner, dtype=np.int8),
        "threshold_unseen": np.zeros(n_inner, dtype=np.int8),
        "moment_weight": np.ones(n_inner + 1, dtype=np.int64),
        "moment_sum": to_pairs(targets),
        "moment_squares": to_pairs(target * target for target in targets),
        "moment_value": np.array(targets, dtype=float),
    }
    numbers = {"weight_unit": 1.0, "center": 0.0, "target_unit": 1.0}
    schema = Schema((Column("x", "continuous"),))
    return check(from_arrays(schema, "regression", None, "squared_error", arrays | numbers))


def no_splits() -> dict[str, np.ndarray]:
    """The arrays of all split tables without any split."""
    return {
        how.name: np.zeros(int(field in offsets(table_type)), dtype=how.dtype)
        for _, table_type in TABLES.values()
        for field, how in stored(table_type).items()
    }


levels = st.one_of(st.text(max_size=4), st.integers(), st.floats(allow_nan=False), st.booleans())


@st.composite
def columns(draw, name):
    kind = draw(st.sampled_from(["continuous", "ordinal", "categorical", "binary"]))
    policies = draw(st.sampled_from(POLICIES)), draw(st.sampled_from(POLICIES))
    if kind == "continuous":
        return Column(name, kind, None, *policies)
    sizes = {"min_size": 2, "max_size": 2} if kind == "binary" else {"min_size": 1, "max_size": 5}
    return Column(name, kind, tuple(draw(st.lists(levels, unique=True, **sizes))), *policies)


@st.composite
def schemas(draw):
    names = draw(st.lists(st.text(max_size=5), min_size=1, max_size=4, unique=True))
    return Schema(tuple(draw(columns(name)) for name in names), draw(st.booleans()))


finite = st.floats(allow_nan=False, allow_infinity=False)
binary_takers = st.integers(STOP, 2)


@st.composite
def unseen_takers(draw, missing_child, known=2):
    return draw(st.integers(STOP, known - 1 + (missing_child == known)))


@st.composite
def thresholds(draw, column, _):
    missing = draw(binary_takers)
    return Threshold(
        column, draw(st.floats(allow_nan=False)), missing, draw(unseen_takers(missing))
    )


@st.composite
def subsets(draw, column, n_levels):
    sides = draw(st.lists(st.integers(0, 2), min_size=n_levels, max_size=n_levels))
    codes, rest = ([code for code, side in enumerate(sides) if side == one] for one in (1, 2))
    missing = draw(binary_takers)
    return Subset(column, tuple(codes), tuple(rest), missing, draw(unseen_takers(missing)))


@st.composite
def multiways(draw, column, n_levels):
    codes = tuple(sorted(draw(st.sets(st.integers(0, n_levels - 1), min_size=1))))
    least = STOP if len(codes) > 1 else len(codes)
    missing = draw(st.integers(least, len(codes)))
    return Multiway(column, codes, missing, draw(unseen_takers(missing, len(codes))))


@st.composite
def obliques(draw, schema):
    used = draw(st.lists(st.integers(0, len(schema) - 1), min_size=1, max_size=5))
    codes = []
    for column in (schema.columns[one] for one in used):
        least = 0 if column.kind == "categorical" else VALUE
        codes.append(draw(st.integers(least, column.n_levels - 1)))
    weights = [draw(finite) for _ in used]
    return Oblique(tuple(used), tuple(codes), tuple(weights), draw(finite), draw(binary_takers))


@st.composite
def distances(draw, ordered):
    used = draw(st.lists(st.sampled_from(ordered), min_size=1, max_size=3, unique=True))
    metric = draw(st.sampled_from(METRICS))
    n_cells = len(used) ** 2 if metric == "mahalanobis" else 0
    lists = [tuple(draw(finite) for _ in range(length)) for length in (len(used),) * 2 + (n_cells,)]
    return Distance(metric, tuple(used), *lists, draw(finite), draw(binary_takers))


@st.composite
def splits(draw, schema):
    """Any split of a table with these columns."""
    number = draw(st.integers(0, len(schema) - 1))
    column = schema.columns[number]
    kinds = [obliques(schema)]
    if column.kind != "categorical":
        kinds.append(thresholds(number, None))
        ordered = [i for i, one in enumerate(schema.columns) if one.kind != "categorical"]
        kinds.append(distances(ordered))
    if column.n_levels:
        kinds += [subsets(number, column.n_levels), multiways(number, column.n_levels)]
    return draw(st.one_of(kinds))


@st.composite
def linear_leaves(draw, schema, n_leaves, n_classes):
    """Any models for the leaves of a tree."""
    terms = [
        (number, code)
        for number, column in enumerate(schema.columns)
        for code in (range(column.n_levels) if column.kind == "categorical" else [VALUE])
    ]
    n_models = n_leaves * models_a_leaf(n_classes)
    used = [sorted(draw(st.sets(st.sampled_from(terms), max_size=2))) for _ in range(n_models)]
    entries = [term for model in used for term in model]
    low = [draw(st.floats(allow_nan=False, max_value=0.0)) for _ in range(n_models)]
    return LinearLeaves(
        start=np.concatenate(([0], np.cumsum([len(model) for model in used]))),
        column=np.array([column for column, _ in entries], dtype=np.int32),
        code=np.array([code for _, code in entries], dtype=np.int32),
        weight=np.array([draw(finite) for _ in entries], dtype=float),
        center=np.array([draw(finite) for _ in entries], dtype=float),
        intercept=np.array([draw(finite) for _ in range(n_models)]),
        low=np.array(low),
        high=np.array([draw(st.sampled_from([1.0, np.inf])) for _ in low]),
    )


class_arrays = st.one_of(
    st.lists(st.text(max_size=4).filter(lambda s: not s.endswith("\0")), unique=True, min_size=1),
    st.lists(st.integers(-(2**63), 2**63 - 1), unique=True, min_size=1),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), unique=True, min_size=1),
    st.lists(st.booleans(), unique=True, min_size=1),
).map(np.array)

powers_of_two = st.integers(-1074, 960).map(lambda exponent: math.ldexp(1.0, exponent))
gains = st.floats(0.0, allow_nan=False)


smoothings = st.none() | st.builds(
    Smoothing, st.floats(0.0, 1e300), st.sampled_from(["uniform", "root"])
)


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
        criterion = draw(st.sampled_from(["gini", "entropy", "error", "gain_ratio"]))
        classes = draw(class_arrays)
        unit = draw(powers_of_two)
        settings = {"weight_unit": unit, "smoothing": draw(smoothings)}
        return TreeBuilder(schema, task, classes, criterion, **settings), schema, classes
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
        split = draw(splits(schema))
        node = build.add_split(parent, child, split, draw(gains))
        open_places += [(node, number) for number in range(n_children_of(split))]
    stats = moment_stats if classes is None else class_stats(len(classes))
    for parent, child in draw(st.permutations(open_places)):
        build.add_leaf(parent, child, draw(st.integers(1, 2**40)), draw(stats))
    tree = build.finish()
    if draw(st.integers(0, 3)):
        return tree
    n_classes = 0 if classes is None else len(classes)
    return check(replace(tree, linear=draw(linear_leaves(schema, tree.n_leaves, n_classes))))
