"""Hypothesis strategies for trees whose splits ask about one column each."""

from hypothesis import strategies as st

from silva.tree.splits import n_children_of
from tests.tree.tree_samples import (
    builders,
    class_stats,
    gains,
    moment_stats,
    multiways,
    subsets,
    thresholds,
)


@st.composite
def axis_splits(draw, schema):
    number = draw(st.integers(0, len(schema) - 1))
    column = schema.columns[number]
    kinds = [] if column.kind == "categorical" else [thresholds(number, None)]
    if column.n_levels:
        kinds += [subsets(number, column.n_levels), multiways(number, column.n_levels)]
    return draw(st.one_of(kinds))


@st.composite
def axis_trees(draw, max_inner=8):
    """Any legal tree of threshold, subset and multiway splits with constant leaves."""
    task = draw(st.sampled_from(["classification", "regression"]))
    build, schema, classes = draw(builders(task))
    open_places = [(None, 0)]
    for _ in range(draw(st.integers(1, max_inner))):
        parent, child = open_places.pop(draw(st.integers(0, len(open_places) - 1)))
        split = draw(axis_splits(schema))
        node = build.add_split(parent, child, split, draw(gains))
        open_places += [(node, number) for number in range(n_children_of(split))]
    stats = moment_stats if classes is None else class_stats(len(classes))
    for parent, child in open_places:
        build.add_leaf(parent, child, draw(st.integers(1, 2**40)), draw(stats))
    return build.finish()
