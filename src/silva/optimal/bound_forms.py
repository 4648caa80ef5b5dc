"""Bounds on the error of new rows as functions of two numbers: splits and training errors."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from silva.checks import as_float, check_choice, is_real, refuse, whole
from silva.optimal.coding import Coding, FixedTests
from silva.prune.bound import (
    compression_bound,
    compression_kl_bound,
    compression_nats,
    occam_bound,
)
from silva.prune.kl import kl_at_most

FormName = Literal["textbook", "ln2", "kl"]


def default_form(coding: Coding) -> FormName:
    """The textbook's where tests are fixed, else the one that `GeneralisationBound` minimises."""
    return "textbook" if isinstance(coding, FixedTests) else "ln2"


@dataclass(frozen=True)
class BoundForm:
    """F(splits, errors): increasing in both, and the same figure as pruners and reports show.

    "textbook": bits where nats would do, both sides of Hoeffding's inequality; for fixed tests,
    `GeneralisationBound(form="fixed" or "textbook")`. "ln2": nats, one side; with named rows,
    `GeneralisationBound(form="compression")`. "kl": Chernoff's inequality, never above "ln2"; with
    named rows, `silva.bounds(model).compression_kl`.
    """

    form: FormName
    coding: Coding
    n_rows: int
    n_classes: int
    delta: float = 0.05

    def __post_init__(self) -> None:
        check_choice("bound", self.form, get_args(FormName))
        if self.form == "textbook" and not isinstance(self.coding, FixedTests):
            hint = "The textbook's form is for tests that were fixed before the rows were seen."
            refuse("bound", self.form, "use 'ln2' or 'kl' where rows name thresholds", hint)
        if not is_real(self.delta) or not 0.0 < as_float(self.delta) < 1.0:
            refuse("delta", self.delta, "use a number above 0 and below 1")
        whole("n_rows", self.n_rows, 1)
        whole("n_classes", self.n_classes, 1)

    @property
    def label(self) -> str:
        """The bound in words."""
        return f"generalisation bound ({self.form}, {self.coding.label}, delta={self.delta:g})"

    def value(self, splits: int, errors: int) -> float:
        """The bound of a tree with so many splits and training errors; infinite without rows."""
        bits, named = self.coding.bits(splits, self.n_classes), self.coding.named(splits)
        match self.form:
            case "textbook":
                return occam_bound(errors, self.n_rows, bits, self.delta)
            case "ln2":
                return compression_bound(errors, self.n_rows, bits, named, self.delta)
            case "kl":
                return compression_kl_bound(errors, self.n_rows, bits, named, self.delta)

    def most_splits(self, errors: int, below: float) -> int:
        """The largest size whose bound is below the value at so many errors; -1 if there is none.

        No tree has as many splits as rows.
        """
        low, high = -1, self.n_rows
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.value(middle, errors) < below else (low, middle)
        return low

    def sizes(self, last: int) -> "Sizes":
        """The same function for all sizes up to the last at once."""
        return Sizes(self, last)


class Sizes:
    """A form for trees of 0, 1, ... `last` splits, vectorised."""

    def __init__(self, form: BoundForm, last: int) -> None:
        self.form = form
        self.splits = np.arange(last + 1)

    @cached_property
    def others(self) -> np.ndarray:
        """The rows that are not named, on which errors count."""
        named = [self.form.coding.named(int(splits)) for splits in self.splits]
        return np.maximum(self.form.n_rows - np.array(named, dtype=np.int64), 0)

    @cached_property
    def _price(self) -> np.ndarray:
        """What a size costs: the bound without errors, or for "kl" the nats of a row."""
        form = self.form
        if form.form != "kl":
            return np.array([form.value(int(splits), 0) for splits in self.splits])
        coding, rows = form.coding, form.n_rows
        nats = [
            compression_nats(rows, coding.bits(k, form.n_classes), coding.named(k), form.delta)
            for k in self.splits.tolist()
        ]
        return np.asarray(np.array(nats) / np.maximum(self.others, 1))

    def values(self, errors: np.ndarray, among: Any = slice(None)) -> np.ndarray:
        """The bound of each size (or of those `among` them) at its number of errors."""
        others, price = self.others[among], self._price[among]
        share = errors / np.maximum(others, 1)
        if self.form.form != "kl":
            return np.asarray(share + price)
        known = errors < others
        return np.where(known, kl_at_most(np.where(known, share, 0.0), price), 1.0)

    def most_errors(self, below: float, among: Any = slice(None)) -> np.ndarray:
        """For each size the most errors with a bound below the value; -1 where 0 are too many."""
        others = self.others[among]
        low, high = np.full(others.shape, -1), np.full(others.shape, self.form.n_rows + 1)
        while (high - low > 1).any():
            middle = (low + high) // 2
            inside = (self.values(np.maximum(middle, 0), among) < below) & (middle >= 0)
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        return low
