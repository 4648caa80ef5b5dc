"""Why rows got their predictions: facts of all at once, and the story of each when asked for."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from silva.data.table import Table
from silva.inspect.explain.contributions import Parts
from silva.inspect.explain.ensembles import ManyTrees
from silva.inspect.explain.explanation import Explanation
from silva.inspect.explain.single import OneTree
from silva.inspect.record import html_table, plain, to_frame
from silva.messages import counted
from silva.tree.lazy import lazy

MOST_PRINTED = 5
NOTHING = "no rows to explain"


@dataclass(frozen=True, eq=False, repr=False)
class Explanations(Sequence[Explanation]):
    """Why rows got their predictions: a sequence with an `Explanation` for each row.

    Nothing is computed before it is asked for. A slice gives the explanations of its rows.
    """

    _model: OneTree | ManyTrees
    _table: Table
    _rows: np.ndarray

    def __len__(self) -> int:
        return self._table.n_rows

    @overload
    def __getitem__(self, index: int) -> Explanation: ...

    @overload
    def __getitem__(self, index: slice) -> "Explanations": ...

    def __getitem__(self, index: int | slice) -> "Explanation | Explanations":
        if isinstance(index, slice):
            return self.take(np.arange(len(self))[index])
        try:
            place = range(len(self))[operator.index(index)]
        except IndexError:
            raise IndexError(f"row {index}: there are {counted(len(self), 'row')}") from None
        return self._model.explanation(self._table, place, int(self._rows[place]))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, as `contributions` has them."""
        return self._table.schema.names

    @property
    def classes(self) -> list[Any] | None:
        """The classes, as `contributions` has them; None for numbers."""
        return self._model.labels or None

    @lazy
    def prediction(self) -> np.ndarray:
        """What `predict` says of each row."""
        codes, values = self._predicted
        classes = self._model.classes
        return values[:, 0] if codes is None or classes is None else classes.take(codes)

    @lazy
    def shares(self) -> np.ndarray | None:
        """What is explained for each class: float64 (rows, classes); None for numbers."""
        codes, values = self._predicted
        return None if codes is None else values

    @lazy
    def baseline(self) -> np.ndarray | float:
        """What all rows start from: a number, or one for each class."""
        start = self._parts.start
        return start if self._model.labels else float(start[0])

    @lazy
    def contributions(self) -> np.ndarray:
        """What each column changed: float64 (rows, columns), for classes (rows, columns, classes).

        With `baseline` and `leaf_contributions`, the sum over the columns is `shares`, or for
        numbers `prediction`.
        """
        columns = self._parts.columns
        return columns if self._model.labels else columns[:, :, 0]

    @lazy
    def leaf_contributions(self) -> np.ndarray | None:
        """What linear models of leaves changed: (rows) or (rows, classes); None without any."""
        leaf = self._parts.leaf
        return leaf if leaf is None or self._model.labels else leaf[:, 0]

    def take(self, rows: Sequence[int] | np.ndarray) -> "Explanations":
        """The explanations of the rows at these places, which keep their numbers."""
        places = np.asarray(rows, dtype=np.int64)
        return Explanations(self._model, self._table.take(places), self._rows[places])

    def lines(self) -> list[str]:
        """One sentence for each row, after its number."""
        sentences = self._model.sentences(self._table) if len(self) else []
        pairs = zip(self._rows.tolist(), sentences, strict=True)
        return [f"row {row}: {sentence}" for row, sentence in pairs]

    def to_frame(self) -> Any:
        """One line for each row, in a frame of pandas, polars or pyarrow: the first installed."""
        codes, values = self._predicted
        every = np.arange(len(self))
        share = [None] * len(self) if codes is None else values[every, codes].tolist()
        told = {"prediction": self.prediction.tolist(), "share": share}
        return to_frame(told | self._model.frame(self._table) | self._contributed(codes))

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON can hold it."""
        return {"rows": [one.to_dict() for one in self], "columns": plain(self.columns)}

    def __str__(self) -> str:
        if len(self) == 1:
            return str(self[0])
        return "\n".join([*self._shown.lines(), *([self._more] if self._more else [])])

    def __repr__(self) -> str:
        return f"Explanations({counted(len(self), 'row')})"

    def _repr_html_(self) -> str:
        if len(self) == 1:
            return self[0]._repr_html_()
        lines = [tuple(line.removeprefix("row ").split(": ", 1)) for line in self._shown.lines()]
        return html_table(("row", "why"), lines, self._more)

    @property
    def _shown(self) -> "Explanations":
        """The rows that are printed: one more is shown, not counted."""
        return self if len(self) <= MOST_PRINTED + 1 else self[:MOST_PRINTED]

    @property
    def _more(self) -> str:
        """What follows the rows that are printed."""
        if not len(self):
            return NOTHING
        hidden = len(self) - len(self._shown)
        return f"and {counted(hidden, 'more row')}" if hidden else ""

    @lazy
    def _predicted(self) -> tuple[np.ndarray | None, np.ndarray]:
        return self._model.predicted(self._table)

    @lazy
    def _parts(self) -> Parts:
        return self._model.parts(self._table)

    def _contributed(self, codes: np.ndarray | None) -> dict[str, list[float]]:
        """The contributions of the columns that were used, towards the predicted class."""
        every, columns = np.arange(len(self)), self._parts.columns
        code = np.zeros(len(self), dtype=np.int64) if codes is None else codes
        told = {
            f"contribution of {self.columns[one]}": columns[every, one, code].tolist()
            for one in self._model.used
        }
        if self._parts.leaf is not None:
            told["leaf model contribution"] = self._parts.leaf[every, code].tolist()
        return told
