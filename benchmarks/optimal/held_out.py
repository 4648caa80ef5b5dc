"""`python -m benchmarks.optimal.held_out`: is the best tree on the training rows also better on
rows held out?

Twenty public tables as they come (categories and missing cells included), ten folds drawn once by a
fixed seed, the same for all. Optimal trees of depth 2, 3 and 4 are set beside greedy trees of the
same depth, greedy and cost-complexity pruned trees of as many leaves, and the tree of the size that
cross-validation chooses. Tables of more than 2,000 rows are cut to a sample of 2,000.

Left out of the tables of the pruning study: those of more than ten classes (a tree of 16 leaves can
hardly name them), of fewer than 200 rows, and the one whose neighbouring rows are neighbouring
moments (eeg: shuffled folds would know the answers).

With `--out FILE` each finished fold is added to a file of JSON lines, and what the file has is not
measured again.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import DATA_FOLDER
from benchmarks.optimal.held_out_report import report
from benchmarks.prune_sets import SETS, Part, read
from benchmarks.saved import recalled, remember
from silva.errors import DataWarning

LEFT_OUT = ("audiology", "avila", "letter", "soybean", "zoo", "eeg")
TABLES = [
    name for name, one in SETS.items() if one.task == "classification" and name not in LEFT_OUT
]
DEPTHS, FOLDS, SEED, SECONDS = (2, 3, 4), 10, 0, 10.0


@dataclass(frozen=True)
class Fold:
    """One method on one fold: right answers of the rows held out, training errors, leaves.

    `proved` is None for a method that proves nothing; `depth` is that of the optimal tree beside.
    """

    table: str
    depth: int
    fold: int
    method: str
    right: int
    rows: int
    training_errors: int
    training_rows: int
    leaves: int
    proved: bool | None
    seconds: float


@dataclass(frozen=True)
class Fitted:
    """What to ask a fitted tree."""

    predict: Callable[[Any], np.ndarray]
    leaves: int
    proved: bool | None = None


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    warnings.filterwarnings("ignore", message="The least populated class")
    warnings.filterwarnings("ignore", category=DataWarning)  # the tables are as they are
    found = recalled(options.out, Fold)
    for table in options.tables:
        for fold in measured(table, options, {(one.table, one.depth, one.fold) for one in found}):
            found.append(fold)
            remember(options.out, fold)
    wanted = [one for one in found if one.table in options.tables and one.depth in options.depths]
    print(report(wanted))
    return 0


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--data", type=Path, default=DATA_FOLDER, metavar="DIR")
    made.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES, metavar="TABLE")
    made.add_argument("--depths", nargs="+", type=int, default=list(DEPTHS), metavar="N")
    made.add_argument("--seconds", type=float, default=SECONDS, help="the limit of a search")
    made.add_argument("--folds", type=int, nargs="+", default=list(range(FOLDS)), metavar="I")
    made.add_argument("--out", type=Path, metavar="FILE")
    return made


def measured(table: str, options: argparse.Namespace, known: set[tuple]) -> Iterator[Fold]:
    """The chosen folds and depths of a table that are not known yet; each once all is measured."""
    parts = None
    for number in options.folds:
        for depth in options.depths:
            if (table, depth, number) in known:
                continue
            parts = parts or list(dealt(*read(options.data, table)))
            print(f"{table}: fold {number}, depth {depth}", file=sys.stderr, flush=True)
            yield from list(contest(table, parts[number], depth, number, options.seconds))


def dealt(frame: Any, target: np.ndarray) -> Iterator[Part]:
    """Ten parts, the classes dealt out evenly."""
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    for train, test in folds.split(frame, target):
        yield Part(
            "classification", frame.iloc[train], target[train], frame.iloc[test], target[test]
        )


def contest(table: str, part: Part, depth: int, number: int, seconds: float) -> Iterator[Fold]:
    """The optimal tree first: some of the others have as many leaves as it."""
    best, spent = timed(lambda: optimal(part, depth, seconds))
    yield judged(table, depth, number, "optimal", part, best, spent)
    for name, method in RIVALS.items():
        fitted, spent = timed(lambda method=method: method(part, depth, best.leaves))
        yield judged(table, depth, number, name, part, fitted, spent)


def timed(fit: Callable[[], Fitted]) -> tuple[Fitted, float]:
    """What a fit gives, and its CPU seconds."""
    start = time.process_time()
    return fit(), time.process_time() - start


def judged(
    table: str, depth: int, number: int, name: str, part: Part, fitted: Fitted, seconds: float
) -> Fold:
    right = int(np.sum(fitted.predict(part.X_test) == part.y_test))
    wrong = int(np.sum(fitted.predict(part.X) != part.y))
    rows = len(part.y_test), wrong, len(part.y)
    return Fold(table, depth, number, name, right, *rows, fitted.leaves, fitted.proved, seconds)


def optimal(part: Part, depth: int, seconds: float) -> Fitted:
    import silva

    model = silva.OptimalTreeClassifier(
        max_depth=depth, time_limit=seconds, n_jobs=1, random_state=0
    ).fit(part.X, part.y)
    return Fitted(model.predict, model.get_n_leaves(), bool(model.proved_))


def greedy(part: Part, depth: int, _: int) -> Fitted:
    """Of the same depth."""
    return tree(part, max_depth=depth)


def greedy_as_large(part: Part, _: int, leaves: int) -> Fitted:
    """Grown best first to as many leaves, of any depth."""
    return tree(part, max_leaf_nodes=max(leaves, 2))


def pruned_as_large(part: Part, _: int, leaves: int) -> Fitted:
    """The largest tree of the cost-complexity path that has no more leaves."""
    from silva.prune.cost_complexity import path
    from silva.tree.collapse import collapse

    cuts = path(part.full)
    step = int(np.argmax(cuts.n_leaves <= leaves))
    smaller = collapse(part.full, cuts.nodes[:step].tolist())
    return Fitted(lambda X: replace(part, X_test=X).answers(smaller), smaller.n_leaves)


def cross_validated(part: Part, *_: int) -> Fitted:
    """Pruned to the size that cross-validation chooses, by one standard error."""
    return tree(part, prune="cost_complexity")


def automatic(part: Part, *_: int) -> Fitted:
    """Pruned by silva's own choice."""
    return tree(part, prune="auto")


def tree(part: Part, **settings: Any) -> Fitted:
    import silva

    model = silva.TreeClassifier(n_jobs=1, random_state=0, **settings).fit(part.X, part.y)
    return Fitted(model.predict, model.get_n_leaves())


RIVALS: dict[str, Callable[[Part, int, int], Fitted]] = {
    "greedy, same depth": greedy,
    "greedy, as many leaves": greedy_as_large,
    "pruned, as many leaves": pruned_as_large,
    "pruned by cross-validation": cross_validated,
    "pruned by prune='auto'": automatic,
}


if __name__ == "__main__":
    sys.exit(main())
