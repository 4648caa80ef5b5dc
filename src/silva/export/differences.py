"""Where two models differ, as text."""

from collections.abc import Sequence
from typing import Any

from silva.inspect.model_differences import NOT_SET, Difference, Differences
from silva.messages import counted
from silva.tree import words

MOST_SHOWN = 20


def differences_text(found: Differences) -> str:
    """What `print(differences)` shows."""
    if found.same and not (found.facts or found.parameters):
        return "the models are the same"
    lines = [f"{one.what}: A {one.a}, B {one.b}" for one in found.facts]
    lines += [f"{one.what}: A {_set(one.a)}, B {_set(one.b)}" for one in found.parameters]
    lines.append(_split_words(found))
    return "\n".join([*lines, *_importance_lines(found.importances)])


def _set(value: Any) -> str:
    return value if value is NOT_SET else repr(value)


def _split_words(found: Differences) -> str:
    if found.split is None:
        return "the trees are the same" if found.same else "all trees ask the same questions"
    one = found.split
    place = " and ".join(one.path) or "the root"
    of_tree = f" of tree {one.tree}" if one.tree else ""
    return f"first difference{of_tree}, at {place}: A: {one.a}; B: {one.b}"


def _importance_lines(found: Sequence[Difference]) -> list[str]:
    shown = [one for one in found if one.a != one.b][:MOST_SHOWN]
    if not shown:
        return []
    width = max(6, *(len(words.name(one.what)) for one in shown)) + 2
    lines = ["share of each column in the gain on training rows:"]
    lines.append(f"  {'column':<{width}}{'A':>8}{'B':>8}")
    for one in shown:
        cells = "".join(f"{'-' if cell is None else f'{cell:.1%}':>8}" for cell in (one.a, one.b))
        lines.append(f"  {words.name(one.what):<{width}}{cells}")
    hidden = len(found) - len(shown)
    return [*lines, *([f"  {counted(hidden, 'other column')} not shown"] if hidden else [])]
