"""The smallest change of one column that gives a row another prediction: `flips(model, row)`."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.data.table import Table
from silva.errors import DataError, PlanError
from silva.inspect.importance import columns_used
from silva.inspect.plane.regions import is_axis_parallel
from silva.inspect.record import plain, to_frame
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.subject import Subject, one_tree
from silva.messages import counted
from silva.notebook import ShownAsText
from silva.tree import decision, route, stats, words
from silva.tree.numerals import Short
from silva.tree.tree import Tree

SHOWN_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Flip:
    """A change of one column after which the model predicts something else.

    `value` is the nearest such number (dates and times count in units of their column), or a level;
    `words` names the limit that it passes: `age below 42.5`, `age 42.5 or more`. `distance` is how
    far the number moves, or how many steps an ordinal level does; None for other levels and where
    the row has no known value. `spreads` is the distance over the standard deviation of the column
    in training, None where that is unknown or 0. `node` is where the row then ends.
    """

    column: str
    value: Any
    words: str
    distance: float | None
    spreads: float | None
    prediction: Any
    node: int

    def __str__(self) -> str:
        return f"{self.words} -> {_told(self.prediction)}{self._moves()}"

    def _moves(self) -> str:
        if self.distance is None:
            return ""
        if self.spreads is None:
            return f" (moves by {_short(self.distance)})"
        return f" (moves by {_short(self.distance)}, {_short(self.spreads)} spreads)"


@dataclass(frozen=True, eq=False)
class Flips(ShownAsText):
    """All changes of one column that flip the prediction of a row. See `flips`.

    `prediction` and `node` are those of the row as it is; `best` is the smallest change, None where
    no single column can change the prediction.
    """

    prediction: Any
    node: int
    changes: tuple[Flip, ...]
    best: Flip | None

    def __len__(self) -> int:
        return len(self.changes)

    def __getitem__(self, number: int) -> Flip:
        return self.changes[number]

    def __iter__(self) -> Iterator[Flip]:
        return iter(self.changes)

    def to_dict(self) -> dict[str, Any]:
        """The changes as plain values that JSON can hold."""
        return {
            "prediction": plain(self.prediction),
            "node": self.node,
            "changes": [plain(one) for one in self.changes],
            "best": plain(self.best),
        }

    def to_frame(self) -> Any:
        """A data frame with a line for each change; values and predictions as text."""
        columns = {name: [getattr(one, name) for one in self.changes] for name in Flip.__slots__}
        texts = {name: [str(one) for one in columns[name]] for name in ("value", "prediction")}
        return to_frame({**columns, **texts})

    def __str__(self) -> str:
        if self.best is None:
            return f"{_told(self.prediction)}, and no change of one column alone changes that."
        lines = [f"{_told(self.prediction)}; the smallest change of one column that flips it:"]
        lines.append(f"  {self.best}")
        others = [f"  {one}" for one in self.changes if one is not self.best]
        return "\n".join([*lines, *(["Other changes of one column:"] if others else []), *others])


def flips(model: Any, row: Any) -> Flips:
    """Find the smallest changes of one column that give a row another prediction.

    All other values stay as they are. A number has at most two entries, the nearest value below and
    the nearest value above that change the prediction; an ordinal level likewise, in steps; every
    other level that changes it is an entry. Where the row lacks the value, entries are the known
    values that change the prediction.

    Parameters
    ----------
    model : estimator, Tree or Pipeline
        A fitted model of one tree, whose splits ask about one column each and whose leaves predict
        a constant.
    row : table or row
        One row, as the model's `predict` takes it or by itself: a dict, a row of a pandas or polars
        table, or a list of its values.

    Returns
    -------
    Flips
        A sequence of `Flip`, by column; the smallest change of a column comes first.

    Raises
    ------
    PlanError
        If the model has several trees, splits of several columns, or models in its leaves.
    DataError
        If `row` is not one row.

    Notes
    -----
    `best` is the number that moves by the fewest spreads if that is less than one, else the first
    change of a level, else the number with the fewest spreads, else numbers without known spreads,
    else values that the row lacks; ties go to the first column.

    Examples
    --------
    >>> import silva
    >>> model = silva.TreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> print(silva.inspect.flips(model, [[3.5]]).best)
    x0 below 2.5 -> no (moves by 1, 0.8944 spreads)
    """
    subject = one_tree(model, "the search for a change that flips a prediction")
    _check_tree(subject.tree())
    table = subject.rows_to_explain(row)
    if table.n_rows != 1:
        raise DataError(
            f"row has {counted(table.n_rows, 'row')}: give one row, such as X[3:4], to see what"
            " would change its prediction."
        )
    return _Search(subject, table).flips()


def _check_tree(tree: Tree) -> None:
    if not is_axis_parallel(tree):
        raise PlanError(
            "the tree has oblique or distance splits, which compare several columns at once: the"
            " smallest change of one column is found for splits of one column only."
        )
    if tree.linear is not None:
        raise PlanError(
            "the leaves of the tree are linear models, whose predictions change with every value:"
            " the smallest change is found for constant leaves only."
        )


Ranked = tuple[tuple[int, float], Flip]
"""A change and what orders it among those of all columns, the best first."""

FEW_SPREADS, LEVEL, MANY_SPREADS, NO_SPREADS, NOT_KNOWN = range(5)


class _Search:
    """The changes of one row, column by column."""

    def __init__(self, subject: Subject, row: Table) -> None:
        self._tree, self._row, self._facts = subject.tree(), row, subject.facts
        self._lexicon = Lexicon(subject.schema)
        self._labels = subject.labels
        nodes, predicted = self._predicted(0, row.columns[0])
        self._node, self._now = nodes[0], predicted[0]

    def flips(self) -> Flips:
        found = [one for number in columns_used(self._tree).tolist() for one in self._of(number)]
        best = min(found, key=lambda one: one[0])[1] if found else None
        changes = tuple(change for _, change in found)
        return Flips(self._label(self._now), self._node, changes, best)

    def _of(self, number: int) -> list[Ranked]:
        """The changes of a column, the smallest first."""
        if self._row.schema.columns[number].levels is not None:
            return self._levels(number)
        value = float(self._row.columns[number][0])
        return self._unknown(number) if math.isnan(value) else self._numbers(number, value)

    def _predicted(self, number: int, values: Any) -> tuple[list[int], list[Any]]:
        """Node and class code (or number) of the row for each of these values of a column."""
        columns = [column.repeat(len(values)) for column in self._row.columns]
        columns[number] = np.asarray(values)
        nodes = route.leaves(self._tree, Table(self._row.schema, tuple(columns), len(values)))
        if self._labels is None:
            return nodes.tolist(), stats.node_mean(self._tree, nodes).tolist()
        return nodes.tolist(), decision.node_codes(self._tree, nodes).tolist()

    def _label(self, prediction: Any) -> Any:
        return prediction if self._labels is None else self._labels[prediction]

    def _pieces(self, number: int) -> tuple[list[float], list[int], list[Any]]:
        """The thresholds of a column, and what is predicted below, between and above them."""
        limits = _limits(self._tree, number)
        first = _below(limits[0]) if limits else self._middle(number)
        return limits, *self._predicted(number, [first, *limits])

    def _middle(self, number: int) -> float:
        """The mean in training; 0 where nobody knows it."""
        mean = math.nan if self._facts is None else float(self._facts.mean[number])
        return mean if math.isfinite(mean) else 0.0

    def _numbers(self, number: int, value: float) -> list[Ranked]:
        """The nearest values on both sides that change the prediction."""
        limits, nodes, predicted = self._pieces(number)
        here = sum(limit <= value for limit in limits)
        lower = next((at for at in reversed(range(here)) if predicted[at] != self._now), None)
        upper = next((at for at in range(here, len(predicted)) if predicted[at] != self._now), None)
        found = []
        if lower is not None:
            to, said = _below(limits[lower]), self._side(number, None, limits[lower])
            found.append(self._moved(number, to, said, value - to, nodes[lower], predicted[lower]))
        if upper is not None:
            to = limits[upper - 1]
            said = self._side(number, to, None)
            found.append(self._moved(number, to, said, to - value, nodes[upper], predicted[upper]))
        return sorted(found, key=lambda one: one[1].distance or 0.0)

    def _moved(
        self, number: int, to: float, said: str, distance: float, node: int, predicted: Any
    ) -> Ranked:
        deviation = math.nan if self._facts is None else float(self._facts.deviation[number])
        spreads = distance / deviation if deviation > 0.0 else None
        change = self._flip(number, to, said, node, predicted, distance, spreads)
        if spreads is None:
            return (NO_SPREADS, 0.0), change
        return (FEW_SPREADS if spreads < 1.0 else MANY_SPREADS, spreads), change

    def _unknown(self, number: int) -> list[Ranked]:
        """The stretches of numbers that change the prediction of a row that has none."""
        limits, _, predicted = self._pieces(number)
        found: list[Ranked] = []
        for first, last in _runs(predicted):
            if predicted[first] == self._now:
                continue
            low = limits[first - 1] if first else None
            high = limits[last] if last < len(limits) else None
            to = low if low is not None else self._middle(number) if high is None else _below(high)
            node = self._predicted(number, [to])[0][0]
            change = self._flip(number, to, self._side(number, low, high), node, predicted[first])
            found.append(((NOT_KNOWN, 0.0), change))
        return found

    def _side(self, number: int, low: float | None, high: float | None) -> str:
        """The values from `low` to below `high` in words."""
        column = self._row.schema.columns[number]
        start, end = (None if one is None else words.quantity(column, one) for one in (low, high))
        name = self._lexicon.names[number]
        if start is None:
            return f"{name} known" if end is None else f"{name} below {end}"
        return f"{name} {start} or more" if end is None else f"{name} {start} to below {end}"

    def _levels(self, number: int) -> list[Ranked]:
        column = self._row.schema.columns[number]
        nodes, predicted = self._predicted(number, np.arange(column.n_levels, dtype=np.int32))
        codes = [code for code, one in enumerate(predicted) if one != self._now]
        now = int(self._row.columns[number][0])
        steps = column.kind == "ordinal" and now >= 0
        rank = (LEVEL if now >= 0 else NOT_KNOWN, 0.0)
        return [
            (rank, self._level(number, code, nodes[code], predicted[code], now if steps else None))
            for code in (_nearest(codes, now) if steps else codes)
        ]

    def _level(self, number: int, code: int, node: int, predicted: Any, now: int | None) -> Flip:
        level = (self._row.schema.columns[number].levels or ())[code]
        said = f"{self._lexicon.names[number]} = {self._lexicon.levels(number)[code]}"
        distance = None if now is None else float(abs(code - now))
        return self._flip(number, level, said, node, predicted, distance)

    def _flip(
        self,
        number: int,
        value: Any,
        said: str,
        node: int,
        predicted: Any,
        distance: float | None = None,
        spreads: float | None = None,
    ) -> Flip:
        name = self._row.schema.columns[number].name
        return Flip(name, value, said, distance, spreads, self._label(predicted), node)


def _limits(tree: Tree, number: int) -> list[float]:
    """The thresholds of a column, ascending; no number is below minus infinity."""
    own = np.unique(tree.thresholds.threshold[tree.thresholds.column == number])
    return [float(one) + 0.0 for one in own if one > -math.inf]


def _below(limit: float) -> float:
    return math.nextafter(limit, -math.inf)


def _runs(predicted: list[Any]) -> Iterator[tuple[int, int]]:
    """The first and the last place of neighbours that are the same."""
    first = 0
    for at in range(1, len(predicted) + 1):
        if at == len(predicted) or predicted[at] != predicted[first]:
            yield first, at - 1
            first = at


def _nearest(codes: list[int], now: int) -> list[int]:
    """The last code below and the first above, the nearer first."""
    found = [max((code for code in codes if code < now), default=None)]
    found.append(min((code for code in codes if code > now), default=None))
    return sorted((code for code in found if code is not None), key=lambda code: abs(code - now))


def _told(prediction: Any) -> str:
    if isinstance(prediction, float):
        return words.prediction(prediction, Short({}))
    return words.value(prediction)


def _short(value: float) -> str:
    return words.number(value, SHOWN_DIGITS)
