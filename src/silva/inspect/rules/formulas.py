"""The predictions of rules: classes, numbers, and the formulas of linear leaves."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from silva.data.schema import Schema
from silva.data.table import Table
from silva.leaf import answers
from silva.leaf.words import model_words
from silva.tree.builder import Moments, TreeBuilder
from silva.tree.linear import LinearLeaves, models_a_leaf
from silva.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class Term:
    """`weight * (value - center)`: of the column's value, or of whether it has the level `code`."""

    weight: float
    column: int
    code: int
    center: float


@dataclass(frozen=True, slots=True)
class Model:
    """The intercept plus the terms, clipped to `low ... high`."""

    intercept: float
    terms: tuple[Term, ...]
    low: float
    high: float


@dataclass(frozen=True)
class Formula:
    """What a leaf with linear models predicts: a number, or the class of the largest probability.

    Classes: the log-odds of the last of two classes, or those of each class against the rest.
    """

    models: tuple[Model, ...]
    _schema: Schema
    _classes: np.ndarray | None

    def words(self, digits: int | None = None) -> str:
        """`3.2 + 0.5*(age - 40), between 1 and 9`; for classes the log-odds."""
        return model_words(self._leaf(), 0, digits=digits)

    def __str__(self) -> str:
        return self.words()

    def predict(self, table: Table) -> np.ndarray:
        """The class label or the number of each row."""
        tree = replace(self._leaf(), schema=table.schema)
        nodes = np.zeros(table.n_rows, dtype=np.int64)
        if self._classes is None:
            return answers.predict_values(tree, nodes, table)
        return np.asarray(self._classes[answers.predict_codes(tree, nodes, table)])

    def to_dict(self) -> dict[str, Any]:
        return {"formula": str(self)}

    def _leaf(self) -> Tree:
        """A tree of one leaf that has these models: it predicts as the leaf of the large tree."""
        if self._classes is None:
            build = TreeBuilder(self._schema, "regression")
            build.add_leaf(None, 0, 1, Moments(1, 0, 0, 0.0))
        else:
            build = TreeBuilder(self._schema, "classification", self._classes)
            build.add_leaf(None, 0, 1, {0: 1})
        return replace(build.finish(), linear=_arrays(self.models))


def formula_of(tree: Tree, leaf: int) -> Formula:
    """The formula of the leaf with this number among the leaves."""
    assert tree.linear is not None
    width = models_a_leaf(0 if tree.classes is None else len(tree.classes))
    models = tuple(_model(tree.linear, leaf * width + i) for i in range(width))
    return Formula(models, tree.schema, tree.classes)


def _model(linear: LinearLeaves, number: int) -> Model:
    entries = slice(int(linear.start[number]), int(linear.start[number + 1]))
    parts = (linear.weight, linear.column, linear.code, linear.center)
    terms = zip(*(part[entries].tolist() for part in parts), strict=True)
    ends = (float(part[number]) for part in (linear.low, linear.high))
    return Model(float(linear.intercept[number]), tuple(Term(*term) for term in terms), *ends)


def _arrays(models: tuple[Model, ...]) -> LinearLeaves:
    terms = [term for model in models for term in model.terms]
    return LinearLeaves(
        start=np.cumsum([0, *(len(model.terms) for model in models)]).astype(np.int64),
        column=np.array([term.column for term in terms], dtype=np.int32),
        code=np.array([term.code for term in terms], dtype=np.int32),
        weight=np.array([term.weight for term in terms], dtype=np.float64),
        center=np.array([term.center for term in terms], dtype=np.float64),
        intercept=np.array([model.intercept for model in models]),
        low=np.array([model.low for model in models]),
        high=np.array([model.high for model in models]),
    )
