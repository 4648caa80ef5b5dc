"""The least error of any tree on raw values, by trying all: knows no ranks and no ordered columns.

A row is a tuple of values: numbers or None for ordered columns, texts or None for categories.
"""

from collections import Counter
from functools import cache
from itertools import chain, combinations


def least_error(rows, labels, weights, kinds, depth, max_subset_levels=6, min_rows=1):
    """The least weight of wrong rows of a tree of at most `depth` levels of splits."""
    sides = frozenset(
        side
        for column, kind in enumerate(kinds)
        for side in (
            ordered_sides(rows, column)
            if kind == "ordered"
            else set_sides(rows, column, max_subset_levels)
        )
    )

    @cache
    def best(members, left):
        counts = Counter()
        for row in members:
            counts[labels[row]] += weights[row]
        wrong = sum(counts.values()) - max(counts.values())
        if not left or not wrong:
            return wrong
        for side in sides:
            yes, no = members & side, members - side
            if min(len(yes), len(no)) >= min_rows:
                wrong = min(wrong, best(yes, left - 1) + best(no, left - 1))
        return wrong

    return best(frozenset(i for i, weight in enumerate(weights) if weight > 0), depth)


def ordered_sides(rows, column):
    values = [row[column] for row in rows]
    missing = frozenset(i for i, value in enumerate(values) if value is None)
    yield missing
    for limit in {value for value in values if value is not None}:
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
