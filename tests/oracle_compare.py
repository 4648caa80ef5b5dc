"""Node-by-node comparison of the oracle's tree with the arrays of the core or a silva Tree."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple

from tests.oracle import OracleTree, step
from tests.oracle_splits import METRICS, Distance, Multiway, Oblique, Split, Subset, Threshold
from tests.oracle_units import Problem, leaf_value, stats_of


def describe_oracle(tree: OracleTree) -> dict[str, dict]:
    """Facts of each node by its path ("" is the root, "01" the right child of its left child)."""
    records = {}
    stack = [("", tree.root)]
    while stack:
        path, node = stack.pop()
        records[path] = {"gain": node.gain.hex(), "split": exact_split(node.split)}
        if node.split is None:
            records[path] |= describe_leaf(tree.problem, node.rows)
        stack += [(path + step(side), child) for side, child in enumerate(node.children)]
    return records


def describe_leaf(problem: Problem, rows: Sequence[int]) -> dict:
    stats = stats_of(problem, rows)
    if problem.n_classes:
        classes = {code: weight for code, weight in enumerate(stats.sums) if weight}
        return {"rows": len(rows), "classes": classes}
    squares = sum(problem.weight_of[row] * problem.code_of[row] ** 2 for row in rows)
    moments = (stats.weight, stats.sums[0], squares)
    value = leaf_value(problem, rows).hex()
    return {"rows": len(rows), "moments": moments, "value": value}


def exact_split(split: Split | None) -> tuple | None:
    """A split with its numbers spelled out to the last bit (-0.0 and 0.0 are the same)."""
    if split is None:
        return None
    return type(split).__name__, *(spelled(part) for part in astuple(split))


def spelled(part: object) -> object:
    if isinstance(part, tuple):
        return tuple(spelled(item) for item in part)
    return (part + 0.0).hex() if isinstance(part, float) else part


def chosen_columns(arrays: Mapping) -> dict[str, int]:
    """The column that each node of a grown tree splits, by path; nodes of one column only."""
    splits = {path: record["split"] for path, record in describe_arrays(arrays).items()}
    axis = (Threshold.__name__, Subset.__name__, Multiway.__name__)
    return {path: split[1] for path, split in splits.items() if split and split[0] in axis}


def describe_arrays(arrays: Mapping) -> dict[str, dict]:
    """The same facts, read from the arrays of the core; checks that nodes are in pre-order."""
    records = {}
    stack = [("", 0)]
    expected = leaf = 0
    while stack:
        path, node = stack.pop()
        assert node == expected, f"node {node} at path {path!r} should have number {expected}"
        expected += 1
        split = split_from_arrays(arrays, node)
        records[path] = {"gain": float(arrays["gain"][node]).hex(), "split": exact_split(split)}
        if split is None:
            records[path] |= leaf_from_arrays(arrays, leaf)
            leaf += 1
        start, stop = arrays["child_start"][node : node + 2]
        children = [int(child) for child in arrays["child"][start:stop]]
        stack += reversed([(path + step(side), child) for side, child in enumerate(children)])
    assert expected == len(arrays["split_kind"]), "nodes that no parent names"
    assert leaf == len(arrays["leaf_rows"]), "leaf tables of another length than the leaves"
    return records


def split_from_arrays(arrays: Mapping, node: int) -> Split | None:
    kind, index = int(arrays["split_kind"][node]), int(arrays["split_index"][node])
    if kind == 0:
        assert index == -1, f"leaf {node} has split index {index}"
        return None
    return READERS[kind - 1](arrays, index)


def numbers_of(arrays: Mapping, index: int, *names: str) -> list:
    return [arrays[name][index].item() for name in names]


def listed(arrays: Mapping, index: int, start: str, *names: str) -> list[tuple]:
    """The slices of some arrays that belong to one split."""
    first, last = arrays[start][index : index + 2]
    return [tuple(arrays[name][first:last].tolist()) for name in names]


def read_threshold(arrays: Mapping, index: int) -> Threshold:
    names = ("threshold_column", "threshold_value", "threshold_missing", "threshold_unseen")
    return Threshold(*numbers_of(arrays, index, *names))


def read_subset(arrays: Mapping, index: int) -> Subset:
    column, missing, unseen = numbers_of(
        arrays, index, "subset_column", "subset_missing", "subset_unseen"
    )
    (codes,) = listed(arrays, index, "subset_start", "subset_codes")
    (rest,) = listed(arrays, index, "subset_rest_start", "subset_rest")
    return Subset(column, codes, rest, missing, unseen)


def read_multiway(arrays: Mapping, index: int) -> Multiway:
    names = ("multiway_column", "multiway_missing", "multiway_unseen")
    column, missing, unseen = numbers_of(arrays, index, *names)
    (codes,) = listed(arrays, index, "multiway_start", "multiway_codes")
    return Multiway(column, codes, missing, unseen)


def read_oblique(arrays: Mapping, index: int) -> Oblique:
    names = ("oblique_column", "oblique_code", "oblique_weight")
    parts = listed(arrays, index, "oblique_start", *names)
    return Oblique(*parts, *numbers_of(arrays, index, "oblique_threshold", "oblique_missing"))


def read_distance(arrays: Mapping, index: int) -> Distance:
    names = ("distance_column", "distance_center", "distance_scale")
    parts = listed(arrays, index, "distance_start", *names)
    (matrix,) = listed(arrays, index, "distance_matrix_start", "distance_matrix")
    metric, threshold, missing = numbers_of(
        arrays, index, "distance_metric", "distance_threshold", "distance_missing"
    )
    return Distance(METRICS[metric], *parts, matrix, threshold, missing)


READERS = (read_threshold, read_subset, read_multiway, read_oblique, read_distance)


def leaf_from_arrays(arrays: Mapping, leaf: int) -> dict:
    rows = int(arrays["leaf_rows"][leaf])
    if "class_start" in arrays:
        start, stop = arrays["class_start"][leaf : leaf + 2]
        codes = arrays["class_code"][start:stop].tolist()
        weights = arrays["class_weight"][start:stop].tolist()
        return {"rows": rows, "classes": dict(zip(codes, weights, strict=True))}
    moments = (
        int(arrays["moment_weight"][leaf]),
        wide_integer(arrays["moment_sum"][leaf]),
        wide_integer(arrays["moment_squares"][leaf]),
    )
    value = float(arrays["moment_value"][leaf]) + 0.0
    return {"rows": rows, "moments": moments, "value": value.hex()}


def wide_integer(pair: Sequence[int]) -> int:
    """A signed 128-bit integer from its high and low 64 bits."""
    high, low = (int(part) for part in pair)
    return (high << 64) + (low & (2**64 - 1))


def arrays_of_tree(tree) -> dict:
    """The core's dictionary, from a silva Tree."""
    from silva.tree.tree import to_arrays

    arrays = to_arrays(tree) | {"weight_unit": tree.weight_unit}
    if tree.task == "regression":
        stats = tree.leaf_stats
        arrays |= {"center": stats.center, "target_unit": stats.target_unit}
    return arrays


def assert_same_tree(expected: OracleTree, arrays: Mapping) -> None:
    """Fail with the first node (in pre-order) that differs between the oracle and the core."""
    problem = expected.problem
    units = {"weight_unit": problem.weight_unit}
    if problem.n_classes == 0:
        units |= {"center": problem.center, "target_unit": problem.target_unit}
    for name, unit in units.items():
        assert float(arrays[name]).hex() == unit.hex(), f"{name}: {arrays[name]} is not {unit}"
    ours, theirs = describe_oracle(expected), describe_arrays(arrays)
    for path in sorted(ours.keys() | theirs.keys()):
        assert ours.get(path) == theirs.get(path), (
            f"node {path!r}: the oracle has {ours.get(path)}, the tree has {theirs.get(path)}"
        )
