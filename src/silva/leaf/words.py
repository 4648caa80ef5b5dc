"""The models of leaves as words that state the exact formula."""

import math

from silva.data.schema import Schema
from silva.tree.linear import LinearLeaves, models_a_leaf
from silva.tree.tree import Tree
from silva.tree.words import number, term, value


def model_words(
    tree: Tree, leaf: int, schema: Schema | None = None, digits: int | None = None
) -> str:
    """What the leaf of this number answers, for example `3.2 + 0.5*(age - 40), between 1 and 9`.

    `[color = red]` is 1 if that is so and else 0, `position(size)` counts an ordinal column's
    levels from 0, `days(admitted)` the days from the origin of a column of dates. Classes: the
    log-odds of class 1, or those of each class, which are made to add up to one. A missing or
    unseen value leaves its summand out.
    """
    if tree.linear is None:
        raise TypeError("the leaves of this tree have no linear models")
    columns = tree.schema if schema is None else schema
    if tree.classes is None:
        return _formula(tree.linear, leaf, columns, digits)
    width = models_a_leaf(len(tree.classes))
    labels = tree.classes[-1:] if width == 1 else tree.classes
    formulas = (_formula(tree.linear, leaf * width + i, columns, digits) for i in range(width))
    told = (
        f"log-odds of {value(label)}: {formula}"
        for label, formula in zip(labels, formulas, strict=True)
    )
    return "; ".join(told)


def _formula(linear: LinearLeaves, model: int, schema: Schema, digits: int | None) -> str:
    words = number(float(linear.intercept[model]), digits)
    for entry in range(int(linear.start[model]), int(linear.start[model + 1])):
        weight = float(linear.weight[entry])
        sign = "-" if math.copysign(1.0, weight) < 0 else "+"
        words += (
            f" {sign} {number(abs(weight), digits)}*{_deviation(linear, entry, schema, digits)}"
        )
    return words + _clip(linear, model, digits)


def _deviation(linear: LinearLeaves, entry: int, schema: Schema, digits: int | None) -> str:
    """The number of the row less its center, in brackets."""
    who = term(schema.columns[int(linear.column[entry])], int(linear.code[entry]))
    center = float(linear.center[entry])
    if center == 0.0:
        return who
    return f"({who} {'-' if center > 0 else '+'} {number(abs(center), digits)})"


def _clip(linear: LinearLeaves, model: int, digits: int | None) -> str:
    low, high = float(linear.low[model]), float(linear.high[model])
    constant = linear.start[model] == linear.start[model + 1]
    if constant and low <= linear.intercept[model] <= high:
        return ""
    match math.isfinite(low), math.isfinite(high):
        case True, True:
            return f", between {number(low, digits)} and {number(high, digits)}"
        case True, False:
            return f", at least {number(low, digits)}"
        case False, True:
            return f", at most {number(high, digits)}"
    return ""
