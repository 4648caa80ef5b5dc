"""How much each column matters to the model."""

from dataclasses import replace
from typing import Any

import numpy as np

from silva.errors import DataError
from silva.inspect.importance import impurity_importance
from silva.inspect.importances import MEANING, Importance
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.subject import Subject
from silva.page.payload.masking import shown_gains

MOST_COLUMNS = 200


def importances(
    subject: Subject, record: Importance | None = None, min_cell: int | None = None
) -> dict[str, Any]:
    """Columns by importance, the largest first; of equals the first column first.

    The share of the gain on training rows, of all trees by their votes, unless a `record` of
    `silva.importance` says something better. At most 200 columns are listed. With `min_cell`,
    only gains that the page shows count, and values have two decimals.
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            values = shares_of_gain(subject, min_cell) if record is None else record.values
    except DataError as error:
        return _unknown(str(error))
    if not np.isfinite(values).all():
        return _unknown("Importances are not known: gains are beyond float64.")
    if min_cell is not None:
        values = np.round(values, 2)
    order = np.argsort(-values, kind="stable")
    shown, names = order[:MOST_COLUMNS].tolist(), Lexicon(subject.schema).names
    hidden = len(order) - len(shown)
    return {
        "names": [names[column] for column in shown],
        "columns": shown,
        "values": values[shown].tolist(),
        "method": _method(subject) if record is None else f"{record.kind}: {record.meaning}",
        "note": f"The importances of {hidden:,} more columns, none of them larger, are left out."
        if hidden
        else "",
    }


def _unknown(note: str) -> dict[str, Any]:
    return {"names": [], "columns": [], "values": [], "method": "", "note": note}


def shares_of_gain(subject: Subject, min_cell: int | None = None) -> np.ndarray:
    """Each column's share of the gain, trees by their votes (float64); as the estimators have it.

    With `min_cell` the share of the gains that the page shows.

    Raises DataError where gains are beyond float64.
    """
    total = np.zeros(len(subject.schema))
    for tree, weight in zip(subject.trees(), subject.weights.tolist(), strict=True):
        shown = tree if min_cell is None else replace(tree, gain=shown_gains(tree, min_cell))
        total += weight * impurity_importance(shown)
    whole = total.sum()
    return total / whole if whole > 0 else total


def _method(subject: Subject) -> str:
    over = "" if len(subject) == 1 else f", mean of all {len(subject):,} trees"
    if subject.combiner == "boosted":
        over = f", of all {len(subject):,} trees by their votes"
    return f"{MEANING['impurity']}{over}; columns with many values are favoured"
