"""The slow, obvious decision tree that the core must equal, node by node and bit by bit.

Written from the documented meaning of growth, not from the core. Sums are Python integers, every
candidate of every column is weighed, each gain is one documented float64 expression, and the best
candidate is the first one in the documented order.

Charges of fitted levels are the one exception: the core rounds them, the oracle does not. Where two
columns are that close, the oracle can follow the choice of a grown tree.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.oracle_candidates import Candidate, candidates_of, column_at_node
from tests.oracle_criteria import Stats, split_information
from tests.oracle_fair import SLACK
from tests.oracle_policies import Ask, heaviest_of, lone_go_with_missing
from tests.oracle_splits import (
    STOP,
    Multiway,
    Split,
    Subset,
    Threshold,
    child_of,
    n_children,
    n_known_children,
    used_columns,
)
from tests.oracle_units import Problem, Rules, bind, spread_of, stats_of

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
    path: str = ""


@dataclass
class OracleTree:
    root: OracleNode
    problem: Problem


Follow = Mapping[str, int]  # the column of a grown tree's split, by the path of its node


def grow(
    columns: Sequence,
    kinds: Sequence[int],
    target: Sequence,
    weights: Sequence[float] | None,
    n_classes: int,
    rules: Rules,
    asks: Sequence[Ask] | None = None,
    follow: Follow | None = None,
) -> OracleTree:
    """Split the open node whose split gains most, until nothing is open. A split that would make
    more leaves than the limit is not made: its node stays a leaf. Of columns whose scores are too
    close to call, the one in `follow` is taken."""
    problem = bind(columns, kinds, target, weights, n_classes, rules, asks)
    follow = {} if follow is None else follow
    root = make_node(problem, problem.kept, 0, "", follow)
    open_nodes = [root] if root.best else []
    n_leaves = 1
    while open_nodes:
        node = max(open_nodes, key=lambda node: node.best.gain * float(node.stats.weight))
        open_nodes.remove(node)
        n_more = len(node.best.children) - 1
        if not 0 < rules.max_leaf_nodes < n_leaves + n_more:
            split_node(problem, node, follow)
            open_nodes += [child for child in node.children if child.best]
            n_leaves += n_more
    return OracleTree(root, problem)


def make_node(
    problem: Problem, rows: list[int], depth: int, path: str, follow: Follow
) -> OracleNode:
    node = OracleNode(rows, depth, stats_of(problem, rows), path=path)
    if not must_be_leaf(problem, rows, depth):
        best = best_candidate(problem, rows, follow.get(path))
        if best and is_worth_splitting(problem, node.stats, best.gain):
            node.best = best
    return node


def split_node(problem: Problem, node: OracleNode, follow: Follow) -> None:
    node.split = node.best.split
    node.gain = full_gain(problem, node.best.gain)
    sides = training_sides(problem, node.split, node.rows)
    node.children = tuple(
        make_node(problem, side, node.depth + 1, node.path + step(number), follow)
        for number, side in enumerate(sides)
    )


def step(side: int) -> str:
    """What the path of a child adds to that of its parent."""
    return str(side) if side < 10 else f"({side})"


def training_sides(problem: Problem, split: Split, rows: Sequence[int]) -> list[list[int]]:
    """The rows of each child. Where the split sends missing values nowhere, training puts its own
    into the child with the most weight of known values. Lone levels follow the others."""
    sides: list[list[int]] = [[] for _ in range(n_children(split))]
    used, stopped, lone = used_columns(split), [], []
    as_missing = joins_missing(problem, split, rows)
    for row in rows:
        is_alone = is_lone(problem, split, row)
        if is_alone and not as_missing:
            lone.append(row)
            continue
        values = {number: problem.columns[number][row] for number in used}
        child = child_of(split, {split.column: None} if is_alone else values)
        (stopped if child == STOP else sides[child]).append(row)
    if stopped:
        known = [stats_of(problem, side) for side in sides[: n_known_children(split)]]
        sides[heaviest_of(known)] += stopped
    sides[child_of_lone(problem, split, sides)] += lone
    return [sorted(side) for side in sides]


def is_lone(problem: Problem, split: Split, row: int) -> bool:
    if not isinstance(split, Subset | Multiway):
        return False
    return problem.columns[split.column][row] in problem.lone[split.column]


def joins_missing(problem: Problem, split: Split, rows: Sequence[int]) -> bool:
    """Whether lone levels go where the split sends the missing values of these rows."""
    if not isinstance(split, Subset | Multiway):
        return False
    has_missing = any(problem.columns[split.column][row] is None for row in rows)
    return has_missing and lone_go_with_missing(problem.asks[split.column])


def child_of_lone(problem: Problem, split: Split, sides: list[list[int]]) -> int:
    """The side that a subset does not list, the heaviest of many branches."""
    if isinstance(split, Multiway):
        return heaviest_of([stats_of(problem, side) for side in sides])
    return 0


def must_be_leaf(problem: Problem, rows: Sequence[int], depth: int) -> bool:
    rules = problem.rules
    return (
        len({problem.code_of[row] for row in rows}) == 1
        or (rules.max_depth > 0 and depth == rules.max_depth)
        or len(rows) < rules.min_samples_split
        or len(rows) < 2 * rules.min_samples_leaf
    )


def is_worth_splitting(problem: Problem, node: Stats, unit_gain: float) -> bool:
    rules, gain = problem.rules, full_gain(problem, unit_gain)
    share = float(node.weight) / float(problem.total_weight)
    return not gain < rules.min_gain and not share * gain < rules.min_impurity_decrease


def best_candidate(
    problem: Problem, rows: Sequence[int], follow: int | None = None
) -> Candidate | None:
    """The first of all allowed candidates in the documented order; that of the column `follow`
    where its score is too close to call."""
    best = best_of_columns(problem, rows)
    by_ratio = problem.rules.criterion == "gain_ratio"
    first = best_by_ratio(best) if by_ratio else min(best, key=order_between, default=None)
    if first is None or follow in (None, first.split.column):
        return first
    is_close = is_close_by_ratio if by_ratio else is_close_by_score
    close = [c for c in best if c.split.column == follow and is_close(problem, rows, best, c)]
    return close[0] if close else first


def slack_of(problem: Problem, rows: Sequence[int], best: list[Candidate]) -> float:
    """How far rounding may move a score; not at all where no column is charged."""
    if not any(candidate.charge for candidate in best):
        return 0.0
    if problem.rules.criterion == "poisson":  # gains are not in the units of the spread
        return SLACK * max(abs(candidate.gain) + abs(candidate.charge) for candidate in best)
    return SLACK * float(spread_of(problem, rows) / stats_of(problem, rows).weight)


def is_close_by_score(
    problem: Problem, rows: Sequence[int], best: list[Candidate], candidate: Candidate
) -> bool:
    """A charge must be involved: equal gains without one are ordered to the last bit."""
    first, slack = min(best, key=order_between), slack_of(problem, rows, best)
    has_charge = candidate.charge > 0 or first.charge > 0
    return has_charge and candidate.score >= first.score - slack


def is_close_by_ratio(
    problem: Problem, rows: Sequence[int], best: list[Candidate], candidate: Candidate
) -> bool:
    """Whether it may reach the average, and no column that surely does has a larger ratio."""
    slack = slack_of(problem, rows, best)
    average = sum(c.score for c in best) / len(best)
    surely = [c for c in best if c.score >= average + slack]
    least = max((gain_ratio(c) - slack_of_ratio(slack, c) for c in surely), default=-sys.maxsize)
    ratio = gain_ratio(candidate) + slack_of_ratio(slack, candidate)
    return slack > 0 and candidate.score >= lowered(average) - slack and ratio >= least


def slack_of_ratio(slack: float, candidate: Candidate) -> float:
    return slack / split_information(candidate.children)


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
    """Of the columns with at least the average score, the one with the largest ratio."""
    if not best:
        return None
    average = sum(candidate.score for candidate in best) / len(best)
    eligible = [candidate for candidate in best if candidate.score >= lowered(average)]
    return min(eligible, key=lambda c: (-gain_ratio(c), -c.lighter, c.split.column))


def lowered(average: float) -> float:
    """Room for rounding, also below zero."""
    return average * NEARLY if average >= 0 else average / NEARLY


def gain_ratio(candidate: Candidate) -> float:
    return candidate.score / split_information(candidate.children)


def order_of(candidate: Candidate) -> tuple:
    """In one column: larger gain, larger lighter child, kind of split, place in its column."""
    split = candidate.split
    kind = 0 if isinstance(split, Threshold) else 2 if isinstance(split, Multiway) else 1
    return (-candidate.gain, -candidate.lighter, split.column, kind, candidate.place)


def order_between(candidate: Candidate) -> tuple:
    """Among columns: larger score, larger lighter child, lower column."""
    return (-candidate.score, *order_of(candidate)[1:])


def full_gain(problem: Problem, gain: float) -> float:
    """The gain in the target's own units; one too large for a float64 is the largest there is."""
    if problem.rules.criterion == "squared_error":
        gain = gain * problem.target_unit * problem.target_unit
    elif problem.rules.criterion == "poisson":
        gain = gain * problem.target_unit
    return min(gain, sys.float_info.max)
