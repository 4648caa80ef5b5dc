"""The work behind `silva compare`."""

from typing import Any

import numpy as np

import silva
from silva.cli.answers import predicted_by
from silva.cli.output import require_output, say, say_json
from silva.cli.rows import LabelledRows, read_rows
from silva.cli.tables.options import TableOptions
from silva.data.target import bind_codes, bind_numbers
from silva.errors import DataError
from silva.inspect.model_differences import differences
from silva.inspect.paired_predictions import Paired, paired
from silva.inspect.predicted import Predicted
from silva.inspect.subject import Subject, subject_of


def print_comparison(
    a: str,
    b: str,
    data: str | None,
    target: str | None,
    weight: str | None,
    style: str,
    reading: TableOptions,
) -> None:
    """Load both, compare, read, predict, print."""
    require_output("the comparison")
    models = silva.load(a), silva.load(b)
    found = differences(*models)
    on_rows = None if data is None else _on_rows(models, data, target, weight, reading)
    if style == "json":
        told = None if on_rows is None else on_rows.to_dict()
        say_json({"a": a, "b": b, **found.to_dict(), "predictions": told})
        return
    lines = [f"A: {a}", f"B: {b}", str(found)]
    say("\n".join([*lines, *([] if on_rows is None else [str(on_rows)])]))


def _on_rows(
    models: tuple[Any, Any],
    data: str,
    target: str | None,
    weight: str | None,
    reading: TableOptions,
) -> Paired:
    one, other = (subject_of(model) for model in models)
    if one.task != other.task:
        raise DataError(
            f"A is for {one.task} and B for {other.task}: their predictions cannot be compared;"
            " leave DATA out"
        )
    rows = read_rows(models, data, reading, target, weight)
    found = [
        predicted_by(model, table, with_shares=target is not None)
        for model, table in zip(models, rows.tables, strict=True)
    ]
    if one.classes is not None:
        return _of_classes(one, other, found, rows)
    told_a, told_b = (answer.told for answer in found)
    truth = None if target is None else bind_numbers(rows.target, None, len(told_a)).values
    return paired("regression", told_a, told_b, truth, sample_weight=rows.weights)


def _of_classes(one: Subject, other: Subject, found: list[Predicted], rows: LabelledRows) -> Paired:
    """Labels as codes of the classes of both models, so that text and numbers compare."""
    assert one.classes is not None
    assert other.classes is not None
    if (one.classes.dtype.kind == "U") != (other.classes.dtype.kind == "U"):
        raise DataError(
            "the classes of one model are text and those of the other numbers: their predictions"
            " cannot be compared; leave DATA out"
        )
    classes = np.union1d(one.classes, other.classes)
    code_a, code_b = (bind_codes(answer.told, classes) for answer in found)
    if rows.target is None:
        return paired("classification", code_a, code_b)
    a, b = (
        _widened(answer.shares, subject.classes, classes)
        for answer, subject in zip(found, (one, other), strict=True)
    )
    return paired(
        *("classification", code_a, code_b, bind_codes(rows.target, classes)),
        shares=(a, b),
        classes=np.arange(len(classes)),
        sample_weight=rows.weights,
    )


def _widened(shares: Any, own: Any, classes: np.ndarray) -> np.ndarray:
    """Class probabilities with a column for each class of both models, 0 where one lacks it."""
    wide = np.zeros((len(shares), len(classes)))
    wide[:, np.searchsorted(classes, own)] = shares
    return wide
