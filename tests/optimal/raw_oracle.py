"""The least error of any tree on raw values, by trying all: knows no ranks and no ordered columns.

A row is a tuple of values: numbers or None for ordered columns, texts or None for categories.
"""

from collections import Counter
from functools import cache
from itertools import chain, combinations


def least_error(rows, labels, weights, kinds, depth, max_subset_levels=6, min_rows=1):
    """The least weight of wrong rows of a tree of at most `depth` levels of splits."""
    sides = all_sides(rows, kinds, max_subset_levels)

    @cache
    def best(members, left):
        wrong = leaf_errors(members, labels, weights)
        if not left or not wrong:
            return wrong
        for side in sides:
            yes, no = members & side, members - side
            if min(len(yes), len(no)) >= min_rows:
                wrong = min(wrong, best(yes, left - 1) + best(no, left - 1))
        return wrong

    return best(frozenset(i for i, weight in enumerate(weights) if weight > 0), depth)


def least_errors(rows, labels, weights, sides, most, min_rows=1):
    """The least weight of wrong rows of trees of at most 0, 1, ... `most` splits, of any depth."""

    @cache
    def best(members, splits):
        wrong = leaf_errors(members, labels, weights)
        if not splits or not wrong:
            return wrong
        for side in sides:
            yes, no = members & side, members - side
            if min(len(yes), len(no)) < min_rows:
                continue
            for left in range(min(splits, len(yes))):
                right = min(splits - 1 - left, len(no) - 1)
                wrong = min(wrong, best(yes, left) + best(no, right))
        return wrong

    members = frozenset(i for i, weight in enumerate(weights) if weight > 0)
    return [best(members, splits) for splits in range(most + 1)]


def leaf_errors(members, labels, weights):
    counts = Counter()
    for row in members:
        counts[labels[row]] += weights[row]
    return sum(counts.values()) - max(counts.values())


def all_sides(rows, kinds, max_subset_levels=6):
    """The rows on one side of each question; a kind may be the thresholds of a grid."""
    return frozenset(
        side
        for column, kind in enumerate(kinds)
        for side in (
            set_sides(rows, column, max_subset_levels)
            if kind == "set"
            else ordered_sides(rows, column, None if kind == "ordered" else kind)
        )
    )


def ordered_sides(rows, column, grid=None):
    values = [row[column] for row in rows]
    missing = frozenset(i for i, value in enumerate(values) if value is None)
    yield missing
    for limit in grid or {value for value in values if value is not None}:
        below = frozenset(
            i for i, value in enumerate(values) if value is not None and value < limit
        )
        yield below
        yield below | missing


def set_sides(rows, column, max_subset_levels):
    values = [row[column] for row in rows]
    levels = sorted(set(values), key=str)
    known = [level for level in levels if level is not None]
    if len(levels) <= max_subset_levels:
        sets = chain.from_iterable(combinations(levels, size) for size in range(1, len(levels)))
    else:
        sets = [*((level,) for level in levels), *((level, None) for level in known)]
    for chosen in sets:
        yield frozenset(i for i, value in enumerate(values) if value in chosen)
