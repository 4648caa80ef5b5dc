"""What a fitted model is: its kind, parameters, columns, classes and size, as one record."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from types import NoneType
from typing import Any

import numpy as np

from silva import notebook
from silva.data.column_facts import ColumnFacts
from silva.data.schema import Column
from silva.data.table import Task
from silva.inspect.record import plain
from silva.inspect.subject import Subject, subject_of, unwrapped
from silva.inspect.summary import depth
from silva.notebook import ShownAsText
from silva.tree import words
from silva.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """One column: its kind, levels, and what is known of its training values (None: nothing).

    `low` and `high` are numbers, or times as text; `missing` counts training rows.
    """

    name: str
    kind: str
    levels: tuple[Any, ...] | None = None
    low: Any = None
    high: Any = None
    mean: Any = None
    missing: int | None = None

    def __str__(self) -> str:
        return notebook.printers["column_info"](self)


@dataclass(frozen=True, slots=True)
class ModelInfo(ShownAsText):
    """What a model is. See `model_info`.

    `parameters` are those that differ from their defaults; `fitted` is its summary in words, empty
    for a bare tree. `leaves` and `depth` are those of the largest and the deepest tree.
    """

    kind: str
    task: Task
    criterion: str
    trees: int
    leaves: int
    depth: int
    parameters: dict[str, Any]
    columns: tuple[ColumnInfo, ...]
    named: bool
    classes: tuple[Any, ...]
    edits: tuple[str, ...]
    fitted: str

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values that JSON can hold."""
        found = {name: plain(getattr(self, name)) for name in self.__slots__}
        chosen = {name: plain_parameter(value) for name, value in self.parameters.items()}
        return found | {"parameters": chosen}

    def __str__(self) -> str:
        return notebook.printers["model_info"](self)


def model_info(model: Any) -> ModelInfo:
    """Collect what a fitted model or a `Tree` is.

    Parameters
    ----------
    model : fitted estimator, Tree or Pipeline
        Any model of silva.

    Returns
    -------
    ModelInfo
    """
    subject = subject_of(model)
    sizes = [(tree.n_leaves, depth(tree)) for tree in subject.trees()]
    leaves, depths = zip(*sizes, strict=True)
    first = subject.tree()
    return ModelInfo(
        kind=subject.title,
        task=subject.task,
        criterion=first.criterion,
        trees=len(sizes),
        leaves=max(leaves),
        depth=max(depths),
        parameters=chosen_parameters(model),
        columns=_columns(subject),
        named=subject.schema.named,
        classes=() if subject.classes is None else tuple(subject.classes.tolist()),
        edits=tuple(map(str, first.edits)) if len(sizes) == 1 else (),
        fitted=_fitted(unwrapped(model)[0]),
    )


def chosen_parameters(model: Any) -> dict[str, Any]:
    """The parameters of an estimator that differ from their defaults."""
    if isinstance(model, Tree):
        return {}
    model = unwrapped(model)[0]
    usual = type(model)().get_params(deep=False)
    return {
        name: value
        for name, value in model.get_params(deep=False).items()
        if name not in usual or repr(value) != repr(usual[name])
    }


def plain_parameter(value: Any) -> Any:
    """A parameter as JSON can hold it: settings and estimators by their names and fields."""
    if is_dataclass(value) and not isinstance(value, type):
        own = {field.name: getattr(value, field.name) for field in fields(value)}
        return {"name": type(value).__name__, **_plain_parameters(own)}
    if hasattr(value, "get_params") and not isinstance(value, type):
        return {"name": type(value).__name__, **_plain_parameters(chosen_parameters(value))}
    if isinstance(value, Mapping):
        return _plain_parameters(value)
    if isinstance(value, list | tuple):
        return [plain_parameter(one) for one in value]
    found = plain(value)
    return found if isinstance(found, NoneType | bool | int | float | str | list) else repr(value)


def _plain_parameters(values: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): plain_parameter(value) for name, value in values.items()}


def _columns(subject: Subject) -> tuple[ColumnInfo, ...]:
    facts: ColumnFacts | None = subject.facts
    return tuple(_column(one, facts, place) for place, one in enumerate(subject.schema.columns))


def _column(column: Column, facts: ColumnFacts | None, place: int) -> ColumnInfo:
    kind = column.kind if column.time is None else column.time.sort
    if facts is None:
        return ColumnInfo(column.name, kind, column.levels)
    found = (getattr(facts, name)[place] for name in ("low", "high", "mean"))
    low, high, mean = (_value(column, float(one)) for one in found)
    missing = int(facts.missing[place])
    return ColumnInfo(column.name, kind, column.levels, low, high, mean, missing)


def _value(column: Column, number: float) -> Any:
    if np.isnan(number):
        return None
    return number if column.time is None else words.quantity(column, number)


def _fitted(model: Any) -> str:
    try:
        return str(getattr(model, "summary_", ""))
    except AttributeError:
        return ""
