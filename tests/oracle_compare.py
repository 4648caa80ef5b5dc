"""Node-by-node comparison of the oracle's tree with the arrays of the core or a silva Tree."""

from collections.abc import Mapping, Sequence

from oracle import OracleNode, OracleTree, Problem, Split, leaf_value


def describe_oracle(tree: OracleTree) -> dict[str, dict]:
    """Facts of each node by its path ("" is the root, "01" the right child of its left child)."""
    records = {}
    stack = [("", tree.root)]
    while stack:
        path, node = stack.pop()
        records[path] = {"gain": node.gain.hex(), "split": exact_split(node.split)}
        if node.split is None:
            records[path] |= describe_leaf(tree.problem, node)
        stack += [(f"{path}{side}", child) for side, child in enumerate(node.children)]
    return records


def describe_leaf(problem: Problem, node: OracleNode) -> dict:
    if problem.n_classes:
        classes = {code: weight for code, weight in enumerate(node.stats.sums) if weight}
        return {"rows": len(node.rows), "classes": classes}
    squares = sum(problem.weight_of[row] * problem.code_of[row] ** 2 for row in node.rows)
    moments = (node.stats.weight, node.stats.sums[0], squares)
    value = leaf_value(problem, node.rows).hex()
    return {"rows": len(node.rows), "moments": moments, "value": value}


def exact_split(split: Split | None) -> tuple | None:
    """A split with its threshold spelled out to the last bit (-0.0 and 0.0 are the same)."""
    if split is None:
        return None
    place = (split.threshold + 0.0).hex() if split.codes is None else split.codes
    return split.column, place, split.missing_child, split.unseen_child


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
        stack += reversed([(f"{path}{side}", child) for side, child in enumerate(children)])
    assert expected == len(arrays["split_kind"]), "nodes that no parent names"
    assert leaf == len(arrays["leaf_rows"]), "leaf tables of another length than the leaves"
    return records


def split_from_arrays(arrays: Mapping, node: int) -> Split | None:
    kind, index = int(arrays["split_kind"][node]), int(arrays["split_index"][node])
    if kind == 0:
        assert index == -1, f"leaf {node} has split index {index}"
        return None
    if kind == 1:
        column, threshold, missing_child = (
            arrays[f"threshold_{name}"][index].item() for name in ("column", "value", "missing")
        )
        return Split(column, threshold, None, missing_child)
    start, stop = arrays["subset_start"][index : index + 2]
    codes = tuple(int(code) for code in arrays["subset_codes"][start:stop])
    column, missing_child, unseen_child = (
        arrays[f"subset_{name}"][index].item() for name in ("column", "missing", "unseen")
    )
    return Split(column, None, codes, missing_child, unseen_child)


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
    thresholds, subsets, stats = tree.thresholds, tree.subsets, tree.leaf_stats
    names = ("child_start", "child", "split_kind", "split_index", "gain", "leaf_rows")
    arrays = {name: getattr(tree, name) for name in (*names, "weight_unit")}
    arrays |= {
        "threshold_column": thresholds.column,
        "threshold_value": thresholds.threshold,
        "threshold_missing": thresholds.missing_child,
        "subset_column": subsets.column,
        "subset_start": subsets.start,
        "subset_codes": subsets.codes,
        "subset_missing": subsets.missing_child,
        "subset_unseen": subsets.unseen_child,
    }
    if tree.task == "classification":
        parts = ("start", "code", "weight")
        return arrays | {f"class_{name}": getattr(stats, name) for name in parts}
    arrays |= {f"moment_{name}": getattr(stats, name) for name in ("weight", "sum", "value")}
    arrays["moment_squares"] = stats.sum_of_squares
    return arrays | {"center": stats.center, "target_unit": stats.target_unit}


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
