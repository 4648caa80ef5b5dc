"""Rules of a model: a sequence that makes each rule when it is asked for, and predicts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from silva import notebook
from silva.data.schema import Schema
from silva.data.table import Table, Task
from silva.inspect.record import plain, to_frame
from silva.inspect.rules.evidence import Evidence, Figures
from silva.inspect.rules.lexicon import Style
from silva.inspect.rules.rule import Rule
from silva.inspect.subject import Subject
from silva.messages import counted
from silva.tree import words

ORDERS = ("support", "precision", "lift", "tree")


def order_of(order: str, figures: Sequence[Figures]) -> np.ndarray:
    """The places of all rules, the best first; of equals more rows first, then the first.

    By `support` (rows), `precision`, or `lift`; "tree" leaves them as they are.
    """
    rows = np.concatenate([one.rows for one in figures])
    if order == "tree":
        return np.arange(len(rows))
    keys = [-rows]
    if order != "support":
        found = np.concatenate([one.share if order == "precision" else one.lift for one in figures])
        keys.append(-np.nan_to_num(found, nan=-1.0))
    return np.lexsort(keys)


@dataclass(frozen=True, slots=True)
class Loss:
    """What a lossy simplification changed, on the rows that it was made with.

    `same` is the share of rows that get the tree's class; `tree` and `rules` are the accuracies.
    All by weight where rows are `weighted`.
    """

    rows: int
    weighted: bool
    same: float
    tree: float
    rules: float

    def __str__(self) -> str:
        by = "weighted " if self.weighted else ""
        return (
            f"on {counted(self.rows, 'row')}: {words.percent(self.same)} of the {by}rows get the"
            f" tree's class; {by}accuracy {self.rules:.4f}, the tree's is {self.tree:.4f}"
        )


class RuleList(Sequence[Rule]):
    """Rules of one model. See `silva.rules`.

    `note` says how the rules make a prediction together. `default` is the prediction of rows that
    satisfy no rule, None where every row satisfies one. `loss` is there for lossy lists.
    """

    def __init__(
        self,
        subject: Subject,
        title: str,
        note: str,
        style: Style,
        default: Any = None,
        loss: Loss | None = None,
    ) -> None:
        self.title, self.note, self.task = title, note, subject.task
        self.default, self.loss = default, loss
        self._subject, self._style = subject, style

    @property
    def schema(self) -> Schema:
        return self._style.lexicon.schema

    @overload
    def __getitem__(self, place: int) -> Rule: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Rule, ...]: ...

    def __getitem__(self, place: int | slice) -> Rule | tuple[Rule, ...]:
        if isinstance(place, slice):
            return tuple(self._rule(one) for one in range(*place.indices(len(self))))
        try:
            number = range(len(self))[place]
        except IndexError:
            raise IndexError(f"rule {place}: there are {counted(len(self), 'rule')}") from None
        return self._rule(number)

    def __iter__(self) -> Iterator[Rule]:
        return (self._rule(place) for place in range(len(self)))

    def _rule(self, place: int) -> Rule:
        raise NotImplementedError

    def table(self, X: Any) -> Table:
        """Rows as the model takes them."""
        return self._subject.table(X)

    def predict(self, X: Any) -> np.ndarray:
        """The prediction of each row, made from the rules alone."""
        raise NotImplementedError

    def __str__(self) -> str:
        return notebook.printers["rules"](self)

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'rule')} {self.title}>"

    def to_dict(self) -> dict[str, Any]:
        """All rules as plain values that JSON can hold."""
        return {
            "title": f"{counted(len(self), 'rule')} {self.title}",
            "note": self.note,
            "task": self.task,
            "rules": [rule.to_dict() for rule in self],
            "default": plain(self.default),
            "loss": plain(self.loss),
        }

    def to_frame(self) -> Any:
        """One line a rule: its words, prediction and figures (pandas, else polars or pyarrow)."""
        return to_frame(self.columns())

    def columns(self) -> dict[str, list[Any]]:
        """The columns of `to_frame` as lists."""
        rules = list(self)
        columns: dict[str, list[Any]] = {
            "rule": [rule.in_full().when for rule in rules],
            "prediction": [_cell(rule.prediction) for rule in rules],
        }
        for source in ("training", "given"):
            columns |= _figures(source, [getattr(rule, source) for rule in rules], self.task)
        if any(rule.tree is not None for rule in rules):
            columns["tree"] = [rule.tree for rule in rules]
            columns["vote"] = [rule.vote for rule in rules]
        columns["nodes"] = [" ".join(map(str, rule.nodes)) for rule in rules]
        return columns

    def _repr_html_(self) -> str:
        return notebook.painters["rules"](self)


def _cell(prediction: Any) -> Any:
    return prediction if isinstance(prediction, str | int | float | bool) else str(prediction)


def _figures(source: str, found: list[Evidence | None], task: Task) -> dict[str, list[Any]]:
    if all(one is None for one in found):
        return {}
    names = ["rows", "coverage", "weight", "weighted_coverage"]
    names += ["precision", "low", "high", "lift"] if task == "classification" else []
    names += ["mean", "deviation", "low", "high"] if task == "regression" else []
    start = "" if source == "training" else "given_"
    return {
        f"{start}{name}": [None if one is None else getattr(one, name) for one in found]
        for name in names
    }
