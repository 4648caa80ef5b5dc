"""Small models for the tests of editing, and random ones with every kind of split."""

from dataclasses import replace

import numpy as np
import pandas as pd

import silva
from silva.grow.grow import grow
from tests.tree.restat_cases import Problem, random_problem

TOWNS = ["Oslo", "Bergen", "Oslo", "Rome", "Rome", "Bergen", "Rome", "Oslo"]
PEOPLE = pd.DataFrame(
    {
        "age": [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0],
        "town": TOWNS,
        "rich": ["no", "no", "yes", "yes", "no", "no", "yes", "yes"],
    }
)
LIKED = ["a", "a", "b", "a", "b", "b", "a", "b"]
PRICE = [1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0]


def fitted(**params) -> silva.TreeClassifier:
    return silva.TreeClassifier(**params).fit(PEOPLE, LIKED)


def random_model(seed: int, n_rows: int | None = None):
    """A tree with the rows it grew from, as edits take them: tree, X, y, weights, plan."""
    problem: Problem = random_problem(seed, n_rows)
    tree = grow(problem.table, problem.target, problem.plan)
    bound = replace(problem, table=replace(problem.table, schema=tree.schema))
    return tree, frame_of(bound), labels_of(bound), bound.target.weights, problem.plan


def frame_of(problem: Problem) -> pd.DataFrame:
    """The table as a user has it: names, categories by value, None for missing."""
    columns = {}
    for column, values in zip(problem.table.schema.columns, problem.table.columns, strict=True):
        if column.levels is None:
            columns[column.name] = values
        else:
            levels = [*column.levels, None]
            told = [levels[code] for code in values.tolist()]
            columns[column.name] = pd.Series(told, dtype=object)
    return pd.DataFrame(columns)


def labels_of(problem: Problem) -> np.ndarray:
    target = problem.target
    return target.values if target.classes is None else target.classes[target.values]
