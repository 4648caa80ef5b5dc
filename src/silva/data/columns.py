"""Which column is which: their names, the ones to treat as categories, their match at predict."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from silva.data.raw import Frame, plain_level
from silva.data.schema import Level, Schema
from silva.errors import DataError, SilvaError, warn
from silva.messages import listed, nearest, shown

Levels = tuple[Level, ...] | None

_NAMING = (
    *("columns", "column_names", "__arrow_c_stream__", "__arrow_c_array__"),
    *("keys", "_fields"),
)
"""What classes of tables and of rows with named columns have; looked up, never called."""


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


def chosen_categories(choice: Any, names: Sequence[str]) -> dict[int, Levels]:
    """The columns that `categorical_features` names, by number, with their levels if it has them.

    It is None or "from_dtype" (none beyond what the dtypes say), a boolean mask, names and
    indices, or a mapping from these to the list of levels (or None: those that occur).
    """
    if choice is None or (isinstance(choice, str) and choice == "from_dtype"):
        return {}
    if isinstance(choice, Mapping):
        by_number = numbered(choice, names, "categorical_features")
        return {number: _levels(names[number], levels) for number, levels in by_number.items()}
    wanted = choice.tolist() if hasattr(choice, "tolist") else choice
    if isinstance(wanted, str) or not isinstance(wanted, Iterable):
        raise _not_a_choice(wanted, names)
    wanted = list(wanted)
    if wanted and all(isinstance(item, bool | np.bool_) for item in wanted):
        return _masked(wanted, len(names))
    return {column_number(item, names, "categorical_features"): None for item in wanted}


def _levels(column: object, levels: Any) -> Levels:
    """The levels as plain values; a list with a missing or repeated value is refused."""
    if levels is None:
        return None
    if isinstance(levels, str | Set | Mapping) or not isinstance(levels, Iterable):
        raise DataError(
            f"categorical_features[{column!r}]={shown(levels)} is not a list of category values; "
            "give a list such as ['red', 'green'], or None to take the values that occur"
        )
    plain = [plain_level(level) for level in levels]
    known = [level for level in plain if level is not None]
    repeated = [level for level, count in Counter(known).items() if count > 1]
    if len(known) < len(plain) or repeated or not known:
        seen = f"{listed(repeated)} more than once" if repeated else "a missing value or nothing"
        raise DataError(
            f"categorical_features[{column!r}] lists {seen}; give each category value once"
        )
    return tuple(known)


def _not_a_choice(choice: object, names: Sequence[str]) -> DataError:
    single = choice in names or isinstance(choice, int)
    hint = f"; did you mean categorical_features=[{shown(choice)}]?" if single else ""
    return DataError(
        f"categorical_features={shown(choice)} is not understood: it is 'from_dtype', None, a "
        "boolean mask, a list of names or indices of columns, or a mapping from them to levels"
        f"{hint}"
    )


def _masked(mask: Sequence[bool], n_columns: int) -> dict[int, Levels]:
    if len(mask) != n_columns:
        raise DataError(
            f"categorical_features is a mask of {len(mask)} booleans, the table has {n_columns} "
            "columns; give one boolean per column, or names or indices"
        )
    return {i: None for i, chosen in enumerate(mask) if chosen}


def column_number(
    item: object, names: Sequence[str], parameter: str, error: type[SilvaError] = DataError
) -> int:
    """The number of the column that a parameter names by its name or its index."""
    if isinstance(item, str):
        if item in names:
            return names.index(item)
        raise error(f"{parameter} names {item!r}, {_unknown(item, names)}")
    if isinstance(item, int | np.integer) and not isinstance(item, bool):
        if 0 <= item < len(names):
            return int(item)
        raise error(
            f"{parameter} has the index {shown(item)}, the table has columns 0 to "
            f"{len(names) - 1}; give an index in that range or a column's name"
        )
    raise error(
        f"{parameter} has {shown(item)} of type {type(item).__name__}; give names or indices of "
        "columns"
    )


def numbered(
    choices: Mapping[Any, Any],
    names: Sequence[str],
    parameter: str,
    error: type[SilvaError] = DataError,
) -> dict[int, Any]:
    """Choices for columns by the columns' numbers; two choices for one column are refused."""
    found: dict[int, Any] = {}
    for item, choice in choices.items():
        number = column_number(item, names, parameter, error)
        if number in found:
            raise error(
                f"{parameter} names the column {names[number]!r} twice, by name and by index "
                f"({number}); give one choice for it"
            )
        found[number] = choice
    return found


def _unknown(name: str, names: Sequence[str]) -> str:
    near = nearest(name, names)
    if near is not None:
        return f"which is not a column of the table; did you mean {near!r}?"
    return f"which is not a column of the table; its columns are {listed(names)}"


def table_has_names(data: Any) -> bool:
    """Whether a container names its columns, if only by the numbers that pandas makes up."""
    if isinstance(data, np.ndarray):
        return data.dtype.names is not None
    row = data[0] if isinstance(data, list) and data else data
    is_named = any(hasattr(type(row), attribute) for attribute in _NAMING)
    return is_named and not hasattr(type(row), "tocsr")


def are_numbers(names: Iterable[object]) -> bool:
    """Whether the names are 0, 1, 2, ..., which pandas makes up where it is given none."""
    return all(str(name) == str(number) for number, name in enumerate(names))


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
            f"the table lacks the {_columns(absent)} that the model was trained on{hint}"
        )
    if extra:
        were = "was" if len(extra) == 1 else "were"
        warn(f"the {_columns(extra)} {were} not there in training and will not be used")


def _columns(names: Sequence[str]) -> str:
    return f"{'column' if len(names) == 1 else 'columns'} {listed(names)}"
