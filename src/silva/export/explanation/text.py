"""Explanations as aligned text."""

from collections.abc import Sequence

from silva.export.explanation.story import Line, Story, story_of
from silva.inspect.explain.explanation import Explanation

WIDEST = 60
"""A longer first cell has a line to itself."""


def full_text(found: Explanation) -> str:
    """The whole reason for one row: a sentence, a line for each step, the evidence."""
    story = story_of(found)
    parts = [found.sentence, "", *_table(story), "", *story.after]
    if found.typical is not None:
        parts += [f"  {line}".rstrip() for line in full_text(found.typical).splitlines()]
    return "\n".join(parts)


def _table(story: Story) -> list[str]:
    widths = _widths(story)
    lines = [_cells(story.head, widths)]
    for line in story.lines:
        lines += _line(line, widths)
    return lines


def _widths(story: Story) -> list[int]:
    rows = [story.head, *(line.cells for line in story.lines)]
    columns = list(zip(*rows, strict=True))
    first = max((len(cell) for cell in columns[0] if len(cell) <= WIDEST), default=0)
    return [first, *(max(map(len, column)) for column in columns[1:])]


def _line(line: Line, widths: Sequence[int]) -> list[str]:
    notes = [f"    {note}" for note in line.notes]
    if len(line.cells[0]) <= widths[0]:
        return [_cells(line.cells, widths), *notes]
    return [f"  {line.cells[0]}", _cells(("", *line.cells[1:]), widths), *notes]


def _cells(cells: Sequence[str], widths: Sequence[int]) -> str:
    """The first cell to the left, the numbers to the right."""
    first, *others = cells
    told = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
    return "  ".join([f"  {first:<{widths[0]}}", *told]).rstrip()
