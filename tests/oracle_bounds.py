"""The best gain that a column's search must reach at a node, and the best that there is; and the
scores with which such gains compete.

Both are equal where the search is promised to be optimal. Elsewhere (more than ten groups of more
than two classes; ordered subsets under leaf limits) the first comes from the candidates that the
search weighs at least, the second from all subsets while they can be counted.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tests.oracle_candidates import (
    MOST_EXHAUSTIVE,
    Candidate,
    ColumnAtNode,
    all_subsets,
    candidates_of,
    column_at_node,
    free_groups,
    scored,
)
from tests.oracle_criteria import split_information
from tests.oracle_fair import SLACK, Charge
from tests.oracle_policies import LEARN, OWN_BRANCH
from tests.oracle_units import Problem


@dataclass(frozen=True)
class Bounds:
    """`least` and `most` are gains, `low` and `high` the scores of gains between them, and
    `least_ratio` is the smallest ratio of a score among the candidates of the best gain."""

    column: int
    least: float
    most: float
    low: float
    high: float
    least_ratio: float
    charge: Charge


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
    least = most = max(candidate.gain for candidate in promised)
    if column.ask.form == "subset" and not is_small:
        most = math.inf
    elif not is_exhaustive:
        possible = list(scored(column, all_subsets(column)))
        most = max(candidate.gain for candidate in possible)
        least = most if is_promised_optimal(column) else least
    scores = scores_between(column.charge, least, most)
    ratio = least_ratio(promised, least)
    return Bounds(column.number, least, most, *scores, ratio, column.charge)


def scores_between(charge: Charge, least: float, most: float) -> tuple[float, float]:
    """A charge of more than the whole gain turns their order round."""
    score = charge.score(least)
    if math.isinf(most):
        return (score, math.inf) if charge.share < 1 else (-math.inf, score)
    low, high = sorted((score, charge.score(most)))
    return low, high


def least_ratio(candidates: list[Candidate], best: float) -> float:
    """Infinite where no candidate in the list has the best gain."""
    ratios = [
        candidate.score / split_information(candidate.children)
        for candidate in candidates
        if candidate.gain >= best * (1 - SLACK)
    ]
    return min(ratios, default=0.0)


def is_promised_optimal(column: ColumnAtNode) -> bool:
    """Whether the subset search finds the best of all subsets.

    With two classes or numbers, ordering is optimal when nothing but the impurity constrains the
    split: no leaf limits, no child that lacks events, no rows that must follow the heavier side
    (missing values or lone levels).
    """
    problem = column.problem
    if problem.n_classes > 2:
        return len(free_groups(column)) <= MOST_EXHAUSTIVE
    follows = column.missing.rows > 0 and column.ask.missing not in (LEARN, OWN_BRANCH)
    lacks_events = problem.rules.criterion == "poisson" and any(
        column.added([code]).sums[0] == 0 for code in free_groups(column)
    )
    return not (problem.has_leaf_limits or follows or lacks_events or column.lone.rows)
