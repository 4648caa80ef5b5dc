"""Explanations as notebooks show them: the same words in tables, everything escaped."""

from html import escape

from silva.export.explanation.story import story_of
from silva.inspect.explain.explanation import Explanation
from silva.inspect.record import html_table


def full_html(found: Explanation) -> str:
    """The whole reason for one row."""
    story = story_of(found)
    empty = ("",) * (len(story.head) - 1)
    lines = []
    for line in story.lines:
        lines.append(line.cells)
        lines += [(f"\N{EM SPACE}{note}", *empty) for note in line.notes]
    after = "".join(f"<p>{escape(one)}</p>" for one in story.after)
    typical = "" if found.typical is None else full_html(found.typical)
    table = html_table(story.head, lines)
    return f"<p>{escape(found.sentence)}</p>{table}{after}{typical}"
