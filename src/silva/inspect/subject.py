"""Fitted models as those take them that give reasons: trees, votes, and rows in their columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from silva.data.bind import bind_prediction
from silva.data.frames.records import one_row, records_of
from silva.data.holders import check_fitted, hint_for
from silva.data.schema import Schema
from silva.data.table import Table, Target, Task
from silva.data.target import bind_codes, bind_numbers
from silva.data.weights import bind_weights
from silva.ensemble.packed import PackedTrees
from silva.errors import DataError, PlanError
from silva.inspect.distil import Distilled
from silva.messages import shown
from silva.tree.check import sound
from silva.tree.tree import Tree, altered

Combiner = Literal["tree", "soft", "hard", "mean", "boosted"]


@dataclass(frozen=True, eq=False)
class Subject:
    """A fitted model, its columns named as its reader knows them.

    `combiner` says how the trees make one prediction: "tree" (there is one), "soft" (mean of class
    shares), "hard" (votes), "mean" (mean of numbers) or "boosted" (weighted votes). `weights` is
    what the vote of each tree counts. `facts` are those of the training columns, None if nobody
    knows them.
    """

    title: str
    combiner: Combiner
    schema: Schema
    task: Task
    classes: np.ndarray | None
    weights: np.ndarray
    facts: Any
    _given: tuple[Tree, ...] | PackedTrees
    _steps: Any = None

    def __len__(self) -> int:
        return len(self._given)

    @property
    def votes(self) -> np.ndarray:
        """The share of each tree in the vote."""
        return np.asarray(self.weights / self.weights.sum())

    @property
    def labels(self) -> list[Any] | None:
        return None if self.classes is None else self.classes.tolist()

    def tree(self, number: int = 0) -> Tree:
        """One of the trees, with the columns of `schema`."""
        tree = self._given[number]
        return tree if tree.schema is self.schema else altered(tree, schema=self.schema)

    def trees(self) -> Iterator[Tree]:
        return (self.tree(number) for number in range(len(self)))

    def table(self, X: Any) -> Table:
        """Rows as the model's `predict` takes them, bound to `schema`."""
        rows = X if self._steps is None else self._steps.transform(_named_rows(X, self._steps))
        table = bind_prediction(rows, self._given[0].schema)
        return replace(table, schema=self.schema)

    def rows_to_explain(self, rows: Any) -> Table:
        """The same for rows to explain: one row may stand by itself, as its values in order."""
        width = getattr(self._steps, "n_features_in_", None) if self._steps else len(self.schema)
        named = records_of(rows, self._input_names()) is not None
        return self.table(rows if named or width is None else one_row(rows, width))

    def _input_names(self) -> Sequence[str]:
        return self.schema.names if self._steps is None else _names_before(self._steps)

    def measured(
        self, X: Any, y: Any, sample_weight: Any, what: str
    ) -> tuple[Table, Target] | None:
        """Rows with their targets, None if none are given; `what` is done with both or neither."""
        if X is None and y is None:
            if sample_weight is not None:
                raise DataError("sample_weight is given without rows: give X and y too.")
            return None
        if X is None or y is None:
            raise DataError(
                f"{'X' if X is None else 'y'} is missing: {what} on rows with targets, so give both"
                " X and y, or neither."
            )
        table = self.table(X)
        weights = bind_weights(sample_weight, table.n_rows)
        if self.classes is None:
            return table, bind_numbers(y, sample_weight, table.n_rows)
        codes = bind_codes(y, self.classes)
        if len(codes) != table.n_rows:
            raise DataError(f"y has {len(codes)} labels and X {table.n_rows} rows: give one a row.")
        return table, Target("classification", codes, self.classes, weights)


def subject_of(model: Any) -> Subject:
    """What a fitted estimator of silva, a Tree, or a pipeline that ends in one consists of."""
    inner, steps = unwrapped(model)
    given, combiner, weights = _parts(inner, model)
    schema = given[0].schema
    if steps is not None:
        schema = _named(schema, steps)
    return Subject(
        title=type(inner).__name__,
        combiner=combiner,
        schema=schema,
        task=given[0].task,
        classes=given[0].classes,
        weights=weights,
        facts=getattr(inner, "column_facts_", None),
        _given=given,
        _steps=steps,
    )


def one_tree(model: Any, what: str) -> Subject:
    """The same for models of one tree; others are told how to get one."""
    subject = subject_of(model)
    if subject.combiner != "tree":
        raise PlanError(
            f"{what} needs one tree, and this {subject.title} has {len(subject)}: give one of them,"
            " such as model.trees_[0], or one tree that stands for all:"
            " silva.distil(model, X).model."
        )
    return subject


def unwrapped(model: Any) -> tuple[Any, Any]:
    """The model inside pipelines and searches, and the steps before it (None without any)."""
    steps: list[Any] = []
    while True:
        if hasattr(model, "steps") and hasattr(model, "named_steps"):
            if len(model.steps) > 1:
                steps.append(model[:-1])
            model = model.steps[-1][1]
        elif hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif isinstance(model, Distilled):
            model = model.model
        else:
            break
    if not steps:
        return model, None
    return model, steps[0] if len(steps) == 1 else _Chain(steps)


def _names_before(steps: Any) -> list[str]:
    return [str(name) for name in getattr(steps, "feature_names_in_", ())]


def _named_rows(X: Any, steps: Any) -> Any:
    """Rows that name their columns, as the pandas table that the steps of a pipeline take."""
    records = records_of(X, _names_before(steps))
    if records is None or find_spec("pandas") is None:
        return X
    from pandas import DataFrame

    return DataFrame(records)


def opened(model: Any, *tables: Any) -> list[Any]:
    """The model inside pipelines and searches, then the tables as that model takes them."""
    inner, steps = unwrapped(model)
    if steps is None:
        return [inner, *tables]
    told = (None if X is None else steps.transform(_named_rows(X, steps)) for X in tables)
    return [inner, *told]


class _Chain:
    """The steps of pipelines inside pipelines, one after the other."""

    def __init__(self, steps: list[Any]) -> None:
        self._steps = steps

    def transform(self, X: Any) -> Any:
        for step in self._steps:
            X = step.transform(X)
        return X

    @property
    def feature_names_in_(self) -> Any:
        return self._steps[0].feature_names_in_

    @property
    def n_features_in_(self) -> Any:
        return self._steps[0].n_features_in_

    def get_feature_names_out(self) -> Any:
        names = self._steps[0].get_feature_names_out()
        for step in self._steps[1:]:
            names = step.get_feature_names_out(names)
        return names


def _parts(model: Any, given: Any) -> tuple[tuple[Tree, ...] | PackedTrees, Combiner, np.ndarray]:
    if isinstance(model, Tree):
        return (sound(model),), "tree", np.ones(1)
    check_fitted(model)
    tree = getattr(model, "grown_tree_", None)
    if isinstance(tree, Tree):
        return (sound(tree),), "tree", np.ones(1)
    forest = getattr(model, "forest_", None)
    if forest is not None:
        return forest.trees, forest.combiner, np.ones(len(forest))
    boosted = getattr(model, "boosted_", None)
    if boosted is not None:
        return boosted.trees, "boosted", boosted.alphas
    hint = hint_for(given) or "Give one of silva's, such as silva.TreeClassifier().fit(X, y)."
    raise PlanError(
        f"model={shown(given)} is not possible: a fitted model of silva, a Tree, or a pipeline that"
        f" ends in one is needed. {hint}"
    )


def _named(schema: Schema, steps: Any) -> Schema:
    """The schema with the names that the steps put out, where the model knows none itself."""
    if schema.named:
        return schema
    try:
        names = [str(name) for name in steps.get_feature_names_out()]
    except (AttributeError, ValueError, TypeError, NotImplementedError):
        return schema
    if len(names) != len(schema) or len(set(names)) != len(names):
        return schema
    pairs = zip(schema.columns, names, strict=True)
    return Schema(tuple(replace(column, name=name) for column, name in pairs), named=False)
