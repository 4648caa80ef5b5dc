"""What may be wrong with a table, as text: its columns, then the problems."""

from silva.inspect.table_check import Checkup
from silva.messages import counted, first_of
from silva.tree import words

MOST_SHOWN = 30


def checkup_text(found: Checkup) -> str:
    """What `print(checkup)` shows."""
    lines = [f"{counted(found.rows, 'row')}; {found.task} of {words.name(found.target)}"]
    if found.classes:
        told = [f"{words.value(label)} {count:,}" for label, count in found.classes[:10]]
        lines.append(f"rows of each class: {first_of(told, len(found.classes))}")
    lines += [f"{counted(len(found.columns), 'column')}:", *_column_lines(found)]
    if not found.problems:
        return "\n".join([*lines, "no problem found"])
    lines.append(f"{counted(len(found.problems), 'problem')}:")
    return "\n".join([*lines, *(f"  - {one}" for one in found.problems)])


def _column_lines(found: Checkup) -> list[str]:
    shown_ones = found.columns[:MOST_SHOWN]
    width = max(6, *(len(words.name(one.name)) for one in shown_ones)) + 2
    lines = [f"  {'column':<{width}}{'kind':<13}{'different':>10}{'missing':>10}"]
    lines += [
        f"  {words.name(one.name):<{width}}{one.kind:<13}{one.distinct:>10,}{one.missing:>10,}"
        for one in shown_ones
    ]
    hidden = len(found.columns) - len(shown_ones)
    return [*lines, *([f"  and {counted(hidden, 'more column')}"] if hidden else [])]
