"""A list of rules that were made: the first rule that a row satisfies predicts."""

from typing import Any

import numpy as np

from silva.data.table import Table
from silva.inspect.rules.formulas import Formula
from silva.inspect.rules.matching import matching
from silva.inspect.rules.rule import Rule
from silva.inspect.rules.rule_list import RuleList
from silva.inspect.subject import Subject


class MadeRules(RuleList):
    """Rules in an order, and the prediction of rows that satisfy none of them (None: there are
    none)."""

    def __init__(self, subject: Subject, rules: tuple[Rule, ...], **facts: Any) -> None:
        super().__init__(subject, **facts)
        self._rules = rules

    def __len__(self) -> int:
        return len(self._rules)

    def _rule(self, place: int) -> Rule:
        return self._rules[place]

    def predict(self, X: Any) -> np.ndarray:
        """The prediction of the first rule that each row satisfies, else the default."""
        return self.predict_table(self.table(X))

    def predict_table(self, table: Table) -> np.ndarray:
        classes = self._subject.classes
        found = np.empty(table.n_rows, dtype=np.float64 if classes is None else classes.dtype)
        left = np.arange(table.n_rows)
        for rule in self._rules:
            rows = matching(rule.conditions, table, left)
            if isinstance(rule.prediction, Formula):
                found[rows] = rule.prediction.predict(table.take(rows))
            else:
                found[rows] = rule.prediction
            left = np.setdiff1d(left, rows, assume_unique=True)
        if len(left):
            found[left] = self.default
        return found
