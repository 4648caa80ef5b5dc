"""The boosted composition: trees with weighted votes, and what the votes say."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from silva.data.schema import Schema
from silva.data.table import Table
from silva.ensemble import engine
from silva.ensemble.engine import Rows
from silva.ensemble.packed import PackedTrees
from silva.errors import ModelFormatError
from silva.leaf import answers
from silva.tree import route
from silva.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class Boosted:
    """Trees of one schema and list of classes, in the order in which they were grown.

    Tree t votes for one class with the weight `alphas[t]` (float64, above 0). The class with the
    most votes is the answer, the first of equals.
    """

    trees: PackedTrees
    alphas: np.ndarray

    @property
    def schema(self) -> Schema:
        return self.trees.schema

    @property
    def classes(self) -> np.ndarray:
        classes = self.trees.classes
        assert classes is not None
        return classes

    def __len__(self) -> int:
        return len(self.trees)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the fields out of a pickle; raises ModelFormatError."""
        vars(self).update(state)
        check_boosted(self)

    def __repr__(self) -> str:
        return f"Boosted(trees={len(self.trees)}, classes={len(self.classes)})"


def check_boosted(boosted: Boosted) -> Boosted:
    """Return the composition, or raise ModelFormatError where trees and votes do not fit."""
    trees, alphas = vars(boosted).get("trees"), vars(boosted).get("alphas")
    if not isinstance(trees, PackedTrees) or not len(trees) or trees.classes is None:
        raise ModelFormatError("boosted.trees: must be packed trees of classes")
    if not isinstance(alphas, np.ndarray) or alphas.dtype != np.float64:
        raise ModelFormatError("boosted.alphas: must be an array of float64")
    fits = alphas.shape == (len(trees),)
    if not fits or not (np.isfinite(alphas) & (alphas > 0.0)).all():
        raise ModelFormatError(f"boosted.alphas: must be {len(trees)} finite numbers above 0")
    return boosted


def codes_of(tree: Tree, table: Table, threads: int = 1) -> np.ndarray:
    """The class code that a tree tells each row (int64)."""
    return answers.predict_codes(tree, route.leaves(tree, table, threads), table, threads)


class Votes:
    """A running sum of votes: float64 (rows, classes), and the alphas that it is the sum of."""

    def __init__(self, by_class: np.ndarray, total: float = 0.0) -> None:
        self.by_class = by_class
        self.total = total
        self._first = np.arange(len(by_class)) * by_class.shape[1]

    @classmethod
    def none(cls, n_rows: int, n_classes: int) -> Self:
        """Before any tree has voted."""
        return cls(np.zeros((n_rows, n_classes)))

    def add(self, codes: np.ndarray, alpha: float) -> None:
        """One tree more: each row's vote goes to one class."""
        self.by_class.reshape(-1)[self._first + codes] += alpha
        self.total += alpha

    @property
    def codes(self) -> np.ndarray:
        """The class with the most votes (int64), the first of equals."""
        return np.asarray(self.by_class.argmax(axis=1))

    @property
    def scores(self) -> np.ndarray:
        """The symmetric scores of Zhu et al. (2009) over the sum of alphas, in [-1, 1].

        A vote counts 1 for its class and -1 / (K - 1) for each of the others, so that the scores
        of a row add up to 0. With one class all are 0.
        """
        n_classes = self.by_class.shape[1]
        if n_classes == 1:
            return np.zeros_like(self.by_class)
        share = self.by_class / self.total
        return np.asarray(share - (1.0 - share) / (n_classes - 1))

    @property
    def probabilities(self) -> np.ndarray:
        """The softmax of the scores over K - 1 (equation 15 there); no calibrated frequencies."""
        n_classes = self.by_class.shape[1]
        scores = self.scores / max(1, n_classes - 1)
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def margins(self, codes: np.ndarray) -> np.ndarray:
        """How sure the right answer is (float64, in [-1, 1]), where `codes` are the true classes.

        The votes for the right class minus the most votes for another, over all votes: above 0
        the row is answered rightly, below 0 wrongly. A class that the trees do not know (-1) has
        no votes.
        """
        if self.by_class.shape[1] == 1:
            return np.where(codes == 0, 1.0, -1.0)
        others = self.by_class.copy()
        rows = np.flatnonzero(codes >= 0)
        right = np.zeros(len(codes))
        right[rows] = others[rows, codes[rows]]
        others[rows, codes[rows]] = -np.inf
        return np.asarray((right - others.max(axis=1)) / self.total)


class FewVotes:
    """Votes by tree instead of by class: for more classes than trees.

    Bit for bit what `Votes` tells, since sums over the trees are taken in their order.
    """

    def __init__(self, choices: np.ndarray, alphas: np.ndarray) -> None:
        self._choices, self._alphas = choices, alphas
        self._votes = np.zeros(choices.shape)
        for chosen, alpha in zip(choices, alphas.tolist(), strict=True):
            self._votes += alpha * (choices == chosen)

    @property
    def codes(self) -> np.ndarray:
        """The class with the most votes (int64), the first of equals."""
        most = self._votes == self._votes.max(axis=0)
        first = np.where(most, self._choices, np.iinfo(np.int64).max).min(axis=0)
        return np.asarray(first)

    def margins(self, codes: np.ndarray) -> np.ndarray:
        """How sure the right answer is (float64, in [-1, 1]), as `Votes.margins` has it."""
        right, total = np.zeros(len(codes)), 0.0
        for chosen, alpha in zip(self._choices, self._alphas.tolist(), strict=True):
            right += alpha * (chosen == codes)
            total += alpha
        others = np.where(self._choices == codes, 0.0, self._votes).max(axis=0)
        return np.asarray((right - others) / total)


def told(
    boosted: Boosted, rows: Rows, truth: np.ndarray, threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """The class code of each row (int64), and how sure the right answer `truth` is (float64)."""
    codes, margins, begin = [], [], 0
    for found in _in_parts(boosted, rows, threads):
        codes.append(found.codes)
        margins.append(found.margins(truth[begin : begin + len(codes[-1])]))
        begin += len(codes[-1])
    return np.concatenate(codes), np.concatenate(margins)


def class_codes(boosted: Boosted, rows: Rows, threads: int = 1) -> np.ndarray:
    """The class code of each row (int64): that with the most votes, the first of equals."""
    return np.concatenate([found.codes for found in _in_parts(boosted, rows, threads)])


def _in_parts(boosted: Boosted, rows: Rows, threads: int) -> Iterator[Votes | FewVotes]:
    """The votes of some rows after the other, by class or by tree: what there are fewer of."""
    n_classes, n_trees = len(boosted.classes), len(boosted)
    for part in engine.blocks(rows, min(n_classes, n_trees)):
        if n_classes <= n_trees + 1:
            yield votes(boosted, part, threads)
        else:
            choices = np.stack(list(engine.choices(boosted.trees, part, threads)))
            yield FewVotes(choices.astype(np.int64), boosted.alphas)


def staged(boosted: Boosted, rows: Rows, threads: int = 1) -> Iterator[Votes]:
    """The votes after each tree: one object that grows."""
    votes = Votes.none(engine.len_of(rows), len(boosted.classes))
    choices = engine.choices(boosted.trees, rows, threads)
    for codes, alpha in zip(choices, boosted.alphas.tolist(), strict=True):
        votes.add(codes, alpha)
        yield votes


def votes(boosted: Boosted, rows: Rows, threads: int = 1) -> Votes:
    """The votes of all trees, added up in their order."""
    by_class = engine.weighted(boosted.trees, rows, boosted.alphas, threads)
    return Votes(by_class, float(np.cumsum(boosted.alphas)[-1]))
