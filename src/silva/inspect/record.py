"""What records of reasons share: plain values for other programs, frames, HTML for notebooks."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from silva.errors import DataError

BACKENDS: tuple[Literal["pandas", "polars", "pyarrow"], ...] = ("pandas", "polars", "pyarrow")


def plain(value: Any) -> Any:
    """The value as JSON can hold it: dicts, lists, text, numbers; None where a float is no number.

    Fields of dataclasses whose names begin with an underscore are left out.
    """
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        named = (field.name for field in fields(value) if not field.name.startswith("_"))
        return {name: plain(getattr(value, name)) for name in named}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return [plain(one) for one in sorted(value)]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def to_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """The columns as a data frame of the first library that is installed: pandas, polars, pyarrow.

    Raises DataError where none is.
    """
    backend = next((name for name in BACKENDS if find_spec(name)), None)
    if backend is None:
        raise DataError(
            "a frame needs pandas, polars or pyarrow: install one of them, or use to_dict()."
        )
    import narwhals as nw

    return nw.from_dict(dict(columns), backend=backend).to_native()


def html_table(head: Sequence[str], lines: Iterable[Sequence[str]], note: str = "") -> str:
    """A table for a notebook; every cell is escaped."""
    top = "".join(f"<th>{escape(one)}</th>" for one in head)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in line)}</tr>" for line in lines
    )
    below = f"<p>{escape(note)}</p>" if note else ""
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>{below}"
