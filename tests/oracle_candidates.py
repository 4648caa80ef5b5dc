"""Every candidate of a column at a node, as the documentation lists them."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from tests.oracle_criteria import Stats, gain_of
from tests.oracle_fair import FREE, Charge, charge_for
from tests.oracle_policies import (
    LEARN,
    MAJORITY,
    OWN_BRANCH,
    Ask,
    Placing,
    heaviest_of,
    joined,
    lone_go_with_missing,
    placings,
    unseen_child,
)
from tests.oracle_splits import Multiway, Split, Subset, Threshold, n_known_children
from tests.oracle_units import CONTINUOUS, Problem, spread_of, stats_of, stats_of_nothing

MISSING = -1  # the group of rows without a value, among the codes of a column
MOST_EXHAUSTIVE = 10


class Candidate(NamedTuple):
    """`gain` is that before the powers of two of the target's unit; `place` orders the candidates
    of one column; the best candidates of the columns compete by `score`."""

    split: Split
    children: tuple[Stats, ...]
    gain: float
    place: tuple
    charge: float = 0.0

    @property
    def score(self) -> float:
        return self.gain - self.charge

    @property
    def lighter(self) -> int:
        return min(child.weight for child in self.children)


@dataclass(frozen=True)
class ColumnAtNode:
    """What a column shows of a node: stats by value in ascending order, of rows without a value
    and of rows of lone levels. `pure` holds the target of each value whose rows have but one."""

    problem: Problem
    number: int
    rows: Sequence[int]
    groups: dict
    missing: Stats
    lone: Stats
    pure: dict

    @property
    def ask(self) -> Ask:
        return self.problem.asks[self.number]

    def added(self, values: Iterable) -> Stats:
        """Of the rows with one of these values; MISSING stands for those without."""
        total = stats_of_nothing(self.problem)
        for value in values:
            total += self.groups.get(value, self.missing)
        return total

    @cached_property
    def added_free(self) -> Stats:
        return self.added(free_groups(self))

    @cached_property
    def charge(self) -> Charge:
        """Rows without a value are one more group, and those of all lone levels together."""
        if not self.problem.is_charged(self.ask.form):
            return FREE
        groups = [g for g in (*self.groups.values(), self.missing, self.lone) if g.rows]
        n_targets = len({self.problem.code_of[row] for row in self.rows})
        n_targets = n_targets if self.problem.n_classes else 2
        spread = spread_of(self.problem, self.rows)
        return charge_for(groups, n_targets, spread, self.weights_of_groups())

    def weights_of_groups(self) -> list[list[int]]:
        weights: dict = {}
        lone = "lone" if self.lone.rows else None
        for row in self.rows:
            value = self.problem.columns[self.number][row]
            group = lone if value in self.problem.lone[self.number] else value
            weights.setdefault(group, []).append(self.problem.weight_of[row])
        return list(weights.values())

    def unseen(self, placing: Placing, n_known: int) -> int:
        if self.problem.kinds[self.number] == CONTINUOUS:
            return placing.missing_child
        return unseen_child(self.ask.unseen, placing, n_known, self.missing)

    def only_lone_known(self) -> bool:
        return not self.groups and self.lone.rows > 0

    def asks_for_missing(self) -> bool:
        """Whether "is it missing?" is a question here."""
        policy = self.ask.missing
        alone = policy == OWN_BRANCH and len(self.groups) == (0 if self.only_lone_known() else 1)
        return self.missing.rows > 0 and (policy == LEARN or alone)


def column_at_node(problem: Problem, number: int, rows: Sequence[int]) -> ColumnAtNode:
    members: dict = {}
    for row in rows:
        members.setdefault(problem.columns[number][row], []).append(row)
    absent = members.pop(None, [])
    lone = [row for value in problem.lone[number] for row in members.pop(value, [])]
    if absent and lone_go_with_missing(problem.asks[number]):
        absent, lone = sorted(absent + lone), []
    missing = stats_of(problem, absent)
    targets = {value: {problem.code_of[row] for row in members[value]} for value in members}
    pure = {value: codes.pop() for value, codes in targets.items() if len(codes) == 1}
    groups = {value: stats_of(problem, members[value]) for value in sorted(members)}
    return ColumnAtNode(problem, number, rows, groups, missing, stats_of(problem, lone), pure)


def candidates_of(column: ColumnAtNode) -> Iterator[Candidate]:
    """The allowed ones, in the order of their places."""
    makers = {
        "threshold": thresholds,
        "onevsrest": levels_against_the_rest,
        "subset": subsets,
        "multiway": all_levels_apart,
    }
    return scored(column, makers[column.ask.form](column))


Made = tuple[Split, tuple[Stats, ...], tuple]


def scored(column: ColumnAtNode, made: Iterable[Made]) -> Iterator[Candidate]:
    problem = column.problem
    for split, children, place in made:
        if are_allowed(problem, split, children):
            gain = gain_of(problem.rules.criterion, children)
            yield Candidate(split, children, gain, place, column.charge.of(gain))


def are_allowed(problem: Problem, split: Split, children: Sequence[Stats]) -> bool:
    if problem.rules.criterion == "poisson" and not all(child.sums[0] > 0 for child in children):
        return False
    if isinstance(split, Multiway):
        return sum(is_large_enough(problem, child) for child in children) >= 2
    own_branch_aside = children[: n_known_children(split)]
    return all(is_large_enough(problem, child) for child in own_branch_aside)


def is_large_enough(problem: Problem, child: Stats) -> bool:
    rules = problem.rules
    return child.rows >= max(1, rules.min_samples_leaf) and float(
        child.weight
    ) >= rules.min_weight_fraction_leaf * float(problem.total_weight)


def thresholds(column: ColumnAtNode) -> Iterator[Made]:
    """Every threshold between neighbours; missing against the rest."""
    if column.asks_for_missing():
        placing = Placing(0, (column.missing, column.added(column.groups)))
        split = Threshold(column.number, -math.inf, 0, column.unseen(placing, 2))
        yield split, placing.children, (-math.inf, 0)
    left, known = stats_of_nothing(column.problem), column.added(column.groups)
    for low, high in pairwise(column.groups):
        left += column.groups[low]
        if column.problem.rules.breakpoints and is_inside_one_target(column, low, high):
            continue
        for placing in placings(column.ask.missing, (left, known - left), column.missing):
            place = midpoint(low, high), placing.missing_child
            split = Threshold(column.number, *place, column.unseen(placing, 2))
            yield split, placing.children, place


def is_inside_one_target(column: ColumnAtNode, low: float, high: float) -> bool:
    pure = column.pure
    return low in pure and high in pure and pure[low] == pure[high]


def midpoint(low: float, high: float) -> float:
    """A threshold with `low < threshold <= high`, halfway if floats allow."""
    middle = (low + high) / 2
    if not math.isfinite(middle):
        middle = low / 2 + high / 2
    return middle if low < middle <= high else high


def levels_against_the_rest(column: ColumnAtNode) -> Iterator[Made]:
    """Every level against the others; missing against the rest."""
    if column.asks_for_missing():
        yield missing_against_the_rest(column, ())
    known = column.added(column.groups)
    for code, yes in column.groups.items():
        for placing in placings(column.ask.missing, (known - yes, yes), column.missing):
            child = placing.missing_child
            split = Subset(column.number, (code,), (), child, column.unseen(placing, 2))
            yield split, placing.children, (code, child)


def missing_against_the_rest(column: ColumnAtNode, rest: tuple[int, ...]) -> Made:
    placing = Placing(1, (column.added(column.groups) + column.lone, column.missing))
    split = Subset(column.number, (), rest, 1, column.unseen(placing, 2))
    return split, placing.children, (MISSING,)


def all_levels_apart(column: ColumnAtNode) -> Iterator[Made]:
    """A child for each level, and one for missing values; lone rows follow the heaviest."""
    codes, policy = tuple(column.groups), column.ask.missing
    if not codes or len(codes) + (column.missing.rows > 0) < 2:
        return
    policy = OWN_BRANCH if policy == LEARN and column.missing.rows else policy
    for placing in placings(policy, tuple(column.groups.values()), column.missing):
        placing = with_lone(placing, heaviest_of(placing.children), column.lone)
        child = placing.missing_child
        unseen = column.unseen(placing, len(codes))
        yield Multiway(column.number, codes, child, unseen), placing.children, ()


def with_lone(placing: Placing, child: int, lone: Stats) -> Placing:
    return placing._replace(children=joined(placing.children, child, lone))


def subsets(column: ColumnAtNode) -> Iterator[Made]:
    """The candidates that the core promises to weigh at least, where it promises a list."""
    if column.problem.n_classes <= 2:
        return ordered_subsets(column)
    if len(free_groups(column)) <= MOST_EXHAUSTIVE:
        return all_subsets(column)
    return class_ordered_subsets(column)


def free_groups(column: ColumnAtNode) -> list[int]:
    """The codes that can go to either side; under `learn` the missing values are one more."""
    is_group = column.ask.missing == LEARN and column.missing.rows > 0
    return [*[MISSING] * is_group, *column.groups]


def ordered_subsets(column: ColumnAtNode) -> Iterator[Made]:
    """By the share of class 1 or the mean: the first, the first two, ... against the others."""
    target = 1 if column.problem.n_classes == 2 else 0
    return prefixes(column, in_order_of(column, target))


def class_ordered_subsets(column: ColumnAtNode) -> Iterator[Made]:
    for target in range(column.problem.n_classes):
        yield from prefixes(column, in_order_of(column, target))
    for code in free_groups(column):
        yield subset_of(column, {code}, ())


def in_order_of(column: ColumnAtNode, target: int) -> list[int]:
    def share(code: int) -> tuple[Fraction, int]:
        stats = column.added([code])
        return Fraction(stats.sums[target], stats.weight), code

    return sorted(free_groups(column), key=share)


def prefixes(column: ColumnAtNode, order: list[int]) -> Iterator[Made]:
    total = stats_of_nothing(column.problem)
    for length in range(1, len(order)):
        total += column.added([order[length - 1]])
        yield subset_of(column, set(order[:length]), (length,), total)
    yield from lonely_level(column)


def all_subsets(column: ColumnAtNode) -> Iterator[Made]:
    """Each once: the last group is never among the chosen."""
    codes = free_groups(column)
    totals = [stats_of_nothing(column.problem)]
    for mask in range(1, 2 ** max(0, len(codes) - 1)):
        highest = mask.bit_length() - 1
        totals.append(totals[mask - 2**highest] + column.added([codes[highest]]))
        chosen = {code for i, code in enumerate(codes) if mask >> i & 1}
        yield subset_of(column, chosen, (mask,), totals[mask])
    yield from lonely_level(column)


def lonely_level(column: ColumnAtNode) -> Iterator[Made]:
    """One known level beside missing values that have a branch of their own, or none but lone
    levels."""
    has_no_groups = column.ask.missing == OWN_BRANCH or column.only_lone_known()
    if has_no_groups and column.asks_for_missing():
        yield missing_against_the_rest(column, rest_of(column, column.groups))


def subset_of(
    column: ColumnAtNode, chosen: set[int], place: tuple, stats: Stats | None = None
) -> Made:
    """The split of the free groups into `chosen` and the others, in its canonical form."""
    groups = set(free_groups(column))
    stats = column.added(chosen) if stats is None else stats
    others, against = groups - chosen, column.added_free - stats
    is_listed = belongs_into_the_list(column, chosen, stats.weight, others, against.weight)
    listed, rest = (chosen, others) if is_listed else (others, chosen)
    known = (against, stats) if is_listed else (stats, against)
    if MISSING in groups:
        ways = [Placing(1 if MISSING in listed else 0, known)]
    else:
        ways = placings(column.ask.missing, known, column.missing)
        assert len(ways) == 1, "a subset places missing values in one way"
    placing = with_lone(ways[0], 0, column.lone)
    codes, kept = tuple(sorted(listed - {MISSING})), rest_of(column, rest)
    unseen = column.unseen(placing, 2)
    split = Subset(column.number, codes, kept, placing.missing_child, unseen)
    return split, placing.children, place


def belongs_into_the_list(
    column: ColumnAtNode, side: set[int], weight: int, other: set[int], against: int
) -> bool:
    """The lighter side is listed; of equals the one without the lowest code; what is missing, when
    alone."""
    if side == {MISSING} or other == {MISSING}:
        return side == {MISSING}
    return weight < against or (weight == against and min(column.groups) not in side)


def rest_of(column: ColumnAtNode, codes: Iterable[int]) -> tuple[int, ...]:
    if column.ask.unseen == MAJORITY or column.ask.form != "subset":
        return ()
    return tuple(sorted(code for code in codes if code != MISSING))
