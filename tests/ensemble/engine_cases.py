"""Forests of any trees over one table, and rows with odd values."""

import numpy as np
from hypothesis import strategies as st

from silva.data.schema import UNSEEN_CODE
from silva.data.table import Table
from silva.tree.builder import TreeBuilder
from silva.tree.splits import n_children_of
from tests.tree.tree_samples import (
    builders,
    class_stats,
    gains,
    moment_stats,
    smoothings,
    splits,
    subsets,
    thresholds,
)


@st.composite
def column_values(draw, column, n_rows):
    """Values of any type that a bound column can have."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    if column.kind == "continuous":
        dtype = draw(st.sampled_from([np.float64, np.float32, np.int32, np.uint8, np.int64]))
        return odd_numbers(rng, n_rows, dtype)
    if column.kind == "binary" and draw(st.booleans()):
        return rng.integers(0, 2, n_rows).astype(np.uint8)
    return rng.integers(UNSEEN_CODE, column.n_levels, n_rows).astype(np.int32)


def odd_numbers(rng, n_rows, dtype):
    if not np.issubdtype(dtype, np.floating):
        return rng.integers(0, 9, n_rows).astype(dtype)
    values = np.where(rng.random(n_rows) < 0.5, rng.normal(size=n_rows).round(1), 0.0)
    odd = rng.random(n_rows) < 0.3
    values[odd] = rng.choice([np.nan, np.inf, -np.inf, 1e308, -1e300, 5e-324, -0.0], odd.sum())
    with np.errstate(over="ignore"):
        return values.astype(dtype)


def odd_rows(rng, schema, n_rows, dtype):
    """A table bound to the schema, with missing and unseen values."""
    columns = []
    for column in schema.columns:
        if column.kind == "continuous":
            columns.append(odd_numbers(rng, n_rows, dtype))
        else:
            codes = rng.integers(UNSEEN_CODE, column.n_levels, n_rows).astype(np.int32)
            columns.append(codes)
    return Table(schema, tuple(columns), n_rows)


@st.composite
def simple_splits(draw, schema):
    """Thresholds and subsets: what the engine walks itself."""
    number = draw(st.integers(0, len(schema) - 1))
    column = schema.columns[number]
    if column.n_levels and (column.kind == "categorical" or draw(st.booleans())):
        return draw(subsets(number, column.n_levels))
    return draw(thresholds(number, None))


@st.composite
def forests(draw):
    """One to four legal trees of one schema and task, most too odd to come from data."""
    task = draw(st.sampled_from(["classification", "regression"]))
    _, schema, classes = draw(builders(task))
    some_splits = draw(st.sampled_from([simple_splits, splits]))(schema)
    made = []
    for _ in range(draw(st.integers(1, 4))):
        smoothing = draw(smoothings) if task == "classification" else None
        build = TreeBuilder(schema, task, classes, smoothing=smoothing)
        made.append(draw(grown(build, some_splits, classes)))
    return made


@st.composite
def grown(draw, build, some_splits, classes):
    open_places = [(None, 0)]
    for _ in range(draw(st.integers(0, 8))):
        parent, child = open_places.pop(draw(st.integers(0, len(open_places) - 1)))
        split = draw(some_splits)
        node = build.add_split(parent, child, split, draw(gains))
        open_places += [(node, number) for number in range(n_children_of(split))]
    stats = moment_stats if classes is None else class_stats(len(classes))
    for parent, child in open_places:
        build.add_leaf(parent, child, draw(st.integers(1, 9)), draw(stats))
    return build.finish()
