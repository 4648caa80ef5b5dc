"""A fit that minimises a bound on the error of new rows: pruned greedy trees, then the search."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from silva.data.policies import are_missing
from silva.data.schema import MISSING_CODE, Column
from silva.data.table import Table, Target
from silva.errors import PlanError
from silva.optimal.bound import BoundSearch, equal_rows_errors
from silva.optimal.bound_forms import BoundForm
from silva.optimal.coding import CodedColumn, FixedTests, copies
from silva.optimal.incumbent import is_small, useless_splits
from silva.optimal.objective import Objective, objective_of
from silva.optimal.questions import Forms, groups_of
from silva.optimal.search import Limits, Search
from silva.optimal.study import Incumbent, Settings, Study
from silva.prune.bound import GeneralisationBound
from silva.prune.cost_complexity import cuts
from silva.prune.costs import node_costs
from silva.prune.evidence import Evidence
from silva.tree.collapse import collapse
from silva.tree.tree import Tree

NAMED_LEVELS = 5
"""Two rows name the smaller side of any set of so many categories."""


class BoundStudy(Study):
    """The search for the least bound, in place of the least cost; `objective` counts errors."""

    def __init__(
        self,
        table: Table,
        target: Target,
        objective: Objective,
        limits: Limits,
        settings: Settings,
        form: BoundForm,
    ) -> None:
        super().__init__(table, target, objective, limits, settings)
        self.form, self.measure = form, form.label

    def rate(self, value: Any) -> float:
        return float(value)

    def least_cost(self) -> int:
        return 0

    def _least_with_splits(self) -> float:
        return self.form.value(1, 0)

    def _begun(self) -> Search:
        ranks, counted = self.questions.ranks, self.objective
        least = equal_rows_errors(ranks, counted.classes, counted.weights)
        bound = BoundSearch(self.core(), self.form, self._own_limits(), least_errors=least)
        for arrays in self.offers():
            bound.offer(*arrays)
        return Search(bound, self.rate)

    def _own_limits(self) -> Limits:
        """No tree has more leaves than rows, of which copies count as one."""
        given, most = self.limits.max_splits, len(self.objective.rows) - 1
        return replace(self.limits, max_splits=most if given is None else min(given, most))

    def _incumbent(self) -> Incumbent:
        """The better one of the greedy trees, each pruned to its least bound."""
        pruned = [small for tree in self._grown_trees() for small in self._pruned(tree)]
        found = [self._without_useless(tree) for tree in pruned]
        self._greedy = [self._judged(tree) for _, tree in found]
        value, tree = min(found, key=lambda one: one[0])
        return Incumbent(value, lambda: self._cut(tree, []))

    def _pruned(self, tree: Tree) -> list[Tree]:
        """The collapsed tree of the least bound, which is one of the error-complexity path.

        For small tables also what the pruner makes of the tree, which can put a child in the place
        of its parent.
        """
        collapsed = collapse(tree, _best_cuts(tree, self.form))
        if self.target.weights is not None or not is_small(self.table):
            return [collapsed]
        rule = _pruner(self.form)
        return [collapsed, rule(tree, Evidence(self.table, self.target)).tree]

    def _without_useless(self, tree: Tree) -> tuple[float, Tree]:
        """The bound of the tree without useless splits, and the tree."""
        useless, errors = useless_splits(tree, self.table, self.objective)
        smaller = collapse(tree, useless)
        return self.form.value(smaller.n_leaves - 1, errors), smaller


def _pruner(form: BoundForm) -> GeneralisationBound:
    if isinstance(form.coding, FixedTests):
        return GeneralisationBound(form.delta, "fixed", form.coding.n_tests)
    return GeneralisationBound(form.delta)


def _best_cuts(tree: Tree, form: BoundForm) -> list[int]:
    """The nodes to collapse."""
    path, costs = cuts(tree, "error"), node_costs(tree)
    splits = tree.n_leaves - 1 - np.cumsum(np.append(0, path.leaves))
    rate = float(costs.error(costs.leaf[tree.is_leaf].sum()))
    rates = rate + np.cumsum(np.append(0.0, path.rises))
    errors = np.clip(np.rint(rates * form.n_rows), 0, form.n_rows).astype(np.int64)
    values = [form.value(*point) for point in zip(splits.tolist(), errors.tolist(), strict=True)]
    return list(path.nodes[: int(np.argmin(values))].tolist())


def counted_objective(target: Target, row_weights: np.ndarray | None) -> Objective:
    """Errors, with whole weights as copies of rows, also where they have a common divisor."""
    objective = objective_of(target, row_weights, None, 0.0, False)
    if row_weights is None:
        return objective
    weights = copies(row_weights)[objective.rows]
    return replace(objective, weights=weights, scale=Fraction(int(weights.sum())))


class TableCode(NamedTuple):
    """What the codes know about the columns, and the questions that this allows."""

    columns: Sequence[CodedColumn]
    forms: Forms


def code_of_table(
    table: Table,
    declared: Collection[int],
    max_subset_levels: int,
    grids: dict[int, tuple[float, ...]],
) -> TableCode:
    """The code of a table whose rows all have a weight.

    `declared` columns have levels that were fixed before the rows were seen. Which sets of
    categories are asked depends on these, never on the levels that happened to occur.
    """
    _check_unseen(table)
    columns = [
        _coded(column, values, number in declared, max_subset_levels, grids.get(number))
        for number, (column, values) in enumerate(
            zip(table.schema.columns, table.columns, strict=True)
        )
    ]
    single = [
        number
        for number, column in enumerate(columns)
        if column.kind == "categorical" and not column.subsets
    ]
    return TableCode(columns, Forms(grids, frozenset(single)))


def _coded(
    column: Column,
    values: np.ndarray,
    declared: bool,
    max_subset_levels: int,
    grid: tuple[float, ...] | None,
) -> CodedColumn:
    has_missing = bool(are_missing(column, values).any())
    if column.kind != "categorical":
        return CodedColumn(column.kind, column.n_levels, has_missing=has_missing, grid=grid)
    declared = declared or column.levels == (False, True)
    levels = column.n_levels
    if not declared:
        levels = sum(code != MISSING_CODE for code in groups_of(values))
    subsets = levels + has_missing <= max_subset_levels and (declared or levels <= NAMED_LEVELS)
    return CodedColumn("categorical", levels, subsets, has_missing, declared=declared)


def _check_unseen(table: Table) -> None:
    """The codes say on which side each level is, so levels that a node lacks are on one too."""
    for column in table.schema.columns:
        if column.kind == "categorical" and column.unseen != "majority":
            raise PlanError(
                f"unseen={column.unseen!r} is not possible for column {column.name!r} beside"
                " objective='bound': the bound counts questions with two sides for all categories."
                " Use unseen='majority', or another objective."
            )
