"""The rule of a dialog that ended before its last question, because no answer would matter."""

from dataclasses import replace
from math import inf

from silva.inspect.dialog.known import Knowledge, Values, lacks_value
from silva.inspect.dialog.source import Source
from silva.inspect.dialog.walk import agreed
from silva.inspect.rules.conditions import Condition, Interval, merged
from silva.tree.splits import Distance, Oblique, Split, columns_of


def settled_conditions(
    source: Source, knowledge: Knowledge, node: int
) -> tuple[Condition, ...] | None:
    """Conditions that every row with the dialog's prediction for the same reason satisfies.

    Those of the node, if all its leaves agree. Otherwise also what is known of the columns that are
    asked about below it, as far as the tree tells values apart. None where that cannot be said so:
    below splits of several columns, and after "I do not know" about a part of a range.
    """
    conditions = source.regions.of_node(node)
    if agreed(source, node, {}):
        return conditions
    asked = _splits_below(source, node)
    if any(isinstance(split, Oblique | Distance) for split in asked):
        return None
    columns = sorted({column for split in asked for column in columns_of(split)} & set(knowledge))
    known = [knowledge[column] for column in columns]
    if any(one.vague and not lacks_value(replace(one, vague=False)) for one in known):
        return None
    cells = [_cell(source, one.values) for one in known]
    return merged([*conditions, *cells], source.columns)


def _splits_below(source: Source, node: int) -> list[Split]:
    nodes = range(node, int(source.tree.subtree_end[node]))
    return [split for split in map(source.split, nodes) if split is not None]


def _cell(source: Source, values: Values) -> Values:
    """The values that the tree does not tell apart from these."""
    if not isinstance(values, Interval) or not values.known:
        return values
    table = source.tree.thresholds
    limits = [one for one in table.threshold[table.column == values.column].tolist() if one > -inf]
    below = [one for one in limits if values.low is not None and one <= values.low]
    above = [one for one in limits if values.high is not None and one >= values.high]
    return replace(values, low=max(below, default=None), high=min(above, default=None))
