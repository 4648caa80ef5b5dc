"""An explanation as a table with notes: what text and HTML show alike."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from silva.inspect.explain.explanation import Explanation
from silva.inspect.explain.records import LeafModel, Measure, Part, Step
from silva.inspect.explain.words import (
    by_size,
    change_words,
    evidence_lines,
    joined,
    level_words,
)
from silva.messages import counted
from silva.tree import words

MOST_COLUMNS = 10
"""How many columns of several trees are shown, the largest contributions first."""

MOST_CLASSES = 5
"""How many classes are listed with their shares."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table, and what stands below it."""

    cells: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Story:
    """The table of one explanation, and what follows it: paragraphs of lines."""

    head: tuple[str, ...]
    lines: tuple[Line, ...]
    after: tuple[str, ...]


def story_of(found: Explanation) -> Story:
    if found.evidence is None:
        return _of_trees(found)
    return _of_tree(found)


def _of_tree(found: Explanation) -> Story:
    head = ("", "this row", "distance to limit", _level_name(found), "change")
    lines = [Line((_START, "", "", _level(found, found.baseline), ""))]
    lines += [_step_line(found, step) for step in found.steps]
    if found.models:
        lines.append(_model_line(found))
    return Story(*_without_empty(head, lines), tuple(_after_tree(found)))


_START = "all training rows"


def _is_class(found: Explanation) -> bool:
    return found.shares is not None


def _level_name(found: Explanation) -> str:
    return f"share of {words.label(found.prediction)}" if _is_class(found) else "mean"


def _level(found: Explanation, level: object) -> str:
    assert isinstance(level, dict | float)
    return level_words(found.towards(level), _is_class(found), found._style)


def _change(found: Explanation, change: object) -> str:
    assert isinstance(change, dict | float)
    return change_words(found.towards(change), _is_class(found), found._style)


def _step_line(found: Explanation, step: Step) -> Line:
    level = step.mean if step.shares is None else step.shares
    cells = (
        step.short_condition,
        _this_row(found, step),
        step.nearness,
        _level(found, level),
        _change(found, step.contribution),
    )
    notes = [] if step.measure is None else _measure_notes(step.measure, found._style.digits)
    return Line(cells, (*notes, *([step.reason] if step.reason else [])))


def _this_row(found: Explanation, step: Step) -> str:
    if step.measure is None:
        return step.values[0].words
    value = step.measure.value
    return "missing" if value is None else words.number(value, found._style.digits or 6)


def _measure_notes(measure: Measure, digits: int | None) -> list[str]:
    shown = (
        measure.parts if len(measure.parts) <= MOST_COLUMNS + 1 else measure.parts[:MOST_COLUMNS]
    )
    notes = [_part(part, measure.what == "cosine distance", digits) for part in shown]
    hidden = len(measure.parts) - len(shown)
    return [*notes, f"and {counted(hidden, 'more term')}"] if hidden else notes


def _part(part: Part, is_cosine: bool, digits: int | None) -> str:
    """`age: 0.5 * (45 - 40) = 2.5`."""
    if part.value is None:
        return f"{part.term}: missing"
    weight, value, product = (
        words.number(one, digits or 6) for one in (part.weight, part.value, part.product)
    )
    if part.center is None:
        return f"{part.term}: {weight} * {_enclosed(value)} = {product}"
    center = words.number(part.center, digits or 6)
    if is_cosine:
        return f"{part.term}: ({weight} * {value}) * ({weight} * {center}) = {product}"
    return f"{part.term}: {weight} * ({value} - {_enclosed(center)}) = {product}"


def _enclosed(number: str) -> str:
    return f"({number})" if number.startswith("-") else number


def _model_line(found: Explanation) -> Line:
    notes = [note for model in found.models for note in _model_notes(model, found._style.digits)]
    change = found.leaf_contribution
    level = found.prediction if found.shares is None else found.shares
    cells = ("linear model of the leaf", "", "", _level(found, level), _change(found, change))
    return Line(cells, tuple(notes))


def _model_notes(model: LeafModel, digits: int | None) -> Iterator[str]:
    indent = "" if model.label is None else "  "
    who = "" if model.label is None else f"log-odds of {words.value(model.label)}"
    if not model.terms:
        constant = words.number(model.answer, digits or 6)
        yield f"{who}: {constant}" if who else f"constant: {constant}"
        return
    if who:
        yield f"{who}:"
    yield f"{indent}start: {words.number(model.intercept, digits or 6)}"
    for term in model.terms:
        told = (
            f"{term.term}: missing, left out" if term.value is None else _part(term, False, digits)
        )
        yield f"{indent}{told}"
    total = f"{indent}sum: {words.number(model.total, digits or 6)}"
    if model.is_clipped:
        total += f", limited to {words.number(model.answer, digits or 6)}"
    yield total


def _without_empty(
    head: Sequence[str], lines: Sequence[Line]
) -> tuple[tuple[str, ...], tuple[Line, ...]]:
    """Leave out columns in which no line has anything."""
    kept = [place for place in range(len(head)) if any(line.cells[place] for line in lines)]
    short = (Line(tuple(line.cells[place] for place in kept), line.notes) for line in lines)
    return tuple(head[place] for place in kept), tuple(short)


def _after_tree(found: Explanation) -> Iterator[str]:
    if len(found.steps) > len(found.contributions) or _shares_steps(found):
        told = [f"{words.name(name)} {_change(found, one)}" for name, one in by_size(found)]
        yield f"By column: {joined(told)}."
    yield from _all_classes(found)
    yield from evidence_lines(found, _is_class(found), found._style)
    notes = []
    if _is_class(found) and found.steps:
        notes.append("Changes are in percentage points.")
    if found._style.is_smoothed:
        notes.append("Shares in the table are smoothed.")
    if any(step.spreads is not None for step in found.steps):
        notes.append("A spread is the standard deviation of a column in training.")
    if notes:
        yield " ".join(notes)


def _all_classes(found: Explanation) -> Iterator[str]:
    """The shares of three and more classes, the largest first; those of two tell each other."""
    if found.shares is None or len(found.shares) < 3:
        return
    occurring = [pair for pair in found.shares.items() if pair[1] > 0.0]
    by_share = sorted(occurring, key=lambda pair: -pair[1])
    told = [f"{words.label(label)} {words.percent(share)}" for label, share in by_share]
    yield f"All classes: {words.listed(told, MOST_CLASSES)}."


def _shares_steps(found: Explanation) -> bool:
    return any(len(step.values) > 1 for step in found.steps)


def _of_trees(found: Explanation) -> Story:
    shown = by_size(found)[:MOST_COLUMNS]
    lines = [Line((f"{_START} (mean of the trees)", _level(found, found.baseline), ""))]
    lines += [Line((words.name(name), "", _change(found, change))) for name, change in shown]
    hidden = by_size(found)[MOST_COLUMNS:]
    if hidden:
        rest = math.fsum(found.towards(change) for _, change in hidden)
        lines.append(Line((counted(len(hidden), "other column"), "", _change(found, rest))))
    if found.leaf_contribution is not None:
        change = _change(found, found.leaf_contribution)
        lines.append(Line(("linear models of the leaves", "", change)))
    level = found.prediction if found.shares is None else found.shares
    lines.append(Line(("prediction", _level(found, level), "")))
    return Story(("", _trees_level_name(found), "change"), tuple(lines), tuple(_after_trees(found)))


def _trees_level_name(found: Explanation) -> str:
    if not _is_class(found):
        return "mean"
    what = {"shares of votes": "votes for", "shares of weighted votes": "weighted votes for"}
    return f"{what.get(found.quantity, 'share of')} {words.label(found.prediction)}"


def _after_trees(found: Explanation) -> Iterator[str]:
    yield from _all_classes(found)
    if _is_class(found):
        yield "Changes are in percentage points."
    if found.quantity == "shares of weighted votes":
        yield "They add up to the share of the weighted votes, which decides the class."
    of_trees = f"The most typical of the {found.trees:,} trees"
    yield f"{of_trees} is tree {found.typical_tree}, which counts the rows it was grown on:"
