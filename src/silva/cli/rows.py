"""Rows for saved models: columns read as in training, with a target and weights beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.cli.answers import Wishes, renaming_hint, wish_for
from silva.cli.tables import nulls
from silva.cli.tables.options import TableOptions
from silva.cli.tables.read import DataFile, read_data, read_table
from silva.cli.tables.wishes import Wish
from silva.cli.terminal import warn, working
from silva.data.frames.column_table import ColumnTable
from silva.data.notation import are_mixed
from silva.data.schema import Column
from silva.errors import DataError
from silva.inspect.subject import Subject, subject_of
from silva.messages import first_of, listed, nearest, shown

MOST_LISTED = 4


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """One table for each model, and the target and weights of the rows (None: not asked for)."""

    tables: tuple[ColumnTable, ...]
    target: Any = None
    weights: Any = None


def read_rows(
    models: Sequence[Any],
    path: str,
    reading: TableOptions,
    target: str | None = None,
    weight: str | None = None,
) -> LabelledRows:
    """Read a file for one or more models."""
    with working(f"reading {path}"):
        subjects = [subject_of(model) for model in models]
        _refuse_input(subjects, target)
        others = _others(subjects[0], target, weight)
        names = [_names(one, path, reading, others) for one in subjects]
        wanted = others | _wanted(subjects, names)
        data = read_data(path, reading, wanted, list(wanted), target)
    _check(data, path, target, weight, wanted)
    if target is not None:
        warn_of_missing(data, target)
    if not data.n_rows:
        raise DataError(f"{path} has no rows below its header")
    return LabelledRows(
        tuple(data.table(one) for one in names),
        None if target is None else data.column(target),
        None if weight is None else np.asarray(data.column(weight)),
    )


def warn_of_missing(data: DataFile, target: str) -> None:
    """Say which words in the target were read as missing: one may be a class."""
    words = data.missing.get(target)
    if words:
        told = first_of(nulls.listed(words)[:MOST_LISTED], len(words))
        warn(
            f"the target {target!r} holds {told}, read as missing (--null {shown(target + '=')}"
            " reads all words in it as values)"
        )


def no_such(what: str, name: str, known: Sequence[str]) -> str:
    """That there is no such thing, and the likely or all known ones."""
    return f"there is no such {what}; {hint_of(name, known)}"


def hint_of(name: str, known: Sequence[str]) -> str:
    """The name that was likely meant, or all known ones."""
    near = nearest(name, known)
    return f"did you mean {near!r}?" if near is not None else f"known are {listed(known, 30)}"


def _refuse_input(subjects: Sequence[Subject], target: str | None) -> None:
    """A column that a model predicts from is not its target."""
    if any(one.schema.named and target in one.schema.names for one in subjects):
        raise DataError(
            f"--target {target!r} is a column that the model predicts from; name the column that"
            " it predicts"
        )


def _others(subject: Subject, target: str | None, weight: str | None) -> Wishes:
    """How target and weights are read: labels as the model knows them."""
    found: Wishes = {}
    if weight is not None:
        found[weight] = Wish("number")
    if target is not None:
        classes = () if subject.classes is None else tuple(subject.classes.tolist())
        found[target] = wish_for(Column(target, "categorical", classes or (0.0,)))
    return found


def _names(subject: Subject, path: str, reading: TableOptions, others: Wishes) -> tuple[str, ...]:
    """The columns of the file that are the model's; by their places if it knows no names."""
    if subject.schema.named:
        return subject.schema.names
    if path == "-":
        raise DataError(
            "the model knows no column names, so its columns go by their places in a file: write"
            " standard input to a file first"
        )
    names = tuple(name for name in read_table(path, reading).names if name not in others)
    if len(names) != len(subject.schema):
        raise DataError(
            f"{path} has {len(names)} columns beside target and weights, and the model needs"
            f" {len(subject.schema)}; it knows no names, so its columns go by their places"
        )
    return names


def _wanted(subjects: Sequence[Subject], names: Sequence[Sequence[str]]) -> Wishes:
    wanted: Wishes = {}
    for subject, own in zip(subjects, names, strict=True):
        for name, column in zip(own, subject.schema.columns, strict=True):
            wish = wish_for(column)
            wanted[name] = _joined(name, wanted.get(name, wish), wish)
    return wanted


def _joined(name: str, one: Wish, other: Wish) -> Wish:
    """How a column is read for two models."""
    units = [wish.unit for wish in (one, other) if wish.unit is not None]
    if one.kind != other.kind or are_mixed(units):
        told = [f"{wish.kind} {wish.unit or ''}".strip() for wish in (one, other)]
        raise DataError(
            f"the models read the column {name!r} in two ways, as {told[0]} and as {told[1]}:"
            " they cannot predict from one file"
        )
    return Wish(
        one.kind,
        one.decimal or other.decimal,
        max(units, default=None),
        one.levels | other.levels,
        one.is_whole and other.is_whole,
    )


def _check(
    data: DataFile, path: str, target: str | None, weight: str | None, wanted: Wishes
) -> None:
    for option, name in (("--target", target), ("--weight", weight)):
        if name is not None and name not in data.names:
            raise DataError(f"{option} {name!r}: {no_such('column', name, data.names)}")
    absent = next((name for name in wanted if name not in data.names), None)
    if absent is not None:
        unused = [name for name in data.names if name not in wanted]
        hint = renaming_hint(absent, unused)
        raise DataError(f"{path} lacks the column {absent!r} of the model{hint}")
