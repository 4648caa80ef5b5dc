"""One rule: conditions, a prediction, and what rows say about both."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from silva.data.bind import bind_prediction
from silva.data.schema import Schema
from silva.inspect.record import plain
from silva.inspect.rules.conditions import Condition, Interval, Joint
from silva.inspect.rules.evidence import Evidence
from silva.inspect.rules.formulas import Formula
from silva.inspect.rules.lexicon import Style
from silva.inspect.rules.matching import matching
from silva.inspect.rules.words import condition_words, conjunction
from silva.messages import counted
from silva.notebook import ShownAsText
from silva.tree import words
from silva.tree.numerals import plain_digits


@dataclass(frozen=True)
class Rule(ShownAsText):
    """`conditions -> prediction`, in the words of the table.

    `prediction` is a class label, a number, or a `Formula` of a linear leaf. `training` and `given`
    say what training rows and given rows have to do with the rule (None: not known). `tree` is the
    number of the tree, `vote` its share of the vote (1 for a single tree), `nodes` the nodes of the
    tree that the rule stands for. `stops`: the rule is of rows that a missing or unseen value ends
    at an inner node, whose training rows are counted in `training`.
    """

    conditions: tuple[Condition, ...]
    prediction: Any
    training: Evidence | None = None
    given: Evidence | None = None
    nodes: tuple[int, ...] = ()
    tree: int | None = None
    vote: float = 1.0
    stops: bool = False
    _style: Style = field(kw_only=True, repr=False, compare=False)

    @property
    def schema(self) -> Schema:
        return self._style.lexicon.schema

    @property
    def when(self) -> str:
        """The conditions in words."""
        return conjunction(self.conditions, self._style.lexicon, self._style.digits)

    @property
    def then(self) -> str:
        """The prediction in words."""
        told, target = prediction_words(self.prediction, self._style), self._style.target
        return f"{words.name(target)} {told}" if target else told

    def __str__(self) -> str:
        return f"{self.when} -> {self.then}{self._size()}"

    def _size(self) -> str:
        if self.training is None:
            return ""
        rows = counted(self.training.rows, "row")
        return f" (stops at a node of {rows})" if self.stops else f" ({rows})"

    def covers(self, X: Any) -> np.ndarray:
        """Whether each row satisfies all conditions (booleans)."""
        table = bind_prediction(X, self.schema)
        found = np.zeros(table.n_rows, dtype=bool)
        found[matching(self.conditions, table, np.arange(table.n_rows))] = True
        return found

    def rounded(self, digits: int | None) -> "Rule":
        """The rule with numbers of so many significant digits in its words; None: exact."""
        return replace(self, _style=replace(self._style, digits=digits))

    def in_full(self) -> "Rule":
        """The rule without the short form of numbers."""
        return self.rounded(plain_digits(self._style.digits))

    def to_dict(self) -> dict[str, Any]:
        """The rule as plain values: its words, each condition, the prediction and the evidence.

        Words have every digit, unless `digits` was a number.
        """
        exact = self.in_full()
        return {
            "rule": str(exact),
            "conditions": [exact._condition(one) for one in self.conditions],
            "prediction": plain(self.prediction),
            "training": plain(self.training),
            "given": plain(self.given),
            "nodes": list(self.nodes),
            "tree": self.tree,
            "vote": self.vote,
            "stops": self.stops,
        }

    def _condition(self, one: Condition) -> dict[str, Any]:
        told: dict[str, Any] = {}
        told["words"] = condition_words(one, self._style.lexicon, self._style.digits)
        if isinstance(one, Joint):
            return told | {"columns": self._names(one.split.columns), "missing": one.missing}
        column = self.schema.columns[one.column]
        told |= {"columns": [column.name], "missing": one.missing}
        if isinstance(one, Interval):
            return told | {"low": plain(one.low), "high": plain(one.high), "known": one.known}
        levels = column.levels or ()
        return told | {"levels": [levels[code] for code in sorted(one.codes)], "unseen": one.unseen}

    def _names(self, columns: Sequence[int]) -> list[str]:
        return list(dict.fromkeys(self.schema.names[one] for one in columns))


def prediction_words(prediction: Any, style: Style) -> str:
    """A class as it is written in rules, a number, or a formula."""
    lexicon = style.lexicon
    if isinstance(prediction, Formula):
        return prediction.words(plain_digits(style.digits))
    if lexicon.labels is None:
        return words.prediction(prediction, style.digits)
    return lexicon.classes[lexicon.labels.index(prediction)]
