"""Ensembles fitted on random parts of the rows: what they predict, and which columns they ask."""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from silva.data.bind import told_already
from silva.data.weights import bind_weights
from silva.inspect.cut_counts import CutCounter
from silva.inspect.importance import column_uses
from silva.inspect.subject import Subject, subject_of
from silva.inspect.subsamples import drawn
from silva.inspect.summary import depth
from silva.tree import stats


class Refit(NamedTuple):
    """One fitted ensemble: its size, its answers, and how often its trees ask about each column.

    `predicted` are class codes or numbers, `answers` class probabilities or numbers (rows, k). The
    last entry of `uses` is for ensembles that ask nothing; all add up to 1.
    """

    trees: int
    leaves: int
    depth: int
    predicted: np.ndarray
    answers: np.ndarray
    uses: np.ndarray


@dataclass(frozen=True, eq=False)
class Refits:
    """How to fit an ensemble on parts of the rows; a refit depends on the seed and its number."""

    grower: Any
    X: Any
    y: Any
    sample_weight: Any
    n_kept: int
    seed: int

    def model(self, number: int) -> Any:
        """The fitted ensemble of this number. Its own draws are those of all the others."""
        grower = clone(self.grower)
        if grower.random_state is None:
            grower.set_params(random_state=self.seed % 2**32)
        weights = bind_weights(self.sample_weight, len(self.y))
        kept = drawn(len(self.y), self.n_kept, self.seed, number)
        with told_already() if number else nullcontext():
            return grower.fit(self.X, self.y, kept * (1.0 if weights is None else weights))

    def each(self, samples: int, counter: CutCounter) -> Iterator[Refit]:
        """One refit after the other; the cuts of their trees go to the counter."""
        for number in range(samples):
            model = self.model(number)
            subject = subject_of(model)
            size, uses = _asked(subject, counter)
            yield Refit(*size, *_predictions(model, subject, self.X), uses)


def _asked(subject: Subject, counter: CutCounter) -> tuple[tuple[int, int, int], np.ndarray]:
    """Trees, leaves and depth of an ensemble, and its `uses`; its trees go to the counter."""
    leaves, depths, uses = 0, [0], np.zeros(len(subject.schema) + 1)
    for tree, vote in zip(subject.trees(), subject.votes.tolist(), strict=True):
        counter.add(tree)
        nodes, columns = column_uses(tree)
        weights = vote * 0.5 ** stats.depth(tree)[nodes]
        uses[:-1] += np.bincount(columns, weights, len(subject.schema))
        leaves += tree.n_leaves
        depths.append(depth(tree))
    uses[-1] = float(not uses.any())
    return (len(subject), leaves, max(depths)), uses / uses.sum()


def use_distances(uses: np.ndarray) -> np.ndarray:
    """Between all pairs: the share of the questions that are about other columns (0 to 1)."""
    return np.array([1.0 - np.minimum(one, uses).sum(axis=1) for one in uses]).clip(0.0)


def _predictions(model: Any, subject: Subject, X: Any) -> tuple[np.ndarray, np.ndarray]:
    predicted = np.asarray(model.predict(X))
    if subject.classes is None:
        return predicted, predicted[:, None]
    return np.searchsorted(subject.classes, predicted), model.predict_proba(X)
