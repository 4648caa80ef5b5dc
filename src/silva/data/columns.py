"""Which column is which: their names, the ones to treat as categories, their match at predict."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from silva.data.names import listed, nearest
from silva.data.raw import Frame
from silva.data.schema import Schema
from silva.errors import DataError, warn


def unique_names(labels: Iterable[object]) -> tuple[str, ...]:
    """The labels as text; labels that read the same are refused."""
    names = tuple(str(label) for label in labels)
    if len(set(names)) == len(names):
        return names
    repeated = [name for name, count in Counter(names).items() if count > 1]
    raise DataError(
        f"the column names {listed(repeated)} occur more than once (names are compared as text). "
        "Rename or drop the repeated columns"
    )


def chosen_categories(choice: Any, names: Sequence[str]) -> frozenset[int]:
    """The columns that `categorical_features` names, by number.

    It is None or "from_dtype" (none beyond what the dtypes say), a boolean mask, or names and
    indices.
    """
    if choice is None or (isinstance(choice, str) and choice == "from_dtype"):
        return frozenset()
    wanted = choice.tolist() if hasattr(choice, "tolist") else choice
    if isinstance(wanted, str) or not isinstance(wanted, Iterable):
        raise _not_a_choice(wanted, names)
    wanted = list(wanted)
    if wanted and all(isinstance(item, bool | np.bool_) for item in wanted):
        return _masked(wanted, len(names))
    return frozenset(_position(item, names) for item in wanted)


def _not_a_choice(choice: object, names: Sequence[str]) -> DataError:
    single = choice in names or isinstance(choice, int)
    hint = f"; did you mean categorical_features=[{choice!r}]?" if single else ""
    return DataError(
        f"categorical_features={choice!r} is not understood: it is 'from_dtype', None, a boolean "
        f"mask, or a list of names or indices of columns{hint}"
    )


def _masked(mask: Sequence[bool], n_columns: int) -> frozenset[int]:
    if len(mask) != n_columns:
        raise DataError(
            f"categorical_features is a mask of {len(mask)} booleans, the table has {n_columns} "
            "columns; give one boolean per column, or names or indices"
        )
    return frozenset(i for i, chosen in enumerate(mask) if chosen)


def _position(item: object, names: Sequence[str]) -> int:
    if isinstance(item, str):
        if item in names:
            return names.index(item)
        raise DataError(f"categorical_features names {item!r}, {_unknown(item, names)}")
    if isinstance(item, int | np.integer) and not isinstance(item, bool):
        if 0 <= item < len(names):
            return int(item)
        raise DataError(
            f"categorical_features has the index {item}, the table has columns 0 to "
            f"{len(names) - 1}; give an index in that range or a column's name"
        )
    raise DataError(
        f"categorical_features has {item!r} of type {type(item).__name__}; "
        "give names or indices of columns, or one boolean per column"
    )


def _unknown(name: str, names: Sequence[str]) -> str:
    near = nearest(name, names)
    if near is not None:
        return f"which is not a column of the table; did you mean {near!r}?"
    return f"which is not a column of the table; its columns are {listed(names)}"


def matched_columns(frame: Frame, schema: Schema) -> Sequence[int]:
    """For each column of the schema, the number of the frame's column that fills it.

    By name when both sides have names, else by position. Columns that the schema does not know
    are warned about and left alone.
    """
    if frame.names is None or not schema.named:
        if frame.n_columns != len(schema):
            raise DataError(
                f"the table has {frame.n_columns} columns, the model was trained on {len(schema)}; "
                f"give the columns {listed(schema.names)} in this order"
            )
        return range(len(schema))
    if frame.names == schema.names:
        return range(len(schema))
    position = {name: i for i, name in enumerate(frame.names)}
    _check_names(frame.names, schema.names)
    return [position[name] for name in schema.names]


def _check_names(given: Sequence[str], trained: Sequence[str]) -> None:
    present, known = set(given), set(trained)
    absent = [name for name in trained if name not in present]
    extra = [name for name in given if name not in known]
    if absent:
        near = nearest(absent[0], extra)
        hint = f"; was {near!r} meant to be {absent[0]!r}?" if near is not None else ""
        raise DataError(
            f"the table lacks the columns {listed(absent)} that the model was trained on{hint}"
        )
    if extra:
        warn(f"the columns {listed(extra)} were not there in training and are not used")
