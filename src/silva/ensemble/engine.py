"""What a forest answers: sums over its trees, in the order of the trees, for every row.

The compiled engine takes trees whose nodes have one answer each; where answers differ by row
(linear leaves) each tree is asked by `leaf.answers`. Sums are the same bits for any number of
threads and rows at a time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from silva import _core
from silva.data.bind import bind_prediction, is_plain
from silva.data.table import Table
from silva.ensemble import packing
from silva.ensemble.means import Sums
from silva.ensemble.node_answers import (
    NodeAnswers,
    inner_answers,
    leaf_answers,
    node_answers,
)
from silva.ensemble.packed import Facts, PackedTrees
from silva.errors import DataError
from silva.leaf import answers
from silva.tree import route
from silva.tree.tree import to_arrays

Rows = Table | np.ndarray
"""A table bound to the forest's schema, or the plain matrix of `rows_of`."""

CHOICES_AT_ONCE = 1 << 24
"""Rows times trees whose votes are held at once."""

CELLS_AT_ONCE = 1 << 24
"""Rows times classes, or rows times trees, held at once where one class a row is wanted."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """The engine of a forest (None: each tree is asked) and whether it takes a matrix."""

    engine: _core.Engine | None
    takes_matrix: bool
    n_columns: int


def engine_of(packed: PackedTrees) -> Compiled:
    """The compiled forest, made once for each and gone with it."""
    compiled: Compiled | None = packed.compiled
    if compiled is None:
        compiled = packed.compiled = _compile(packed)
    return compiled


def rows_of(data: Any, packed: PackedTrees) -> Rows:
    """The user's rows, checked as `bind_prediction` does; a plain matrix stays as it is."""
    compiled = engine_of(packed)
    if compiled.takes_matrix and is_plain(data) and data.shape[1] == compiled.n_columns:
        return np.asarray(data)
    return bind_prediction(data, packed.schema)


def len_of(rows: Rows) -> int:
    """How many rows they are."""
    return rows.n_rows if isinstance(rows, Table) else len(rows)


def blocks(rows: Rows, width: int) -> Iterator[Rows]:
    """The rows in parts of so many that (rows, width) stays within CELLS_AT_ONCE."""
    n_rows, most = len_of(rows), max(1, CELLS_AT_ONCE // width)
    if n_rows <= most:
        yield rows
        return
    for begin in range(0, n_rows, most):
        if isinstance(rows, Table):
            yield rows.take(np.arange(begin, min(begin + most, n_rows)))
        else:
            yield rows[begin : begin + most]


def soft(packed: PackedTrees, rows: Rows, threads: int = 1) -> np.ndarray:
    """The mean over the trees of the class shares: float64 (rows, classes)."""
    engine = engine_of(packed).engine
    if engine is None:
        return _shares_by_tree(packed, rows, threads)
    return engine.soft(*_given(packed, rows), threads)


def hard(packed: PackedTrees, rows: Rows, threads: int = 1) -> np.ndarray:
    """How many trees vote for each class: int64 (rows, classes)."""
    engine = engine_of(packed).engine
    if engine is None:
        ones = np.ones(len(packed), dtype=np.int64)
        return _votes_by_tree(packed, rows, ones, threads)
    return engine.hard(*_given(packed, rows), threads)


def weighted(packed: PackedTrees, rows: Rows, weights: np.ndarray, threads: int = 1) -> np.ndarray:
    """The sum of the weights of the trees that vote for each class: float64 (rows, classes)."""
    engine = engine_of(packed).engine
    if engine is None:
        return _votes_by_tree(packed, rows, weights, threads)
    given, n_rows = _given(packed, rows)
    return engine.weighted(given, n_rows, weights, threads)


def choices(packed: PackedTrees, rows: Rows, threads: int = 1) -> Iterator[np.ndarray]:
    """The class code that each tree votes for, one array of rows for each tree."""
    if engine_of(packed).engine is None:
        yield from _choices_by_tree(packed, rows, threads)
        return
    at_once = max(1, CHOICES_AT_ONCE // max(1, len_of(rows)))
    for begin in range(0, len(packed), at_once):
        part = packed if at_once >= len(packed) else packed[begin : begin + at_once]
        engine = engine_of(part).engine
        assert engine is not None
        yield from engine.choices(*_given(part, rows), threads)


def mean(packed: PackedTrees, rows: Rows, threads: int = 1) -> np.ndarray:
    """The mean over the trees of the numbers they answer (float64)."""
    engine = engine_of(packed).engine
    if engine is None:
        return _mean_by_tree(packed, rows, threads)
    return engine.mean(*_given(packed, rows), threads)


def leaves(packed: PackedTrees, rows: Rows, threads: int = 1) -> np.ndarray:
    """The node in which each row ends, in each tree: int32 (rows, trees)."""
    engine = engine_of(packed).engine
    if engine is None:
        table = _table(packed, rows)
        found = [route.leaves(tree, table, threads) for tree in packed]
        return np.stack(found, axis=1).astype(np.int32)
    return engine.leaves(*_given(packed, rows), threads)


def _compile(packed: PackedTrees) -> Compiled:
    schema = packed.schema

    def answers_of(number: int, nodes: str) -> NodeAnswers:
        """What the packed bytes do not say; of trees that must be routed also their arrays."""
        tree = packed[number]
        if nodes == "leaves":
            return leaf_answers(tree)
        if nodes == "inner":
            return inner_answers(tree)
        whole = to_arrays(tree)
        return node_answers(tree) | {name: whole[name] for name in route.ROUTER_ARRAYS}

    engine = _core.compile_forest(
        schema.numbers.kinds,
        0 if packed.classes is None else len(packed.classes),
        packed.data,
        packing.NAMES,
        [_are_plain(packed.facts(number)) for number in range(len(packed))],
        answers_of,
    )
    return Compiled(engine, schema.takes_matrix, len(schema))


def _are_plain(facts: Facts) -> bool:
    """Whether leaves predict the shares and the majority of their training rows."""
    return facts.smoothing is None and facts.costs is None


def _given(packed: PackedTrees, rows: Rows) -> tuple[np.ndarray | Sequence[np.ndarray], int]:
    """The rows as the engine takes them, and how many they are."""
    if not isinstance(rows, Table):
        return rows, len_of(rows)
    if rows.schema is not packed.schema and rows.schema != packed.schema:
        raise DataError(
            "the table is bound to another schema than the forest's;"
            " bind it with data.bind.bind_prediction(data, schema)."
        )
    return rows.columns, rows.n_rows


def _table(packed: PackedTrees, rows: Rows) -> Table:
    if isinstance(rows, Table):
        return rows
    return Table(packed.schema, tuple(rows.T), len(rows))


def _mean_by_tree(packed: PackedTrees, rows: Rows, threads: int) -> np.ndarray:
    table = _table(packed, rows)
    sums = Sums.none((table.n_rows,))
    for tree in packed:
        nodes = route.leaves(tree, table, threads)
        sums = sums.plus_numbers(answers.predict_values(tree, nodes, table, threads))
    return sums.mean(np.array(len(packed)))


def _shares_by_tree(packed: PackedTrees, rows: Rows, threads: int) -> np.ndarray:
    assert packed.classes is not None
    table = _table(packed, rows)
    sums = Sums.none((table.n_rows, len(packed.classes)))
    for tree in packed:
        nodes = route.leaves(tree, table, threads)
        sums = sums.plus_shares(answers.predict_shares(tree, nodes, table, threads))
    return sums.mean(np.array(len(packed)))


def _votes_by_tree(
    packed: PackedTrees, rows: Rows, weights: np.ndarray, threads: int
) -> np.ndarray:
    assert packed.classes is not None
    votes = np.zeros((len_of(rows), len(packed.classes)), dtype=weights.dtype)
    every = np.arange(len(votes))
    for weight, codes in zip(weights, _choices_by_tree(packed, rows, threads), strict=True):
        votes[every, codes] += weight
    return votes


def _choices_by_tree(packed: PackedTrees, rows: Rows, threads: int) -> Iterator[np.ndarray]:
    table = _table(packed, rows)
    for tree in packed:
        nodes = route.leaves(tree, table, threads)
        yield answers.predict_codes(tree, nodes, table, threads)
