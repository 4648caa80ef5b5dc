"""What a fitted model is, as text."""

from typing import Any

from silva.inspect.info import ColumnInfo, ModelInfo
from silva.messages import counted
from silva.tree import words

MOST_LEVELS = 5


def info_text(info: ModelInfo) -> str:
    """What `print(silva.inspect.model_info(model))` shows."""
    chosen = ", ".join(f"{name}={value!r}" for name, value in info.parameters.items())
    size = f"{counted(info.leaves, 'leaf', 'leaves')}, depth {info.depth}"
    many = f"{counted(info.trees, 'tree')} of at most {size}"
    lines = [
        f"{info.kind}: {info.task} by {info.criterion}",
        f"size: {size if info.trees == 1 else many}",
        f"parameters: {chosen or 'all at their defaults'}",
    ]
    if info.classes:
        labels = words.listed(info.classes, 20, words.value)
        lines.append(f"classes: {labels}")
    note = "" if info.named else ", which had no names in training"
    lines.append(f"{counted(len(info.columns), 'column')}{note}:")
    lines += [f"  {column_text(column)}" for column in info.columns]
    lines += [f"edited: {edit}" for edit in info.edits]
    return "\n".join([*lines, *([info.fitted] if info.fitted else [])])


def column_text(info: ColumnInfo) -> str:
    """One column: its kind, its levels or range, and how many values are missing."""
    told = [info.kind]
    if info.levels is not None:
        told.append(f"{words.listed(info.levels, MOST_LEVELS, words.value)}")
    elif info.low is not None:
        told.append(f"{_told(info.low)} to {_told(info.high)}")
    if info.missing:
        told.append(f"{info.missing:,} missing")
    return f"{words.name(info.name)}: {', '.join(told)}"


def _told(value: Any) -> str:
    return words.number(value) if isinstance(value, float) else str(value)
