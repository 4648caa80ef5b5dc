"""The slow, obvious decision tree that the core must equal, node by node and bit by bit.

Written from the documented meaning of growth, not from the core. Sums are Python integers, every
candidate of every column is weighed, each gain is one documented float64 expression, and the best
candidate is the first one in the documented order.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from oracle_candidates import Candidate, candidates_of, column_at_node
from oracle_criteria import Stats, split_information
from oracle_policies import Ask, heaviest_of
from oracle_splits import (
    STOP,
    Multiway,
    Split,
    Threshold,
    child_of,
    n_children,
    n_known_children,
    used_columns,
)
from oracle_units import Problem, Rules, bind, stats_of

NEARLY = 1 - 1e-9


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
    asks: Sequence[Ask] | None = None,
) -> OracleTree:
    """Split the open node whose split gains most, until nothing is open. A split that would make
    more leaves than the limit is not made: its node stays a leaf."""
    problem = bind(columns, kinds, target, weights, n_classes, rules, asks)
    root = make_node(problem, problem.kept, depth=0)
    open_nodes = [root] if root.best else []
    n_leaves = 1
    while open_nodes:
        node = max(open_nodes, key=lambda node: node.best.score * float(node.stats.weight))
        open_nodes.remove(node)
        n_more = len(node.best.children) - 1
        if not 0 < rules.max_leaf_nodes < n_leaves + n_more:
            split_node(problem, node)
            open_nodes += [child for child in node.children if child.best]
            n_leaves += n_more
    return OracleTree(root, problem)


def make_node(problem: Problem, rows: list[int], depth: int) -> OracleNode:
    node = OracleNode(rows, depth, stats_of(problem, rows))
    if not must_be_leaf(problem, rows, depth):
        best = best_candidate(problem, rows)
        if best and is_worth_splitting(problem, node.stats, best.score):
            node.best = best
    return node


def split_node(problem: Problem, node: OracleNode) -> None:
    node.split = node.best.split
    node.gain = full_gain(problem, node.best.score)
    sides = training_sides(problem, node.split, node.rows)
    node.children = tuple(make_node(problem, side, node.depth + 1) for side in sides)


def training_sides(problem: Problem, split: Split, rows: Sequence[int]) -> list[list[int]]:
    """The rows of each child. Where the split sends missing values nowhere, training puts its own
    into the child with the most weight of known values."""
    sides: list[list[int]] = [[] for _ in range(n_children(split))]
    used, stopped = used_columns(split), []
    for row in rows:
        child = child_of(split, {number: problem.columns[number][row] for number in used})
        (stopped if child == STOP else sides[child]).append(row)
    if stopped:
        known = [stats_of(problem, side) for side in sides[: n_known_children(split)]]
        sides[heaviest_of(known)] += stopped
    return [sorted(side) for side in sides]


def must_be_leaf(problem: Problem, rows: Sequence[int], depth: int) -> bool:
    rules = problem.rules
    return (
        len({problem.code_of[row] for row in rows}) == 1
        or (rules.max_depth > 0 and depth == rules.max_depth)
        or len(rows) < rules.min_samples_split
        or len(rows) < 2 * rules.min_samples_leaf
    )


def is_worth_splitting(problem: Problem, node: Stats, score: float) -> bool:
    rules, gain = problem.rules, full_gain(problem, score)
    share = float(node.weight) / float(problem.total_weight)
    return not gain < rules.min_gain and not share * gain < rules.min_impurity_decrease


def best_candidate(problem: Problem, rows: Sequence[int]) -> Candidate | None:
    """The first of all allowed candidates in the documented order."""
    best = best_of_columns(problem, rows)
    if problem.rules.criterion == "gain_ratio":
        return best_by_ratio(best)
    return min(best, key=order_of, default=None)


def best_of_columns(problem: Problem, rows: Sequence[int]) -> list[Candidate]:
    """The best candidate of each column that has one."""
    found = []
    for number in range(len(problem.kinds)):
        column = column_at_node(problem, number, rows)
        found += sorted(candidates_of(column), key=order_of)[:1]
    return found


def all_candidates(problem: Problem, rows: Sequence[int]) -> Iterator[Candidate]:
    for number in range(len(problem.kinds)):
        yield from candidates_of(column_at_node(problem, number, rows))


def best_by_ratio(best: list[Candidate]) -> Candidate | None:
    """Of the columns with at least the average gain, the one with the largest gain ratio."""
    if not best:
        return None
    average = sum(candidate.score for candidate in best) / len(best)
    eligible = [candidate for candidate in best if candidate.score >= average * NEARLY]
    return min(eligible, key=lambda c: (-gain_ratio(c), -c.lighter, c.split.column))


def gain_ratio(candidate: Candidate) -> float:
    return candidate.score / split_information(candidate.children)


def order_of(candidate: Candidate) -> tuple:
    """Larger gain, larger lighter child, lower column, kind of split, place in its column."""
    split = candidate.split
    kind = 0 if isinstance(split, Threshold) else 2 if isinstance(split, Multiway) else 1
    return (-candidate.score, -candidate.lighter, split.column, kind, candidate.place)


def full_gain(problem: Problem, score: float) -> float:
    """The gain in the target's own units; one too large for a float64 is the largest there is."""
    if problem.rules.criterion == "squared_error":
        score = score * problem.target_unit * problem.target_unit
    elif problem.rules.criterion == "poisson":
        score = score * problem.target_unit
    return min(score, sys.float_info.max)
