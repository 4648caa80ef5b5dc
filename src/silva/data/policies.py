"""What becomes of missing and unseen values, for all columns or column by column.

The names are judged when a plan is made, the columns when a table is bound. The policy `error` is
kept here, at the door: a table with such a value is refused. Past the door it counts as `stop`.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from silva.data.by_column import ByColumn
from silva.data.columns import numbered
from silva.data.schema import MISSING_CODE, POLICIES, UNSEEN_CODE, Column, Schema
from silva.data.sparse import densified, stored
from silva.data.table import Table
from silva.errors import DataError, PlanError
from silva.messages import counted, listed, nearest, shown

MISSING_DEFAULT, UNSEEN_DEFAULT = "learn", "majority"


def checked_policies(parameter: str, choice: Any) -> str | ByColumn:
    """A policy name, or a frozen mapping from columns to policy names; PlanError otherwise."""
    if isinstance(choice, Mapping):
        for column, policy in choice.items():
            _check_policy(f"{parameter}[{column!r}]", policy)
        return choice if isinstance(choice, ByColumn) else ByColumn(choice)
    _check_policy(parameter, choice)
    return str(choice)


def are_default(missing: Any, unseen: Any) -> bool:
    """Whether both choices are the ones that a column has anyway."""
    return (
        type(missing) is str
        and missing == MISSING_DEFAULT
        and type(unseen) is str
        and unseen == UNSEEN_DEFAULT
    )


def with_policies(schema: Schema, missing: Any, unseen: Any) -> Schema:
    """The schema with these choices in its columns; unknown columns are refused by name."""
    by_missing = _of_columns("missing", missing, MISSING_DEFAULT, schema.names)
    by_unseen = _of_columns("unseen", unseen, UNSEEN_DEFAULT, schema.names)
    pairs = zip(schema.columns, by_missing, by_unseen, strict=True)
    return replace(schema, columns=tuple(replace(c, missing=m, unseen=u) for c, m, u in pairs))


def refuse_forbidden(table: Table) -> None:
    """Raise DataError for a missing value in a column whose policy for it is `error`.

    For training rows: they are never unseen.
    """
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        refuse_missing(column, values)


def refuse_missing(column: Column, values: np.ndarray) -> None:
    """Raise DataError for a missing value where the column's policy forbids it."""
    if column.missing == "error":
        _refuse(are_missing(column, values), column, "missing", lambda row: "is missing")


def refuse_unseen(column: Column, values: np.ndarray, value_at: Callable[[int], object]) -> None:
    """Raise DataError for an unseen value where the policy forbids it, with the value itself."""
    if column.unseen == "error" and column.kind != "continuous":
        told = "holds {!r}, a value that training did not see,"
        _refuse(values == UNSEEN_CODE, column, "unseen", lambda row: told.format(value_at(row)))


def are_missing(column: Column, values: np.ndarray) -> np.ndarray:
    """Where a column of a table has no value (bool)."""
    if column.kind != "continuous":
        return np.asarray(densified(values) == MISSING_CODE)
    if values.dtype.kind != "f" or not np.isnan(stored(values)).any():
        return np.zeros(len(values), bool)
    missing: np.ndarray = np.isnan(densified(values))
    return missing


def _refuse(
    forbidden: np.ndarray, column: Column, parameter: str, seen_in: Callable[[int], str]
) -> None:
    if not forbidden.any():
        return
    name, row = column.name, int(np.argmax(forbidden))
    rows = counted(int(np.count_nonzero(forbidden)), "such row")
    choice = f"{parameter}={{{name!r}: 'majority'}}"
    raise DataError(
        f"column {name!r} {seen_in(row)} in row {row} ({rows} in all), which the policy"
        f" {parameter}='error' forbids. Correct or drop these rows, or fit with another policy"
        f" for the column: {choice}; with a plan, set it there:"
        f" plan=dataclasses.replace(silva.ID3(), {choice})"
    )


def _of_columns(parameter: str, choice: Any, default: str, names: tuple[str, ...]) -> list[str]:
    checked = checked_policies(parameter, choice)
    if isinstance(checked, str):
        return [checked] * len(names)
    policies = [default] * len(names)
    for number, policy in numbered(checked, names, parameter, PlanError).items():
        policies[number] = policy
    return policies


def _check_policy(where: str, policy: Any) -> None:
    if isinstance(policy, str) and policy in POLICIES:
        return
    near = nearest(policy, POLICIES)
    hint = f" Did you mean {near!r}?" if near is not None else ""
    kind = "" if isinstance(policy, str) else f" ({type(policy).__name__})"
    raise PlanError(
        f"{where}={shown(policy)}{kind} is not possible: use one of {listed(POLICIES)}, or a"
        f" mapping from columns to them.{hint}"
    )
