"""Growing a model again from other columns: doubled by shadows, or without one of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from silva.data.by_column import ByColumn
from silva.data.columns import column_number, numbered
from silva.data.policies import MISSING_DEFAULT, UNSEEN_DEFAULT
from silva.data.schema import Column, Schema
from silva.data.table import Table, Target
from silva.ensemble.forest import Forest
from silva.ensemble.growers import Finish
from silva.ensemble.growth import Grown, grow_forest
from silva.ensemble.packed import PackedTrees
from silva.ensemble.plan import ForestPlan
from silva.ensemble.sampling import mix
from silva.errors import PlanError
from silva.grow.grow import grow
from silva.grow.plan import Plan
from silva.grow.splits import Choice, DistanceSplits, ObliqueSplits
from silva.tree.tree import Tree

NONE_LEFT = Column("(none)", "continuous")
NO_CHOICE = ByColumn({})


@dataclass(frozen=True, eq=False)
class Recipe:
    """All that makes a model: rows and plans; `forest_plan` is None for a single tree.

    The table is bound with the policies of the plan.
    """

    table: Table
    target: Target
    plan: Plan
    forest_plan: ForestPlan | None
    finish: Finish | None
    threads: int = 1

    @property
    def schema(self) -> Schema:
        return self.table.schema

    @property
    def classes(self) -> np.ndarray | None:
        return self.target.classes

    @property
    def n_columns(self) -> int:
        return len(self.table.schema)


def grown(recipe: Recipe, repeat: int, n_trees: int | None = None, oob: bool = False) -> Grown:
    """A forest (of one tree for a single tree) by the recipe, with the seed of this repeat.

    Repeat 0 has the seeds of the model itself.
    """
    if recipe.forest_plan is None:
        plan = replace(recipe.plan, seed=_seed(recipe.plan.seed, repeat))
        tree = grow(recipe.table, recipe.target, plan, recipe.threads)
        if recipe.finish is not None:
            tree = recipe.finish(tree, recipe.table, recipe.target, plan.seed)
        return Grown(forest_of_one(tree))
    forest_plan = replace(
        recipe.forest_plan,
        seed=_seed(recipe.forest_plan.seed, repeat),
        n_estimators=recipe.forest_plan.n_estimators if n_trees is None else n_trees,
        oob=oob,
        early_stop=None,
        keep_interrupted=False,
    )
    return grow_forest(
        *(recipe.table, recipe.target, recipe.plan, forest_plan, recipe.threads),
        finish=recipe.finish,
    )


def with_columns(recipe: Recipe, source: Sequence[int], table: Table, tried: int) -> Recipe:
    """The recipe for a table whose column i takes the choices of column `source[i]`.

    Each node tries `tried` columns.
    """
    before, after = recipe.schema, table.schema
    splits = tuple(_moved(choice, before, source, after) for choice in recipe.plan.splits)
    plan = replace(
        recipe.plan,
        splits=splits,
        missing=MISSING_DEFAULT,
        unseen=UNSEEN_DEFAULT,
        max_features=None if recipe.plan.max_features is None else min(tried, len(source)),
    )
    return replace(recipe, table=table, plan=plan, forest_plan=_columns_per_tree(recipe, source))


def without_column(recipe: Recipe, number: int) -> tuple[Recipe, Callable[[Table], Table]]:
    """The recipe without a column, and how other rows lose it; of an only column a constant stays.

    Each node tries as many columns as the plan's rule gives for the smaller table.
    """
    kept = [one for one in range(recipe.n_columns) if one != number]
    schema = recipe.schema

    def lose(table: Table) -> Table:
        columns = tuple(table.columns[one] for one in kept)
        described = tuple(schema.columns[one] for one in kept)
        if not kept:
            columns, described = (np.zeros(table.n_rows),), (NONE_LEFT,)
        return Table(replace(schema, columns=described), columns, table.n_rows)

    source = kept or [0]
    smaller = lose(recipe.table)
    if not kept:
        recipe = replace(recipe, plan=replace(recipe.plan, splits=()))
    tried = recipe.plan.columns_tried(len(source))
    return with_columns(recipe, source, smaller, tried), lose


def _columns_per_tree(recipe: Recipe, source: Sequence[int]) -> ForestPlan | None:
    """Trees that ask about some columns only keep their share of them."""
    plan = recipe.forest_plan
    if plan is None or not isinstance(plan.max_columns, int):
        return plan
    scaled = round(plan.max_columns * max(1.0, len(source) / recipe.n_columns))
    return replace(plan, max_columns=max(1, min(scaled, len(source))))


def _moved(choice: Choice, schema: Schema, source: Sequence[int], other: Schema) -> Choice:
    """A choice by column of a schema, for another one."""
    if isinstance(choice, ByColumn):
        by_number = numbered(choice, schema.names, "splits", PlanError)
        return ByColumn({i: by_number[one] for i, one in enumerate(source) if one in by_number})
    if not isinstance(choice, ObliqueSplits | DistanceSplits):
        return choice
    if choice.columns is None:
        return choice if any(map(choice.supports, other.columns)) else NO_CHOICE
    where = f"columns of {type(choice).__name__}"
    named = {column_number(key, schema.names, where, PlanError) for key in choice.columns}
    kept = tuple(i for i, one in enumerate(source) if one in named)
    return replace(choice, columns=kept) if kept else NO_CHOICE


def _seed(seed: int, repeat: int) -> int:
    return seed if repeat == 0 else mix(seed, repeat)


def forest_of_one(tree: Tree) -> Forest:
    """A single tree as a forest: what holds for forests holds for it."""
    return Forest(PackedTrees.of((tree,)), "mean" if tree.classes is None else "soft")
