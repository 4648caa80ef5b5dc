"""The least error for every number of leaves, beside greedy and pruned trees."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from silva.checks import whole
from silva.errors import PlanError
from silva.notebook import ShownAsText
from silva.optimal.build import leaf_tree
from silva.optimal.incumbent import useless_splits
from silva.optimal.objective import Objective
from silva.optimal.search import Budget, Limits, search_for
from silva.optimal.study import Study
from silva.prune import cost_complexity
from silva.tree.collapse import collapse
from silva.tree.tree import Tree

MOST_LEAVES = 256


@dataclass(frozen=True, eq=False)
class Sizes:
    """Trees of several sizes: ascending `leaves`, and the error of each on training rows."""

    leaves: np.ndarray
    errors: np.ndarray


@dataclass(frozen=True, eq=False)
class ParetoPath(ShownAsText):
    """The least error (or cost) of trees of at most so many leaves, on training rows.

    `leaves` counts from 1, `errors` are those of the `trees`, `lower_bounds` what no tree of so
    many leaves can be below; `proved` where both are equal. `greedy` are trees grown best-first to
    each size, `pruned` those of the cost-complexity path of the greedy tree.
    """

    leaves: np.ndarray
    errors: np.ndarray
    lower_bounds: np.ndarray
    proved: np.ndarray
    trees: tuple[Tree, ...]
    greedy: Sizes
    pruned: Sizes

    def __str__(self) -> str:
        head = f"{'leaves':>6}{'error':>12}{'at least':>12}{'greedy':>12}{'pruned':>12}"
        greedy, pruned = (_best_at(self.leaves, one) for one in (self.greedy, self.pruned))
        lines = [
            f"{leaves:>6}{error:>12.6g}{'proved' if proved else f'{low:.6g}':>12}"
            f"{other:>12.6g}{third:>12.6g}"
            for leaves, error, low, proved, other, third in zip(
                self.leaves.tolist(),
                self.errors.tolist(),
                self.lower_bounds.tolist(),
                self.proved.tolist(),
                greedy.tolist(),
                pruned.tolist(),
                strict=True,
            )
        ]
        return "\n".join([head, *lines])


def pareto_path(study: Study, max_leaves: int | None, budget: Budget) -> ParetoPath:
    """Ask for each number of leaves in turn; every tree found is a start for the next size."""
    most = _most_leaves(study, max_leaves)
    free = _without_penalty(study.objective)
    greedy, pruned = _greedy(study, most), _pruned(study, most)
    found = _searched(study, free, most, budget, [*greedy, *pruned])
    values, lowers, trees = zip(*found, strict=True)
    return ParetoPath(
        leaves=np.arange(1, most + 1),
        errors=np.array([free.rate(value) for value in values]),
        lower_bounds=np.array([free.rate(lower) for lower in lowers]),
        proved=np.array([value == lower for value, lower, _ in found]),
        trees=tuple(map(study.priced, trees)),
        greedy=_sizes(study, free, greedy),
        pruned=_sizes(study, free, pruned),
    )


def _most_leaves(study: Study, max_leaves: int | None) -> int:
    if max_leaves is not None:
        return whole("max_leaves", max_leaves, 1)
    limits = study.limits
    if limits.max_splits is not None:
        return limits.max_splits + 1
    if limits.max_depth is not None and 2**limits.max_depth <= MOST_LEAVES:
        return int(min(2**limits.max_depth, len(study.objective.rows)))
    raise PlanError(
        "max_leaves=None is not possible without max_leaf_nodes or a small max_depth: give the"
        " largest number of leaves, such as pareto_path(max_leaves=16)."
    )


def _without_penalty(objective: Objective) -> Objective:
    scale = objective.scale / objective.unit
    return replace(objective, scale=scale, unit=1, penalty=0, leaf_penalty=0.0, split_tolerance=0.0)


def _searched(
    study: Study, free: Objective, most: int, budget: Budget, known: Sequence[Tree]
) -> list[tuple[int, int, Tree]]:
    """Value, lower bound and tree for each number of leaves; `known` trees are a start."""
    begun = time.perf_counter()
    found: list[tuple[int, int, Tree]] = []
    offers = study.offers(known)
    core = study.core() if study.has_questions else None
    for leaves in range(1, most + 1):
        if core is None or (found and found[-1][0] == found[-1][1] == 0):
            found.append(found[-1] if found else _leaf(study, free))
            continue
        limits = replace(study.limits, max_splits=leaves - 1)
        search = search_for(core, free, limits, offers)
        left = _share(budget.seconds, begun, most - leaves + 1)
        if search.run(Budget(left), lambda _: None, time.perf_counter) == "interrupted":
            raise KeyboardInterrupt
        if found and search.upper == found[-1][0]:
            found.append((search.upper, search.lower, found[-1][2]))
        else:
            found.append((search.upper, search.lower, study.made(search.best)))
            offers.append(search.best)
    return _with_bounds_of_larger(found, _floor(study, most))


def _floor(study: Study, most: int) -> int:
    """What the search of the fit has proved for all these sizes."""
    limit = study.limits.max_splits
    return study.least_cost() if limit is None or limit >= most - 1 else 0


def _share(seconds: float | None, begun: float, sizes: int) -> float | None:
    """An equal share of the time that is left."""
    if seconds is None:
        return None
    return max(0.0, seconds - (time.perf_counter() - begun)) / sizes


def _with_bounds_of_larger(
    found: list[tuple[int, int, Tree]], floor: int
) -> list[tuple[int, int, Tree]]:
    """More leaves cannot do worse, so what bounds them bounds fewer leaves too."""
    known = [floor, *(lower for _, lower, _ in reversed(found))]
    lowers = np.maximum.accumulate(known)[:0:-1].tolist()
    return [(value, low, tree) for (value, _, tree), low in zip(found, lowers, strict=True)]


def _leaf(study: Study, free: Objective) -> tuple[int, int, Tree]:
    tree = leaf_tree(study.table, study.target)
    value = useless_splits(tree, study.table, free)[1]
    return value, value, tree


def _greedy(study: Study, most: int) -> list[Tree]:
    """Trees grown best-first to each size."""
    trees = [leaf_tree(study.table, study.target)]
    if not study.has_questions:
        return trees
    for leaves in range(2, most + 1):
        trees.append(_grown(study, replace(study.limits, max_splits=leaves - 1)))
        if trees[-1].n_leaves < leaves:
            break
    return trees


def _pruned(study: Study, most: int) -> list[Tree]:
    """The cost-complexity path of the greedy tree."""
    if not study.has_questions:
        return [leaf_tree(study.table, study.target)]
    whole_tree = _grown(study, replace(study.limits, max_splits=None))
    path = cost_complexity.path(whole_tree)
    cuts = np.flatnonzero(path.n_leaves <= most).tolist()
    return [collapse(whole_tree, path.nodes[:cut].tolist()) for cut in reversed(cuts)]


def _grown(study: Study, limits: Limits) -> Tree:
    return study.grown(study.plans(limits)[0])


def _sizes(study: Study, free: Objective, trees: Sequence[Tree]) -> Sizes:
    errors = {tree.n_leaves: useless_splits(tree, study.table, free)[1] for tree in trees}
    leaves = sorted(errors)
    return Sizes(np.array(leaves), np.array([free.rate(errors[size]) for size in leaves]))


def _best_at(leaves: np.ndarray, sizes: Sizes) -> np.ndarray:
    """The error of the largest of these trees that has at most so many leaves."""
    place = np.searchsorted(sizes.leaves, leaves, "right") - 1
    return np.asarray(sizes.errors[np.maximum(place, 0)])
