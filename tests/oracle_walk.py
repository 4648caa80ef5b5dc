"""The guided check: walk a grown tree and its training rows together, and judge every node.

The walk follows the tree's own splits, so it does not depend on how equal gains are ordered. At
each node it asks: is this split one of the column's candidates, written as documented? Is its gain
the documented expression of its children and the best of its column, and is its score the best of
all columns? Do missing and unseen values go where the policies say? Is a leaf rightly a leaf, with
exact statistics?
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tests.oracle import full_gain, is_worth_splitting, must_be_leaf, training_sides
from tests.oracle_bounds import SLACK, Bounds, bounds_of_columns
from tests.oracle_candidates import are_allowed, column_at_node
from tests.oracle_compare import describe_leaf, exact_split, leaf_from_arrays, split_from_arrays
from tests.oracle_criteria import Stats, gain_of, noise_of, split_information
from tests.oracle_fair import FREE
from tests.oracle_form import documented_form
from tests.oracle_measured import check_measured_split
from tests.oracle_policies import OWN_BRANCH
from tests.oracle_splits import Distance, Oblique, Split
from tests.oracle_units import Problem, spread_of, stats_of


@dataclass
class Walk:
    """A tree on its training rows. `margins` are those of oblique and distance splits, if asked."""

    problem: Problem
    arrays: Mapping
    margins: Mapping[type, float]


@dataclass
class Node:
    number: int
    rows: list[int]
    depth: int


def check_tree(
    problem: Problem,
    arrays: Mapping,
    oblique_margin: float = 0.0,
    distance_margin: float = 0.0,
    only: Collection[int] | None = None,
) -> int:
    """Judge all nodes, or follow all and judge `only` some of them; how many were judged."""
    walk = Walk(problem, arrays, {Oblique: oblique_margin, Distance: distance_margin})
    stack, leaf, judged = [Node(0, problem.kept, 0)], 0, 0
    while stack:
        node = stack.pop()
        is_judged = only is None or node.number in only
        judged += is_judged
        try:
            split = split_from_arrays(arrays, node.number)
            if split is None:
                check_leaf(walk, node, leaf, is_judged)
                leaf += 1
            else:
                stack += reversed(check_inner(walk, node, split, is_judged))
        except AssertionError as error:
            raise AssertionError(f"node {node.number}, rows {node.rows[:40]}: {error}") from error
    assert leaf == len(arrays["leaf_rows"]), "leaf tables of another length than the leaves"
    return judged


def check_leaf(walk: Walk, node: Node, leaf: int, is_judged: bool) -> None:
    problem = walk.problem
    assert float(walk.arrays["gain"][node.number]) == 0.0, "a leaf has no gain"
    record, expected = leaf_from_arrays(walk.arrays, leaf), describe_leaf(problem, node.rows)
    assert record == expected, f"leaf statistics {record}, expected {expected}"
    n_leaves, limit = len(walk.arrays["leaf_rows"]), problem.rules.max_leaf_nodes
    if not is_judged or 0 < limit <= n_leaves + most_children(problem) - 2:
        return
    if must_be_leaf(problem, node.rows, node.depth):
        return
    rules, stats = problem.rules, stats_of(problem, node.rows)
    if rules.criterion == "gain_ratio" and max(rules.min_gain, rules.min_impurity_decrease) > 0:
        return
    found = bounds_of_columns(problem, node.rows)
    worthy = [bounds for bounds in found if is_worthy(problem, stats, bounds)]
    if any(bounds.charge != FREE for bounds in found):
        contenders = possible_winners(problem, node.rows, found)
        worthy = worthy if all(bounds in worthy for bounds in contenders) else []
    assert not worthy, (
        f"a leaf, though column {worthy[0].column} has a candidate of gain {worthy[0].least}"
    )


def is_worthy(problem: Problem, stats: Stats, bounds: Bounds) -> bool:
    gain = bounds.least * (1 - SLACK) - noise_of(problem.rules.criterion, stats)
    return is_worth_splitting(problem, stats, max(0.0, gain))


def possible_winners(problem: Problem, rows: Sequence[int], found: list[Bounds]) -> list[Bounds]:
    """The columns that may have the best score."""
    allowance = allowance_of(problem, rows, found)
    least = max(bounds.low for bounds in found)
    return [bounds for bounds in found if bounds.high >= least - allowance]


def allowance_of(problem: Problem, rows: Sequence[int], found: list[Bounds]) -> float:
    """How far rounding may move a score beyond the rounding of gains, which is relative."""
    stats, share = stats_of(problem, rows), max(bounds.charge.share for bounds in found)
    noise = noise_of(problem.rules.criterion, stats) * (1 + share)
    if all(bounds.charge == FREE for bounds in found):
        return noise
    if problem.rules.criterion == "poisson":  # gains are not in the units of the spread
        return noise + SLACK * max(b.least + b.charge.of(b.least) for b in found)
    return noise + SLACK * float(spread_of(problem, rows) / stats.weight)


def most_children(problem: Problem) -> int:
    """The largest number of children that a split of this table can have."""
    pairs = zip(problem.asks, problem.columns, strict=True)
    return max(
        len(set(column)) if ask.form == "multiway" else 2 + (ask.missing == OWN_BRANCH)
        for ask, column in pairs
    )


def check_inner(walk: Walk, node: Node, split: Split, is_judged: bool) -> list[Node]:
    """Judge the split, and return the children with their rows."""
    problem, arrays = walk.problem, walk.arrays
    sides = training_sides(problem, split, node.rows)
    first, last = arrays["child_start"][node.number : node.number + 2]
    numbers = arrays["child"][first:last].tolist()
    assert len(numbers) == len(sides), f"{len(numbers)} children, the split has {len(sides)}"
    if is_judged:
        judge(walk, node, split, sides)
    pairs = zip(numbers, sides, strict=True)
    return [Node(number, side, node.depth + 1) for number, side in pairs]


def judge(walk: Walk, node: Node, split: Split, sides: list[list[int]]) -> None:
    problem = walk.problem
    assert not must_be_leaf(problem, node.rows, node.depth), "the stopping rules forbid this split"
    children = tuple(stats_of(problem, side) for side in sides)
    assert all(child.rows for child in children), f"an empty child: {children}"
    assert are_allowed(problem, split, children), f"children that the rules forbid: {children}"
    gain = gain_of(problem.rules.criterion, children)
    check_gain(walk, node, gain)
    assert is_worth_splitting(problem, stats_of(problem, node.rows), gain), "too small a gain"
    if isinstance(split, Oblique | Distance):
        lows = [max(0.0, bounds.low) for bounds in bounds_of_columns(problem, node.rows)]
        best = max(lows, default=None)
        check_measured_split(problem, split, node.rows, gain, best, walk.margins[type(split)])
    else:
        check_axis_split(problem, node.rows, split, children, gain)


def check_gain(walk: Walk, node: Node, gain: float) -> None:
    stored, expected = float(walk.arrays["gain"][node.number]), full_gain(walk.problem, gain)
    assert stored.hex() == expected.hex(), f"gain {stored!r}, its children have {expected!r}"


def check_axis_split(
    problem: Problem, rows: Sequence[int], split: Split, children: tuple[Stats, ...], gain: float
) -> None:
    column = column_at_node(problem, split.column, rows)
    expected = documented_form(column, split)
    assert exact_split(split) == exact_split(expected), f"{split} should be written {expected}"
    bounds = bounds_of_columns(problem, rows)
    own = next(bound for bound in bounds if bound.column == split.column)
    noise = noise_of(problem.rules.criterion, stats_of(problem, rows))
    assert own.least * (1 - SLACK) - noise <= gain <= own.most * (1 + SLACK) + noise, (
        f"gain {gain} of {split}, the best of its column is {own.least} to {own.most}"
    )
    score, allowance = own.charge.score(gain), allowance_of(problem, rows, bounds)
    if problem.rules.criterion == "gain_ratio":
        check_choice_by_ratio(bounds, split.column, children, score, allowance)
    else:
        check_choice_by_score(bounds, split, score, allowance)


def check_choice_by_score(
    bounds: list[Bounds], split: Split, score: float, allowance: float
) -> None:
    for other in bounds:
        least = other.low - SLACK * abs(other.low) - allowance
        assert score >= least or other.column == split.column, (
            f"score {score} of {split}, but column {other.column} has {other.low}"
        )


def check_choice_by_ratio(
    bounds: list[Bounds], chosen: int, children: tuple[Stats, ...], score: float, allowance: float
) -> None:
    """The average guard, then the ratio: with room for scores that rounding may order either
    way."""
    if any(bound.least < bound.most * (1 - SLACK) - allowance for bound in bounds):
        return  # a heuristic search: what the other columns found is not known
    average = sum(bound.low for bound in bounds) / len(bounds)
    least = average - 2 * SLACK * abs(average) - allowance
    assert score >= least, f"score {score} is below the average {average}"
    information = split_information(children)
    for bound in bounds:
        is_eligible = bound.low >= average + SLACK * abs(average) + allowance
        if is_eligible and bound.column != chosen:
            room = SLACK * abs(bound.least_ratio) + allowance * (1 + 1 / information)
            assert score / information >= bound.least_ratio - room, (
                f"ratio {score / information}, but column {bound.column} has {bound.least_ratio}"
            )
