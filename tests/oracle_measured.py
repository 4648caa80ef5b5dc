"""Oblique and distance splits: the sweep along their numbers is exact, whatever found them."""

from collections.abc import Sequence
from itertools import pairwise

from tests.oracle_candidates import are_allowed
from tests.oracle_criteria import Stats, gain_of
from tests.oracle_policies import placings, strictest
from tests.oracle_splits import Distance, Oblique, measure, used_columns
from tests.oracle_units import Problem, stats_of, stats_of_nothing

SLACK = 1e-9
SAME_NUMBER = 1e-12


def check_measured_split(
    problem: Problem,
    split: Oblique | Distance,
    rows: Sequence[int],
    score: float,
    best_on_axis: float | None,
    margin: float,
) -> None:
    """No other threshold and no other place for missing rows gains more, and no axis split nearly
    as much."""
    numbers = {row: measured(problem, split, row) for row in rows}
    missing = [row for row in rows if numbers[row] is None]
    policy = strictest([problem.asks[column].missing for column in used_columns(split)])
    check_missing_child(problem, split, policy, numbers, missing)
    best = best_along(problem, split, policy, numbers, missing)
    assert score >= best * (1 - SLACK), f"gain {score}, another threshold has {best}"
    if best_on_axis is not None:
        assert score > best_on_axis * (1 + margin) * (1 - SLACK), (
            f"gain {score} does not beat {best_on_axis} of an axis by {margin}"
        )


def measured(problem: Problem, split: Oblique | Distance, row: int) -> float | None:
    return measure(split, {c: problem.columns[c][row] for c in used_columns(split)})


def check_missing_child(
    problem: Problem,
    split: Oblique | Distance,
    policy: str,
    numbers: dict,
    missing: list[int],
) -> None:
    sides: tuple[list[int], list[int]] = ([], [])
    for row, number in numbers.items():
        if number is not None:
            sides[number >= split.threshold].append(row)
    known = [stats_of(problem, side) for side in sides]
    allowed = [way.missing_child for way in placings(policy, known, stats_of(problem, missing))]
    assert split.missing_child in allowed, f"missing_child {split.missing_child}, not {allowed}"


def best_along(
    problem: Problem,
    split: Oblique | Distance,
    policy: str,
    numbers: dict,
    missing: list[int],
) -> float:
    """Over all thresholds between numbers that differ by more than rounding."""
    order = sorted((row for row in numbers if numbers[row] is not None), key=numbers.get)
    without = stats_of(problem, missing)
    left, known = stats_of_nothing(problem), stats_of(problem, order)
    best = 0.0
    for row, after in pairwise(order):
        left += stats_of(problem, [row])
        if numbers[after] - numbers[row] <= SAME_NUMBER * max(1.0, abs(numbers[after])):
            continue
        for way in placings(policy, (left, known - left), without):
            best = max(best, allowed_gain(problem, split, way.children))
    return best


def allowed_gain(problem: Problem, split: Oblique | Distance, children: tuple[Stats, ...]) -> float:
    if not are_allowed(problem, split, children):
        return 0.0
    return gain_of(problem.rules.criterion, children)
