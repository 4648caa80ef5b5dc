"""Explanations by several trees: their mean contributions, and the tree that is most like them."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from silva.data.table import Table
from silva.ensemble import boosted, combine
from silva.inspect.explain.contributions import BEYOND_FLOATS, Parts, tree_parts
from silva.inspect.explain.explanation import Explanation, Quantity, Style
from silva.inspect.explain.records import ByClass
from silva.inspect.explain.single import OneTree
from silva.inspect.explain.steps import by_class
from silva.inspect.explain.words import ensemble_sentence
from silva.inspect.importance import columns_used
from silva.inspect.subject import Combiner, Subject
from silva.leaf import answers
from silva.tree import route
from silva.tree.lazy import lazy
from silva.tree.tree import Tree
from silva.tree.view import TreeView, mean_digits

QUANTILES = (0.1, 0.5, 0.9)

_QUANTITIES: dict[Combiner, Quantity] = {
    "soft": "class shares",
    "hard": "shares of votes",
    "boosted": "shares of weighted votes",
    "mean": "mean",
}


@dataclass(frozen=True, eq=False)
class Together:
    """What trees say together of rows: arrays with one entry a row.

    `codes` are the predicted classes (None for numbers), `values` what is explained, `agreement`
    the share of the votes for the predicted class, `quantiles` those of the trees' numbers.
    """

    codes: np.ndarray | None
    values: np.ndarray
    parts: Parts
    agreement: np.ndarray | None
    quantiles: np.ndarray | None


class ManyTrees:
    """What the trees of a forest or of AdaBoost say of rows together, and why."""

    def __init__(self, subject: Subject, model: Any, digits: int | None) -> None:
        self._subject, self._model = subject, model
        self._votes = subject.combiner in ("hard", "boosted")
        self._digits = digits
        self.classes = subject.classes
        self.labels: list[Any] = subject.labels or []

    @lazy
    def style(self) -> Style:
        return Style(self._digits, mean_digits(TreeView(self._subject.tree())[0]))

    def predicted(self, table: Table) -> tuple[np.ndarray | None, np.ndarray]:
        """The predicted class codes (None for numbers), and what is explained: (rows, width)."""
        if self._subject.combiner == "boosted":
            rows = replace(table, schema=self._model.boosted_.schema)
            votes = boosted.votes(self._model.boosted_, rows)
            return votes.codes, votes.by_class / votes.total
        forest = self._model.forest_
        rows = replace(table, schema=forest.schema)
        if self._subject.combiner == "mean":
            return None, combine.values(forest, rows)[:, None]
        shares = combine.shares(forest, rows)
        return shares.argmax(axis=1), shares

    def parts(self, table: Table) -> Parts:
        return self._together(table).parts

    def explanation(self, table: Table, place: int, row: int) -> Explanation:
        """Of the row at this place in the table, which its reader knows by the number `row`."""
        here = table.take(np.array([place]))
        each: list[Parts] = []
        together = self._together(here, each)
        typical = _nearest(each, together.parts)
        tree = OneTree(self._subject.tree(typical), self._subject.facts, self._digits)
        return replace(
            self._brief(together, 0, row),
            typical=tree.explanation(here, 0, row),
            typical_tree=typical,
        )

    def sentences(self, table: Table) -> list[str]:
        """The reasons for the rows, in short."""
        together = self._together(table)
        return [self._brief(together, place, place).sentence for place in range(table.n_rows)]

    def frame(self, table: Table) -> dict[str, list[Any]]:
        """The columns of a frame that only models of several trees have."""
        together = self._together(table)
        rows = range(table.n_rows)
        told: dict[str, list[Any]] = {
            "sentence": [self._brief(together, place, place).sentence for place in rows]
        }
        if together.agreement is not None:
            return told | {"agreement": together.agreement.tolist()}
        assert together.quantiles is not None
        names = ("low", "median", "high")
        return told | dict(zip(names, together.quantiles.T.tolist(), strict=True))

    def _together(self, table: Table, each: list[Parts] | None = None) -> Together:
        """One pass over the trees; `each` takes the parts of every tree."""
        codes, values = self.predicted(table)
        parts, said = _Sum(), []
        for tree, vote in zip(self._subject.trees(), self._subject.votes.tolist(), strict=True):
            ends = route.leaves(tree, table)
            own = tree_parts(tree, ends, table, self._votes)
            parts.add(own, vote)
            said.append(self._said(tree, ends, table, codes))
            if each is not None:
                each.append(own)
        return self._made(codes, values, parts.total, np.array(said))

    def _said(
        self, tree: Tree, ends: np.ndarray, table: Table, codes: np.ndarray | None
    ) -> np.ndarray:
        """The numbers of a tree; or 1 where it predicts the same class as all, else 0."""
        if codes is None:
            return answers.predict_values(tree, ends, table)
        return np.asarray(answers.predict_codes(tree, ends, table) == codes)

    def _made(
        self, codes: np.ndarray | None, values: np.ndarray, parts: Parts, said: np.ndarray
    ) -> Together:
        if codes is None:
            with np.errstate(**BEYOND_FLOATS):
                quantiles = np.quantile(said, QUANTILES, axis=0).T
            return Together(codes, values, parts, None, quantiles)
        return Together(codes, values, parts, self._subject.votes @ said, None)

    def _brief(self, together: Together, place: int, row: int) -> Explanation:
        """Without the typical tree."""
        names, parts = self._subject.schema.names, together.parts
        code = None if together.codes is None else int(together.codes[place])
        values, columns = together.values[place], parts.columns[place]
        share, quantiles = together.agreement, together.quantiles
        found = Explanation(
            row=row,
            prediction=float(values[0]) if code is None else self.labels[code],
            shares=None if code is None else by_class(self.labels, values),
            quantity=_QUANTITIES[self._subject.combiner],
            baseline=self._told(parts.start),
            contributions={names[one]: self._told(columns[one]) for one in self.used},
            leaf_contribution=None if parts.leaf is None else self._told(parts.leaf[place]),
            sentence="",
            trees=len(self._subject),
            agreement=None if share is None else float(share[place]),
            quantiles=None if quantiles is None else tuple(quantiles[place].tolist()),
            _style=self.style,
        )
        return replace(found, sentence=ensemble_sentence(found, code is not None, self.style))

    @lazy
    def used(self) -> list[int]:
        """The columns that any tree asks about."""
        found: set[int] = set()
        for tree in self._subject.trees():
            found |= set(columns_used(tree).tolist())
        return sorted(found)

    def _told(self, values: np.ndarray) -> ByClass | float:
        return by_class(self.labels, values) if self.labels else float(values[0])


class _Sum:
    """The weighted sum of the parts of trees."""

    def __init__(self) -> None:
        self._start: Any = 0.0
        self._columns: Any = 0.0
        self._leaf: Any = None

    def add(self, parts: Parts, vote: float) -> None:
        with np.errstate(**BEYOND_FLOATS):
            self._start += vote * parts.start
            self._columns += vote * parts.columns
            if parts.leaf is not None:
                self._leaf = vote * parts.leaf + (0.0 if self._leaf is None else self._leaf)

    @property
    def total(self) -> Parts:
        return Parts(self._start, self._columns, self._leaf)


def _nearest(each: list[Parts], mean: Parts) -> int:
    """The tree whose contributions to the one row are nearest to the mean, the first of equals."""
    with np.errstate(**BEYOND_FLOATS):
        far = [_squares(one.columns - mean.columns) + _leaf_squares(one, mean) for one in each]
    return int(np.argmin(np.nan_to_num(far, nan=np.inf)))


def _leaf_squares(one: Parts, mean: Parts) -> float:
    if mean.leaf is None:
        return 0.0
    return _squares((0.0 if one.leaf is None else one.leaf) - mean.leaf)


def _squares(differences: np.ndarray) -> float:
    return float(np.square(differences).sum())
