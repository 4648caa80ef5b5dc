"""Sums and distances of splits of several columns are, bit for bit, those that route rows."""

import math
from dataclasses import replace

import numpy as np
import pytest

from silva.data.schema import Column, Schema
from silva.data.table import Table
from silva.inspect.explain.measures import measure
from silva.inspect.explain.values import Row
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.rules.matching import outcomes
from silva.tree.splits import METRICS, VALUE, Distance, Oblique

SCHEMA = Schema(
    (
        Column("a", "continuous"),
        Column("b", "continuous"),
        Column("c", "ordinal", ("low", "mid", "high")),
        Column("d", "categorical", ("x", "y", "z")),
    )
)
N_ROWS = 40


def random_split(rng, metric):
    if metric == "sum":
        codes = (VALUE, VALUE, VALUE, 1)
        return Oblique((0, 1, 2, 3), codes, tuple(rng.normal(size=4)), 0.0, 0)
    parts = [tuple(rng.normal(size=3).tolist()) for _ in range(2)]
    matrix = tuple(rng.normal(size=9).tolist()) if metric == "mahalanobis" else ()
    return Distance(metric, (0, 1, 2), *parts, matrix, 0.0, 0)


def random_rows(rng):
    columns = [rng.normal(size=N_ROWS), rng.normal(size=N_ROWS) * 100]
    columns += [rng.integers(-2, 3, N_ROWS, dtype=np.int32) for _ in range(2)]
    columns[0][:4] = [math.nan, math.inf, 0.0, 1e300]
    return Table(SCHEMA, tuple(columns), N_ROWS)


@pytest.mark.parametrize("metric", ["sum", *METRICS])
@pytest.mark.parametrize("seed", range(4))
def test_the_number_that_is_told_is_the_one_that_decides(metric, seed):
    rng = np.random.default_rng(seed)
    table, split = random_rows(rng), random_split(rng, metric)
    known = 0
    for number in range(N_ROWS):
        found = measure(split, Row(table, number, Lexicon(SCHEMA), None))
        here = np.array([number])
        if found.value is None:
            assert outcomes(replace(split, missing_child=2), table, here) == 2
            continue
        known += 1
        for limit, outcome in ((found.value, 1), (math.nextafter(found.value, math.inf), 0)):
            at_limit = replace(split, threshold=limit, missing_child=2)
            assert outcomes(at_limit, table, here) == outcome
    assert 10 < known < N_ROWS
