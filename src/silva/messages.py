"""Words for messages: a few of many names, the name that was likely meant, counts."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def listed(names: Sequence[object], most: int = 10) -> str:
    """The first names, quoted, and how many more there are."""
    return first_of([*map(repr, names[:most])], len(names))


def first_of(told: Sequence[str], total: int, between: str = ", ") -> str:
    """What is told of some, and how many more there are."""
    more = f" and {total - len(told)} more" if total > len(told) else ""
    return between.join(told) + more


def nearest(name: object, known: Iterable[str]) -> str | None:
    """The known name that is spelt most like `name`, whatever the case; None if none is close."""
    if not isinstance(name, str):
        return None
    by_lower = {one.lower(): one for one in known}
    near = get_close_matches(name.lower(), by_lower, n=1)
    return by_lower[near[0]] if near else None


def counted(count: int, noun: str, plural: str = "") -> str:
    """A number with its noun: 1 row, 2,000 rows."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def shown(value: object, most: int = 100) -> str:
    """A value as Python writes it, on one line; of a long text the beginning."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python does not write out integers of very many digits
        return f"a value of type {type(value).__name__} that is too long to print"
    return text if len(text) <= most else f"{text[:most]}..."
