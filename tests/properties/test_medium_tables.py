"""Tables large enough for every engine of the core, checked by the vectorised oracle.

The core searches small and large nodes, and columns with few and with many distinct values, in
different ways; these tables have both, on both sides of the limits.
"""

from dataclasses import replace

import numpy as np
import pytest

from tests.oracle_compare import describe_arrays
from tests.oracle_units import BINARY, CATEGORICAL, CONTINUOUS, ORDINAL, Rules
from tests.properties.cases import Case, same_bytes
from tests.properties.vector_oracle import check_tree


def mixed_table(rng: np.random.Generator, n_rows: int, missing: float) -> Case:
    """Columns with many, few, 255 to 257 and two distinct values, of every kind; two mirrored."""
    signal = rng.normal(size=n_rows)
    columns = [
        (signal + rng.normal(size=n_rows)).astype(np.float32),
        rng.normal(size=n_rows),
        rng.integers(0, 255, n_rows).astype(np.float64) / 7,
        rng.permutation(np.arange(n_rows) % 256).astype(np.int16),
        rng.permutation(np.arange(n_rows) % 257).astype(np.float32),
        np.rint(signal * 3 + rng.normal(size=n_rows)).astype(np.int32),
        (signal > 0.3).astype(np.uint8) ^ (rng.random(n_rows) < 0.2),
        np.digitize(signal, [-1, -0.2, 0.4, 1.1]).astype(np.int32),
        rng.integers(0, 6, n_rows).astype(np.int32),
        rng.integers(0, 300, n_rows).astype(np.int32),
        rng.permutation(np.arange(n_rows) % 256) / 8,
    ]
    columns.append(-columns[0])
    kinds = [*[CONTINUOUS] * 6, BINARY, ORDINAL, CATEGORICAL, CATEGORICAL, CONTINUOUS, CONTINUOUS]
    n_levels = [*[0] * 6, 2, 5, 6, 300, 0, 0]
    for number in (0, 2, 4, 7, 9, 10) if missing else ():
        gone = rng.random(n_rows) < missing
        columns[number][gone] = np.nan if columns[number].dtype.kind == "f" else -1
    noise = rng.normal(size=n_rows)
    return Case(columns, kinds, n_levels, signal + (columns[8] == 2) + noise, 0)


def with_classes(case: Case, n_classes: int, criterion: str) -> Case:
    cuts = np.quantile(case.target, np.linspace(0, 1, n_classes + 1)[1:-1])
    target = np.digitize(case.target, cuts).astype(np.int32)
    return replace(case, target=target, n_classes=n_classes, rules=Rules(criterion))


def with_numbers(case: Case, criterion: str) -> Case:
    target = np.rint(np.exp(case.target / 2)) if criterion == "poisson" else case.target
    return replace(case, target=target, rules=Rules(criterion))


TABLES = [
    # rows, share missing, classes, criterion, weights
    (2_000, 0.0, 2, "gini", None),
    (2_000, 0.2, 3, "entropy", "small"),
    (5_000, 0.1, 0, "squared_error", None),
    (5_000, 0.0, 0, "poisson", "small"),
    (5_000, 0.05, 30, "gini", None),
    (3_000, 0.0, 300, "gini", None),
    (6_000, 0.1, 2, "error", "floats"),
    (4_000, 0.1, 3, "gini", "wide"),
    (4_000, 0.1, 2, "entropy", "wide"),
    (4_000, 0.0, 0, "squared_error", "wide"),
    (20_000, 0.02, 4, "gini", "floats"),
    (20_000, 0.0, 0, "squared_error", "floats"),
    (9_000, 0.1, 0, "squared_error", "small"),
    (32_767, 0.0, 2, "gini", None),
    (32_768, 0.0, 3, "entropy", None),
    (32_769, 0.0, 0, "squared_error", None),
    (60_000, 0.0, 2, "gini", None),
    (60_000, 0.01, 0, "poisson", "small"),
    (70_000, 0.01, 2, "entropy", None),
]


def make(n_rows: int, missing: float, n_classes: int, criterion: str, weights: str | None) -> Case:
    rng = np.random.default_rng(n_rows + n_classes)
    case = mixed_table(rng, n_rows, missing)
    case = with_classes(case, n_classes, criterion) if n_classes else with_numbers(case, criterion)
    kinds = {
        None: lambda: None,
        "small": lambda: rng.integers(0, 4, n_rows).astype(np.float64),
        "floats": lambda: rng.random(n_rows),
        "wide": lambda: np.exp(rng.normal(size=n_rows) * 12),
    }
    return replace(case, weights=kinds[weights]())


@pytest.mark.parametrize("table", TABLES)
def test_every_checked_split_is_the_best_of_all_candidates(table: tuple):
    case = make(*table)
    rules = replace(case.rules, min_samples_leaf=2, max_depth=9 if table[0] > 10_000 else 0)
    case = replace(case, rules=rules)
    arrays = case.by_core(threads=2)
    assert check_tree(case, arrays, np.random.default_rng(0)) > 20
    check_routes(case, arrays)


@pytest.mark.parametrize("spread", [0.1, 2, 8, 30])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_a_weight_of_a_number_is_as_many_copies_of_it(spread: float, missing: float):
    case, rng = make(6_000, missing, 0, "squared_error", None), np.random.default_rng(6)
    weights = np.append(rng.integers(1, 7, case.n_rows - 1), 1)
    case = replace(case, target=np.exp(spread * rng.normal(size=case.n_rows)))
    copied = case.take(np.repeat(np.arange(case.n_rows), weights))
    weighted = replace(case, weights=weights.astype(np.float64))
    assert same_bytes(weighted.by_core(), copied.by_core(), ignore=("leaf_rows",))


def check_routes(case: Case, arrays: dict) -> None:
    leaf_of_node = np.cumsum(arrays["split_kind"] == 0) - 1
    leaf = leaf_of_node[case.routed(arrays, threads=2)]
    rows = np.bincount(leaf[case.kept], minlength=len(arrays["leaf_rows"]))
    assert np.array_equal(rows, arrays["leaf_rows"])


@pytest.mark.parametrize(
    ("n_classes", "criterion", "weights"),
    [
        (2, "gini", None),
        (5, "entropy", "floats"),
        (0, "squared_error", None),
        (0, "poisson", "small"),
    ],
)
def test_threads_and_row_order_do_not_change_a_byte_of_a_large_tree(n_classes, criterion, weights):
    case = make(50_000, 0.02, n_classes, criterion, weights).with_rules(min_samples_leaf=3)
    alone = case.by_core(threads=1)
    for threads in (2, 3, 7):
        assert same_bytes(alone, case.by_core(threads=threads))
    shuffled = case.take(np.random.default_rng(1).permutation(case.n_rows))
    assert same_bytes(alone, shuffled.by_core(threads=2))


@pytest.mark.parametrize(("n_classes", "criterion"), [(3, "gini"), (0, "squared_error")])
def test_best_first_growth_takes_the_largest_gains_of_the_full_tree(n_classes, criterion):
    """Both growth policies see the same splits, so one can be played on the other's tree."""
    case = make(20_000, 0.02, n_classes, criterion, "small")
    full = case.by_core(threads=2)
    for max_leaf_nodes in (2, 3, 17, 200):
        limited = case.with_rules(max_leaf_nodes=max_leaf_nodes).by_core(threads=2)
        inner = {path for path, record in describe_arrays(limited).items() if record["split"]}
        assert inner == largest_gains(full, max_leaf_nodes - 1)
        assert len(limited["leaf_rows"]) == max_leaf_nodes


def largest_gains(arrays: dict, n_splits: int) -> set[str]:
    """Paths of the nodes that best-first growth splits, in a tree grown without a limit."""
    weight = node_weights(arrays)
    chosen, open_nodes = set(), [("", 0)]
    for _ in range(n_splits):
        best = max(open_nodes, key=lambda pair: arrays["gain"][pair[1]] * weight[pair[1]])
        open_nodes.remove(best)
        path, node = best
        chosen.add(path)
        start = arrays["child_start"][node]
        children = [(f"{path}{side}", int(arrays["child"][start + side])) for side in (0, 1)]
        open_nodes += [child for child in children if arrays["split_kind"][child[1]]]
    return chosen


def node_weights(arrays: dict) -> np.ndarray:
    weight = np.zeros(len(arrays["split_kind"]))
    leaves = np.flatnonzero(arrays["split_kind"] == 0)
    if "class_start" in arrays:
        weight[leaves] = np.add.reduceat(arrays["class_weight"], arrays["class_start"][:-1])
    else:
        weight[leaves] = arrays["moment_weight"]
    for node in reversed(range(len(weight))):
        start, stop = arrays["child_start"][node : node + 2]
        weight[node] += weight[arrays["child"][start:stop]].sum()
    return weight


def test_a_long_chain_is_grown_and_routed():
    """Alternating classes in one column: each node peels one row off, so the tree is a chain."""
    n_rows = 10_000
    values = np.arange(n_rows, dtype=np.float64)
    case = Case([values], [CONTINUOUS], [0], (np.arange(n_rows) % 2).astype(np.int32), 2)
    arrays = case.by_core()
    assert len(arrays["leaf_rows"]) == n_rows
    assert depth_of(arrays) > n_rows // 2
    check_routes(case, arrays)


def depth_of(arrays: dict) -> int:
    depth = np.zeros(len(arrays["split_kind"]), dtype=int)
    for node in range(len(depth)):
        start, stop = arrays["child_start"][node : node + 2]
        depth[arrays["child"][start:stop]] = depth[node] + 1
    return int(depth.max())
