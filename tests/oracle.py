"""The slow, obvious decision tree that the core must equal, node by node and bit by bit.

Written from the documented meaning of growth, not from the core. Sums are Python integers, every
candidate of every column is weighed, each gain is one documented float64 expression, and the best
candidate is the first one in the documented order.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from oracle_criteria import GAINS, Stats

CONTINUOUS, ORDINAL, CATEGORICAL, BINARY = range(4)
WEIGHT_BITS = 42


@dataclass(frozen=True)
class Rules:
    """The choices of a fit. Zero means "no limit" for `max_depth` and `max_leaf_nodes`."""

    criterion: str = "gini"
    max_depth: int = 0
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int = 0
    min_impurity_decrease: float = 0.0
    min_gain: float = 0.0


@dataclass(frozen=True)
class Split:
    """A threshold (`codes` is None) sends `value < threshold` to child 0; a subset sends `codes`
    to child 1."""

    column: int
    threshold: float | None
    codes: tuple[int, ...] | None
    missing_child: int
    unseen_child: int | None = None

    def child_of(self, value: float | int | None) -> int:
        if value is None:
            return self.missing_child
        if self.codes is None:
            return 0 if value < self.threshold else 1
        return 1 if value in self.codes else 0


class Candidate(NamedTuple):
    """`score` is the gain before the powers of two of the target's unit."""

    split: Split
    left: Stats
    right: Stats
    score: float


@dataclass(eq=False)
class OracleNode:
    rows: list[int]
    depth: int
    stats: Stats
    best: Candidate | None = None
    split: Split | None = None
    gain: float = 0.0
    children: tuple["OracleNode", ...] = ()


@dataclass
class Problem:
    """A table in oracle form: None is missing, targets and weights are integers in their units."""

    columns: list[list[float | int | None]]
    kinds: list[int]
    target: list
    weights: list[Fraction]
    n_classes: int
    rules: Rules
    weight_unit: float = 1.0
    target_unit: float = 1.0
    center: float = 0.0
    weight_of: list[int] = field(default_factory=list)
    code_of: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)

    @cached_property
    def total_weight(self) -> int:
        return sum(self.weight_of[row] for row in self.kept)


@dataclass
class OracleTree:
    root: OracleNode
    problem: Problem


def grow(
    columns: Sequence,
    kinds: Sequence[int],
    target: Sequence,
    weights: Sequence[float] | None,
    n_classes: int,
    rules: Rules,
) -> OracleTree:
    """Split the open node whose split gains most, until nothing is open or enough leaves exist."""
    problem = bind(columns, kinds, target, weights, n_classes, rules)
    root = make_node(problem, problem.kept, depth=0)
    open_nodes = [root] if root.best else []
    n_leaves = 1
    while open_nodes and n_leaves != rules.max_leaf_nodes:
        node = max(open_nodes, key=lambda node: node.best.score * float(node.stats.weight))
        open_nodes.remove(node)
        split_node(problem, node)
        open_nodes += [child for child in node.children if child.best]
        n_leaves += 1
    return OracleTree(root, problem)


def make_node(problem: Problem, rows: list[int], depth: int) -> OracleNode:
    node = OracleNode(rows, depth, stats_of(problem, rows))
    if not must_be_leaf(problem, node):
        best = best_candidate(problem, rows)
        if best and worth_splitting(problem, node, best):
            node.best = best
    return node


def split_node(problem: Problem, node: OracleNode) -> None:
    node.split = node.best.split
    node.gain = full_gain(problem, node.best.score)
    values = problem.columns[node.split.column]
    sides = ([], [])
    for row in node.rows:
        sides[node.split.child_of(values[row])].append(row)
    node.children = tuple(make_node(problem, side, node.depth + 1) for side in sides)


def must_be_leaf(problem: Problem, node: OracleNode) -> bool:
    rules = problem.rules
    return (
        len({problem.code_of[row] for row in node.rows}) == 1
        or (rules.max_depth > 0 and node.depth == rules.max_depth)
        or len(node.rows) < rules.min_samples_split
        or len(node.rows) < 2 * rules.min_samples_leaf
    )


def worth_splitting(problem: Problem, node: OracleNode, best: Candidate) -> bool:
    rules, gain = problem.rules, full_gain(problem, best.score)
    share = float(node.stats.weight) / float(problem.total_weight)
    return not gain < rules.min_gain and not share * gain < rules.min_impurity_decrease


def best_candidate(problem: Problem, rows: list[int]) -> Candidate | None:
    """The first of all allowed candidates in the documented order."""
    gain = GAINS[problem.rules.criterion]
    allowed = [
        Candidate(split, left, right, gain(left, right))
        for split, left, right in all_candidates(problem, rows)
        if is_allowed(problem, left) and is_allowed(problem, right)
    ]
    return min(allowed, key=order_of, default=None)


def order_of(candidate: Candidate) -> tuple:
    """Larger gain, larger lighter child, lower column, lower threshold or codes, missing left."""
    split, left, right, score = candidate
    place = (split.threshold,) if split.codes is None else split.codes
    lighter = min(left.weight, right.weight)
    return (-score, -lighter, split.column, split.codes is not None, place, split.missing_child)


def is_allowed(problem: Problem, child: Stats) -> bool:
    rules = problem.rules
    return (
        child.rows >= max(1, rules.min_samples_leaf)
        and float(child.weight) >= rules.min_weight_fraction_leaf * float(problem.total_weight)
        and (rules.criterion != "poisson" or child.sums[0] > 0)
    )


def all_candidates(problem: Problem, rows: list[int]) -> Iterator[tuple[Split, Stats, Stats]]:
    node = stats_of(problem, rows)
    for column, kind in enumerate(problem.kinds):
        groups, missing = group_by_value(problem, column, rows)
        propose = propose_subsets if kind == CATEGORICAL else propose_thresholds
        for split, left in propose(column, node, groups, missing):
            yield split, left, node - left


def group_by_value(problem: Problem, column: int, rows: list[int]) -> tuple[dict, Stats]:
    """Stats of the rows of each known value, and of the rows whose value is missing."""
    members: dict = {}
    for row in rows:
        members.setdefault(problem.columns[column][row], []).append(row)
    missing = stats_of(problem, members.pop(None, []))
    return {value: stats_of(problem, members[value]) for value in sorted(members)}, missing


def propose_thresholds(
    column: int, node: Stats, groups: dict, missing: Stats
) -> Iterator[tuple[Split, Stats]]:
    """Every threshold between neighbours, with missing on either side; missing against the rest."""
    left = stats_of_nothing(node)
    for low, high in pairwise(groups):
        left += groups[low]
        threshold = midpoint(low, high)
        if missing.rows:
            yield Split(column, threshold, None, 0), left + missing
            yield Split(column, threshold, None, 1), left
        else:
            yield Split(column, threshold, None, heavier_child(left, node - left)), left
    if missing.rows:
        yield Split(column, -math.inf, None, 0), missing


def propose_subsets(
    column: int, node: Stats, groups: dict, missing: Stats
) -> Iterator[tuple[Split, Stats]]:
    """Every level against the rest, with missing on either side; missing against the rest."""
    for code, yes in groups.items():
        if missing.rows:
            yield subset(column, (code,), 0, node, yes)
            yield subset(column, (code,), 1, node, yes + missing)
        else:
            yield subset(column, (code,), None, node, yes)
    if missing.rows:
        yield subset(column, (), 1, node, missing)


def subset(
    column: int, codes: tuple[int, ...], missing_child: int | None, node: Stats, yes: Stats
) -> tuple[Split, Stats]:
    no = node - yes
    heavier = heavier_child(no, yes)
    missing_child = heavier if missing_child is None else missing_child
    return Split(column, None, codes, missing_child, heavier), no


def heavier_child(left: Stats, right: Stats) -> int:
    return 1 if right.weight > left.weight else 0


def midpoint(low: float, high: float) -> float:
    """A threshold with `low < threshold <= high`, halfway if floats allow."""
    middle = (low + high) / 2
    if not math.isfinite(middle):
        middle = low / 2 + high / 2
    return middle if low < middle <= high else high


def full_gain(problem: Problem, score: float) -> float:
    """The gain in the target's own units; one too large for a float64 is the largest there is."""
    if problem.rules.criterion == "squared_error":
        score = score * problem.target_unit * problem.target_unit
    elif problem.rules.criterion == "poisson":
        score = score * problem.target_unit
    return min(score, sys.float_info.max)


def stats_of(problem: Problem, rows: list[int]) -> Stats:
    weight = sum(problem.weight_of[row] for row in rows)
    if problem.n_classes == 0:
        total = sum(problem.weight_of[row] * problem.code_of[row] for row in rows)
        return Stats(len(rows), weight, (total,))
    by_class = [0] * problem.n_classes
    for row in rows:
        by_class[problem.code_of[row]] += problem.weight_of[row]
    return Stats(len(rows), weight, tuple(by_class))


def stats_of_nothing(like: Stats) -> Stats:
    return like - like


def bind(
    columns: Sequence,
    kinds: Sequence[int],
    target: Sequence,
    weights: Sequence[float] | None,
    n_classes: int,
    rules: Rules,
) -> Problem:
    """Drop rows of weight zero and express weights and targets as integers."""
    target = [value.item() if hasattr(value, "item") else value for value in target]
    given = [1.0] * len(target) if weights is None else weights
    exact = [Fraction(float(weight)) for weight in given]
    known = [known_values(c, k) for c, k in zip(columns, kinds, strict=True)]
    problem = Problem(known, list(kinds), target, exact, n_classes, rules)
    problem.kept = [row for row, weight in enumerate(exact) if weight > 0]
    problem.weight_of, problem.weight_unit = weight_units(exact, weights is None)
    if n_classes:
        problem.code_of = target
    else:
        problem.code_of, problem.center, problem.target_unit = target_units(problem)
    return problem


def known_values(column: Sequence, kind: int) -> list[float | int | None]:
    if kind == CONTINUOUS:
        values = [float(value) + 0.0 for value in column]  # -0.0 becomes 0.0
        return [None if math.isnan(value) else value for value in values]
    return [None if int(code) < 0 else int(code) for code in column]


def weight_units(weights: list[Fraction], unweighted: bool) -> tuple[list[int], float]:
    """Each weight as an integer count of a power of two, exact while the sum fits in 42 bits."""
    if unweighted:
        return [1] * len(weights), 1.0
    positive = [weight for weight in weights if weight > 0]
    unit = min(Fraction(w.numerator & -w.numerator, w.denominator) for w in positive)
    if sum(positive) / unit <= 2**WEIGHT_BITS:
        return [int(weight / unit) for weight in weights], float(unit)
    mantissa, exponent = math.frexp(math.fsum(positive))
    unit = Fraction(2) ** (exponent - WEIGHT_BITS - (mantissa == 0.5))
    return [max(1, round(weight / unit)) if weight else 0 for weight in weights], float(unit)


def target_units(problem: Problem) -> tuple[list[int], float, float]:
    """Each target as an integer count of a power of two above or below the center."""
    kept = [problem.target[row] for row in problem.kept]
    is_count = problem.rules.criterion == "poisson"
    center = 0.0 if is_count else min(kept) / 2 + max(kept) / 2
    reach = max(abs(min(kept) - center), abs(max(kept) - center))
    bits = problem.total_weight.bit_length()
    exponent = max(math.frexp(reach)[1] - (62 - bits if bits <= 22 else 40), -1074)
    units = [
        round(math.ldexp(value - center, -exponent)) if weight > 0 else 0
        for value, weight in zip(problem.target, problem.weights, strict=True)
    ]
    return units, center, math.ldexp(1.0, exponent)


def leaf_value(problem: Problem, rows: list[int]) -> float:
    """The weighted mean of the original targets, exact, rounded once."""
    exact = [(problem.weights[row], Fraction(problem.target[row])) for row in rows]
    total = sum(weight * target for weight, target in exact)
    return float(total / sum(weight for weight, _ in exact))
