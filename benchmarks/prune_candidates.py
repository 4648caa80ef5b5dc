"""`python -m benchmarks.prune_candidates`: how `auto` was chosen, on the first half of the tables.

A candidate takes a tree by cross-validation (10 folds, dealt out 1, 3 or 5 times) from the pruning
paths of some risks, in trees of some least leaves: the one of least error, or the smallest within a
share of a standard error. All candidates share the folds, so their errors are read off the same
curves. They are compared by the mean rank of their errors on rows that no part of this saw. The
other half is not touched unless `--half 1` asks for it, which is for reports, not for choices.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.data import DATA_FOLDER
from benchmarks.prune_sets import SETS, Part, half, parts, read
from benchmarks.prune_study import REPEATS, Figure, mean_ranks, remember, scale_of
from silva.data.bind import bind_codes, bind_numbers, bind_prediction
from silva.prune.costs import PairCosts, routed_costs
from silva.prune.cross_validation import cross_validated, dealt, errors_at
from silva.prune.evidence import Rows
from silva.prune.risks import RISKS, m_estimate, paths, upper_limit
from silva.tree.tree import Tree

FOLDS, MOST_DEALS = 10, 5
LEAF_SIZES = (1, 2, 5, 10, 20)
ALL_RISKS = {**RISKS, "m = 32": m_estimate(32.0), "confidence 0.05": upper_limit(0.05)}


class Candidate(NamedTuple):
    """Which risks, how many deals of the folds, how many standard errors are given away, and from
    which least leaves trees grow."""

    risks: tuple[str, ...]
    deals: int = MOST_DEALS
    given_away: float = 0.0
    sizes: tuple[int, ...] = (1,)

    def __str__(self) -> str:
        rule = f", {self.given_away:g} SE" if self.given_away else ""
        sizes = ", ".join(map(str, self.sizes))
        return f"{' + '.join(self.risks)}; {self.deals} x {FOLDS} folds{rule}; leaves of {sizes}"


def candidates() -> list[Candidate]:
    every, chosen = tuple(ALL_RISKS), tuple(RISKS)
    m_only = tuple(name for name in every if name.startswith("m ="))
    limits = tuple(name for name in every if name.startswith("confidence"))
    families = [
        ("impurity", "error"),
        ("impurity", "m = 8"),
        ("impurity", "error", *m_only),
        ("impurity", "error", *limits),
        ("impurity", "error", "m = 2", "confidence 0.25"),
        (*m_only, *limits),
        chosen,
        every,
    ]
    found = [Candidate((name,)) for name in every if name != "error"]
    found += [Candidate(family) for family in families]
    found += [Candidate(family, 1) for family in (("impurity",), chosen, every)]
    found += [Candidate(family, 3) for family in (("impurity",), chosen, every)]
    some = [(5,), (1, 2), (1, 5), (1, 10), (1, 20), (1, 5, 20), (1, 2, 5), (1, 5, 10), LEAF_SIZES]
    found += [Candidate(chosen, deals, 0.0, sizes) for sizes in some for deals in (1, 2, 3, 5)]
    return found + [
        Candidate(family, MOST_DEALS, share)
        for family in (("impurity",), chosen)
        for share in (0.25, 0.5, 1.0)
    ]


class Judged(NamedTuple):
    """A tree on a path: leaves, and the losses of each fold and of the outer rows, path by path."""

    leaves: np.ndarray
    fold_errors: np.ndarray
    outer: np.ndarray


def main(arguments: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=DATA_FOLDER, metavar="DIR")
    options.add_argument("--sets", nargs="+", choices=SETS, metavar="TABLE")
    options.add_argument("--half", type=int, choices=(0, 1), default=0)
    options.add_argument("--out", type=Path, metavar="FILE", help="all figures as JSON lines")
    options.add_argument("--only", help="only candidates whose description has these words")
    options.add_argument("--repeats", type=int, default=REPEATS, help="shuffles of the outer folds")
    chosen = options.parse_args(arguments)
    names = [name for name in chosen.sets or SETS if half(name) == chosen.half]
    figures = []
    for name in names:
        frame, target = read(chosen.data, name)
        figures += measured(name, list(parts(name, frame, target, chosen.repeats)))
        for figure in figures:
            if figure.table == name:
                remember(chosen.out, figure)
        print(name, file=sys.stderr, flush=True)
    shown = [str(one) for one in candidates() if (chosen.only or "") in str(one)]
    ranks = mean_ranks(figures, names, shown)
    print(
        "| candidate | mean rank | mean error, the least of each table being 1 |",
        "|---|---|---|",
        sep="\n",
    )
    for method in sorted(ranks, key=ranks.__getitem__):
        print(f"| {method} | {ranks[method]:.2f} | {mean_excess(figures, method):.3f} |")
    return 0


def measured(name: str, folds: list[Part]) -> list[Figure]:
    """Leaves and errors of every candidate on one table."""
    scale, everything = scale_of(folds), [judged(part) for part in folds]
    figures = []
    for candidate in candidates():
        taken = [choice(candidate, curves) for curves in everything]
        errors = [error for _, error in taken]
        rows = [len(part.y_test) for part in folds]
        error = float(np.average(errors, weights=rows)) / scale
        leaves = float(np.mean([leaves for leaves, _ in taken]))
        figures.append(Figure(name, str(candidate), leaves, error, 0.0))
    return figures


def judged(part: Part) -> dict[tuple[int, str], Judged]:
    """Every tree of every path of trees of every least leaf, by folds and by the outer rows."""
    found = {(size, risk): one for size in LEAF_SIZES for risk, one in of_size(part, size).items()}
    part.evidence.grow.grown.clear()
    return found


def of_size(part: Part, size: int) -> dict[str, Judged]:
    """The trees of every path where leaves have at least so many rows."""
    known = part.evidence
    tree = known.grow(np.arange(len(part.y)), size)
    of_tree = paths(tree, ALL_RISKS)
    deals = dealt(known.target, FOLDS, MOST_DEALS, seed=0)
    curves = cross_validated(
        Rows(known.table, known.target),
        lambda rows: known.grow(rows, size),
        lambda one: paths(one, ALL_RISKS),
        of_tree,
        deals,
        threads=1,
    )
    costs = outer_costs(part, tree)
    return {
        risk: Judged(
            path.sizes(tree.n_leaves),
            curves[risk].fold_errors,
            errors_at(tree, path, path.starts, costs),
        )
        for risk, path in of_tree.items()
    }


def outer_costs(part: Part, tree: Tree) -> PairCosts:
    """What the nodes of a tree cost on the outer rows."""
    table = bind_prediction(part.X_test, tree.schema)
    if part.task == "regression":
        target = bind_numbers(part.y_test, None, table.n_rows)
    else:
        codes = bind_codes(part.y_test, np.asarray(tree.classes))
        target = replace(part.evidence.target, values=codes)
    return routed_costs(tree, Rows(table, target))


def choice(candidate: Candidate, curves: Mapping[tuple[int, str], Judged]) -> tuple[int, float]:
    """The leaves and the outer error of the tree that a candidate takes."""
    found = []
    for place in product(candidate.sizes, candidate.risks):
        if place in curves:
            one = curves[place]
            folds = one.fold_errors[: candidate.deals * FOLDS]
            spread = folds.std(axis=0, ddof=1) / np.sqrt(FOLDS)
            found += zip(folds.mean(axis=0), one.leaves, spread, one.outer, strict=True)
    least, _, spread, _ = min(found)
    limit = least * (1 + 1e-9) + candidate.given_away * spread
    _, leaves, _, error = min((one for one in found if one[0] <= limit), key=lambda one: one[1])
    return int(leaves), float(error)


def mean_excess(figures: Sequence[Figure], method: str) -> float:
    """How far a candidate is above the best one of each table, on average (1: nowhere)."""
    best: dict[str, float] = {}
    for figure in figures:
        best[figure.table] = min(figure.error, best.get(figure.table, np.inf))
    own = [one for one in figures if one.method == method and best[one.table] > 0]
    return float(np.mean([one.error / best[one.table] for one in own]))


if __name__ == "__main__":
    sys.exit(main())
