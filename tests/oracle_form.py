"""The one way in which a split of a column is written, given which rows it parts."""

from tests.oracle_candidates import (
    MISSING,
    ColumnAtNode,
    all_levels_apart,
    free_groups,
    levels_against_the_rest,
    lonely_level,
    subset_of,
    thresholds,
)
from tests.oracle_policies import LEARN
from tests.oracle_splits import Multiway, Split, Subset, Threshold


def documented_form(column: ColumnAtNode, split: Split) -> Split | None:
    """The candidate of the column that parts the rows as `split` does, None if there is none."""
    form = column.ask.form
    if form == "threshold" and isinstance(split, Threshold):
        return same_place(thresholds(column), split)
    if form == "onevsrest" and isinstance(split, Subset):
        return same_place(levels_against_the_rest(column), split)
    if form == "multiway" and isinstance(split, Multiway):
        return next((made[0] for made in all_levels_apart(column)), None)
    if form == "subset" and isinstance(split, Subset):
        return documented_subset(column, split)
    return None


def same_place(made, split: Threshold | Subset) -> Split | None:
    return next((other for other, *_ in made if place_of(other) == place_of(split)), None)


def place_of(split: Threshold | Subset) -> tuple:
    if isinstance(split, Subset):
        return split.codes, split.missing_child
    return split.threshold, split.missing_child


def documented_subset(column: ColumnAtNode, split: Subset) -> Split | None:
    side = set(split.codes)
    if column.ask.missing == LEARN and column.missing.rows and split.missing_child == 1:
        side.add(MISSING)
    groups = set(free_groups(column))
    if not side <= groups:
        return None
    if not side or side == groups:
        return next((made[0] for made in lonely_level(column)), None)
    return subset_of(column, side, ())[0]
