"""A second oracle, in NumPy, for tables too large for the first: it checks the splits of a tree.

It routes the rows by itself, recomputes the best candidate of chosen nodes over all columns, and
compares split and gain to the last bit. Sums that could leave 64 bits are Python integers. It knows
thresholds and one level against the rest, which no `category_gain` changes.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tests.oracle import full_gain, order_of
from tests.oracle_candidates import Candidate
from tests.oracle_compare import exact_split, leaf_from_arrays, split_from_arrays
from tests.oracle_criteria import Stats
from tests.oracle_splits import Split, Subset, Threshold
from tests.oracle_units import CATEGORICAL, CONTINUOUS, Problem
from tests.properties.cases import Case

log = np.frompyfunc(math.log, 1, 1)
log2 = np.frompyfunc(math.log2, 1, 1)


@dataclass
class Vectors:
    """A bound problem as arrays; `sums` has a column for each class, or one of weighted targets."""

    case: Case
    problem: Problem

    @classmethod
    def of(cls, case: Case) -> "Vectors":
        return cls(case, case.bound())

    @cached_property
    def weight(self) -> np.ndarray:
        return np.array(self.problem.weight_of, dtype=np.int64)

    @cached_property
    def code(self) -> np.ndarray:
        return np.array(self.problem.code_of, dtype=np.int64)

    @cached_property
    def total_weight(self) -> int:
        return self.problem.total_weight

    def value(self, column: int, rows: np.ndarray) -> np.ndarray:
        """Values as float64, NaN where missing."""
        values = self.case.columns[column][rows].astype(np.float64) + 0.0
        if self.case.kinds[column] != 0:
            values[values < 0] = np.nan
        return values

    def sums(self, rows: np.ndarray) -> np.ndarray:
        if self.case.n_classes == 0:
            return (self.weight[rows].astype(object) * self.code[rows].astype(object))[:, None]
        wide = object if self.total_weight >= 2**31 else np.int64
        sums = np.zeros((len(rows), self.case.n_classes), dtype=wide)
        sums[np.arange(len(rows)), self.code[rows]] = self.weight[rows]
        return sums


@dataclass
class Sides:
    """Left sides of many candidates of one column, in the documented order of ties."""

    place: list
    missing_child: list
    rows: np.ndarray
    weight: np.ndarray
    sums: np.ndarray


def best_candidate(vectors: Vectors, rows: np.ndarray) -> Candidate | None:
    node = (len(rows), int(vectors.weight[rows].sum()), vectors.sums(rows).sum(axis=0))
    found = [
        best_of_column(vectors, rows, column, node) for column in range(len(vectors.case.kinds))
    ]
    return min(filter(None, found), key=order_of, default=None)


def best_of_column(
    vectors: Vectors, rows: np.ndarray, column: int, node: tuple
) -> Candidate | None:
    values = vectors.value(column, rows)
    is_subset = vectors.case.kinds[column] == CATEGORICAL
    lefts = subset_sides if is_subset else threshold_sides
    sides = lefts(values, vectors.weight[rows], vectors.sums(rows), node)
    allowed = np.flatnonzero(are_allowed(vectors, sides, node))
    if len(allowed) == 0:
        return None
    scores = SCORES[vectors.case.rules.criterion](sides, allowed, node)
    lighter = np.minimum(sides.weight[allowed], node[1] - sides.weight[allowed])
    top = np.flatnonzero(scores == scores.max())
    first = top[np.argmax(lighter[top])]
    kind = vectors.case.kinds[column]
    return as_candidate(sides, allowed[first], float(scores[first]), column, kind, node)


def as_candidate(
    sides: Sides, i: int, score: float, column: int, kind: int, node: tuple
) -> Candidate:
    left = Stats(int(sides.rows[i]), int(sides.weight[i]), tuple(int(s) for s in sides.sums[i]))
    right = Stats(node[0], node[1], tuple(int(s) for s in node[2])) - left
    heavier = 1 if right.weight > left.weight else 0
    missing_child = heavier if sides.missing_child[i] is None else sides.missing_child[i]
    if kind == CATEGORICAL:
        split: Split = Subset(column, sides.place[i], (), missing_child, heavier)
    else:
        unseen_child = missing_child if kind == CONTINUOUS else heavier
        split = Threshold(column, sides.place[i], missing_child, unseen_child)
    return Candidate(split, (left, right), score, ())


def threshold_sides(values: np.ndarray, weight: np.ndarray, sums: np.ndarray, node: tuple) -> Sides:
    order = np.argsort(values, kind="stable")
    n_known = len(values) - int(np.isnan(values).sum())
    known = values[order[:n_known]]
    ends = np.flatnonzero(known[1:] != known[:-1])
    cumulated = [np.cumsum(part[order], axis=0)[ends] for part in (weight, sums)]
    places = midpoints(known[ends], known[np.minimum(ends + 1, n_known - 1)]).tolist()
    gone = order[n_known:]
    missing = (len(gone), weight[gone].sum(), sums[gone].sum(axis=0))
    return with_missing(-math.inf, places, (ends + 1, *cumulated), missing, 0)


def subset_sides(values: np.ndarray, weight: np.ndarray, sums: np.ndarray, node: tuple) -> Sides:
    """The yes side of a level is child 1, so the left sides are the other known levels."""
    order = np.argsort(values, kind="stable")
    gone = np.isnan(values)
    levels, starts = np.unique(values[order[: np.sum(~gone)]], return_index=True)
    yes = [
        parts_of(part[order], starts, np.sum(~gone))
        for part in (np.ones_like(weight), weight, sums)
    ]
    missing = (int(gone.sum()), weight[gone].sum(), sums[gone].sum(axis=0))
    lefts = tuple(n - m - part for n, m, part in zip(node, missing, yes, strict=True))
    return with_missing((), [(int(level),) for level in levels], lefts, missing, 1, node)


def parts_of(values: np.ndarray, starts: np.ndarray, stop: int) -> np.ndarray:
    """Sums of the consecutive parts of `values[:stop]` that begin at `starts`."""
    if len(starts) == 0:
        return values[:0]
    return np.add.reduceat(values[:stop], starts, axis=0)


def with_missing(
    alone: object, places: list, lefts: tuple, missing: tuple, alone_child: int, node: tuple = ()
) -> Sides:
    """Both directions of what is missing, and missing against the rest in front."""
    if missing[0] == 0:
        return Sides(places, [None] * len(places), *lefts)
    first = (
        missing if alone_child == 0 else tuple(n - m for n, m in zip(node, missing, strict=True))
    )
    both = []
    for left, gone, one in zip(lefts, missing, first, strict=True):
        pairs = np.stack([left + gone, left], axis=1).reshape(-1, *left.shape[1:])
        both.append(np.concatenate([np.asarray([one], dtype=pairs.dtype), pairs]))
    doubled = [place for place in places for _ in (0, 1)]
    return Sides([alone, *doubled], [alone_child] + [0, 1] * len(places), *both)


def midpoints(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        middle = (low + high) / 2
        middle = np.where(np.isfinite(middle), middle, low / 2 + high / 2)
    return np.where((low < middle) & (middle <= high), middle, high)


def are_allowed(vectors: Vectors, sides: Sides, node: tuple) -> np.ndarray:
    rules = vectors.case.rules
    least_rows = max(1, rules.min_samples_leaf)
    least_weight = rules.min_weight_fraction_leaf * float(vectors.total_weight)
    allowed = np.ones(len(sides.rows), dtype=bool)
    for rows, weight, sums in (
        (sides.rows, sides.weight, sides.sums),
        (node[0] - sides.rows, node[1] - sides.weight, node[2] - sides.sums),
    ):
        allowed &= (rows >= least_rows) & (weight.astype(float) >= least_weight)
        if rules.criterion == "poisson":
            allowed &= (sums[:, 0] > 0).astype(bool)
    return allowed


def gini_scores(sides: Sides, chosen: np.ndarray, node: tuple) -> np.ndarray:
    """Also squared_error: there the only sum is that of the targets."""
    weight = sides.weight[chosen]
    wide = weight.astype(sides.sums.dtype)
    total = np.zeros(len(chosen))
    for k, of_node in enumerate(node[2]):
        excess = (sides.sums[chosen, k] * node[1] - of_node * wide).astype(float)
        total += excess * excess
    left, right, whole = weight.astype(float), (node[1] - weight).astype(float), float(node[1])
    return total / (left * right) / (whole * whole)


def entropy_scores(sides: Sides, chosen: np.ndarray, node: tuple) -> np.ndarray:
    whole, total = float(node[1]), np.zeros(len(chosen))
    for weight, sums in both_children(sides, chosen, node):
        for k, of_node in enumerate(node[2]):
            part = sums[:, k].astype(float)
            some = part > 0
            lift = (part[some] * whole) / (weight[some] * float(of_node))
            total[some] += part[some] * log2(lift).astype(float)
    return np.maximum(0.0, total / whole)


def error_scores(sides: Sides, chosen: np.ndarray, node: tuple) -> np.ndarray:
    (_, left), (_, right) = both_children(sides, chosen, node)
    right_guesses = left.max(axis=1) + right.max(axis=1) - node[2].max()
    return right_guesses.astype(float) / float(node[1])


def poisson_scores(sides: Sides, chosen: np.ndarray, node: tuple) -> np.ndarray:
    whole, all_sum, total = float(node[1]), float(node[2][0]), np.zeros(len(chosen))
    for weight, sums in both_children(sides, chosen, node):
        part = sums[:, 0].astype(float)
        total += part * log((part * whole) / (weight * all_sum)).astype(float)
    return np.maximum(0.0, total / whole)


def both_children(sides: Sides, chosen: np.ndarray, node: tuple) -> tuple:
    weight, sums = sides.weight[chosen], sides.sums[chosen]
    return (weight.astype(float), sums), ((node[1] - weight).astype(float), node[2] - sums)


SCORES = {
    "gini": gini_scores,
    "squared_error": gini_scores,
    "entropy": entropy_scores,
    "error": error_scores,
    "poisson": poisson_scores,
}


def check_tree(
    case: Case, arrays: dict, rng: np.random.Generator, n_large: int = 8, n_small: int = 40
) -> int:
    """Check the rows of every leaf, and the splits of the root and of some other nodes."""
    vectors = Vectors.of(case)
    members = route_all(vectors, arrays)
    check_leaf_rows(vectors, arrays, members)
    sizes = np.array([len(rows) for rows in members])
    large, small = np.flatnonzero(sizes >= 1000)[1:], np.flatnonzero(sizes < 1000)
    chosen = [0, *some_of(rng, large, n_large), *some_of(rng, small, n_small)]
    for node in chosen:
        check_node(vectors, arrays, int(node), members[node])
    return len(chosen)


def some_of(rng: np.random.Generator, nodes: np.ndarray, count: int) -> np.ndarray:
    return rng.choice(nodes, min(count, len(nodes)), replace=False)


def route_all(vectors: Vectors, arrays: dict) -> list[np.ndarray]:
    """The kept rows of every node."""
    members = [np.array(vectors.problem.kept)] + [None] * len(arrays["child"])
    for node, start in enumerate(arrays["child_start"][:-1]):
        split = split_from_arrays(arrays, node)
        if split:
            right = goes_right(split, vectors.value(split.column, members[node]))
            for side in (0, 1):
                members[arrays["child"][start + side]] = members[node][right == side]
    return members


def goes_right(split: Split, values: np.ndarray) -> np.ndarray:
    is_subset = isinstance(split, Subset)
    known = np.isin(values, split.codes) if is_subset else values >= split.threshold
    return np.where(np.isnan(values), bool(split.missing_child), known)


def check_leaf_rows(vectors: Vectors, arrays: dict, members: list[np.ndarray]) -> None:
    leaves = np.flatnonzero(np.asarray(arrays["split_kind"]) == 0)
    for leaf, node in enumerate(leaves):
        rows, record = members[node], leaf_from_arrays(arrays, leaf)
        assert record["rows"] == len(rows) > 0
        sums = [int(total) for total in vectors.sums(rows).sum(axis=0)]
        if vectors.case.n_classes:
            assert record["classes"] == {code: s for code, s in enumerate(sums) if s}
        else:
            assert record["moments"][:2] == (vectors.weight[rows].sum(), sums[0])


def check_node(vectors: Vectors, arrays: dict, node: int, rows: np.ndarray) -> None:
    """The node's split is the best of all candidates, or it has a reason to be a leaf."""
    split, rules = split_from_arrays(arrays, node), vectors.case.rules
    if split is None and (len(np.unique(vectors.code[rows])) == 1 or rules.max_depth):
        return
    best = best_candidate(vectors, rows)
    expected = best and exact_split(best.split)
    assert exact_split(split) == expected, f"node {node} of {len(rows)} rows, best {best}"
    gain = full_gain(vectors.problem, best.gain) if best else 0.0
    assert float(arrays["gain"][node]).hex() == gain.hex(), f"gain of node {node}, best {best}"
