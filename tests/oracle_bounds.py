"""The best gain that a column's search must reach at a node, and the best that there is.

Both are equal where the search is promised to be optimal. Elsewhere (more than ten groups of more
than two classes; ordered subsets under leaf limits) the first comes from the candidates that the
search weighs at least, the second from all subsets while they can be counted.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from oracle_candidates import (
    MOST_EXHAUSTIVE,
    Candidate,
    ColumnAtNode,
    all_subsets,
    candidates_of,
    column_at_node,
    free_groups,
    scored,
)
from oracle_criteria import split_information
from oracle_policies import LEARN, OWN_BRANCH
from oracle_units import Problem

SLACK = 1e-9


@dataclass(frozen=True)
class Bounds:
    """`least_ratio` is the smallest gain ratio among the candidates of the best gain."""

    column: int
    least: float
    most: float
    least_ratio: float


def bounds_of_columns(problem: Problem, rows: Sequence[int]) -> list[Bounds]:
    """Of the columns that have a candidate, in their order."""
    columns = [column_at_node(problem, number, rows) for number in range(len(problem.kinds))]
    return [bounds for column in columns if (bounds := bounds_of(column))]


def bounds_of(column: ColumnAtNode) -> Bounds | None:
    promised = list(candidates_of(column))
    if not promised:
        return None
    is_exhaustive = column.ask.form != "subset" or column.problem.n_classes > 2
    is_small = len(free_groups(column)) <= MOST_EXHAUSTIVE
    least = most = max(candidate.score for candidate in promised)
    if column.ask.form == "subset" and not is_small:
        most = math.inf
    elif not is_exhaustive:
        possible = list(scored(column.problem, all_subsets(column)))
        most = max(candidate.score for candidate in possible)
        least = most if is_promised_optimal(column) else least
    return Bounds(column.number, least, most, least_ratio(promised, least))


def least_ratio(candidates: list[Candidate], best: float) -> float:
    """Infinite where no candidate in the list has the best gain."""
    if best == 0.0:
        return 0.0
    ratios = [
        candidate.score / split_information(candidate.children)
        for candidate in candidates
        if candidate.score >= best * (1 - SLACK)
    ]
    return min(ratios, default=0.0)


def is_promised_optimal(column: ColumnAtNode) -> bool:
    """Whether the subset search finds the best of all subsets.

    With two classes or numbers, ordering is optimal when nothing but the impurity constrains the
    split: no leaf limits, no child that lacks events, no rows that must follow the heavier side.
    """
    problem = column.problem
    if problem.n_classes > 2:
        return len(free_groups(column)) <= MOST_EXHAUSTIVE
    follows = column.missing.rows > 0 and column.ask.missing not in (LEARN, OWN_BRANCH)
    lacks_events = problem.rules.criterion == "poisson" and any(
        column.added([code]).sums[0] == 0 for code in free_groups(column)
    )
    return not (problem.has_leaf_limits or follows or lacks_events)
