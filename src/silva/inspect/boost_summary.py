"""How good a boosted composition is, beside the answer that needs no tree."""

from dataclasses import dataclass

from silva.data.table import Table, Target
from silva.ensemble.boost import Boosting, Stop
from silva.ensemble.boosted import Boosted, votes
from silva.inspect.forest_summary import baseline
from silva.inspect.summary import BASELINE, MEASURE, Comparison, depth, measured, table_lines
from silva.messages import counted
from silva.notebook import ShownAsText

WHY: dict[Stop | None, str] = {
    None: "",
    "perfect": "; stopped at a tree without errors",
    "chance": "; stopped where a tree was no better than chance",
}


@dataclass(frozen=True, slots=True)
class BoostSummary(ShownAsText):
    """What a fit achieved. `leaves` and `depth` are those of the largest tree.

    In the comparisons `tree` is the composition. `held_out` is None without held-out rows, and
    `stopped` None unless boosting stopped before `n_estimators`.
    """

    trees: int
    leaves: int
    depth: int
    stopped: Stop | None
    training: Comparison
    held_out: Comparison | None = None

    def __str__(self) -> str:
        head = (
            f"{counted(self.trees, 'tree', 'trees')} of at most"
            f" {counted(self.leaves, 'leaf', 'leaves')}, depth {self.depth}{WHY[self.stopped]};"
            f" {MEASURE['classification']}:"
        )
        parts = {"training": self.training, "held-out": self.held_out}
        lines = table_lines("classification", "boosted", BASELINE["classification"], parts)
        return "\n".join([head, *lines])


def summarise_boosting(
    boosted: Boosted, stopped: Stop | None, training: Comparison, held_out: Comparison | None
) -> BoostSummary:
    """The summary of a composition; visits every tree."""
    most = max(tree.n_leaves for tree in boosted.trees)
    deepest = max(map(depth, boosted.trees))
    return BoostSummary(len(boosted), most, deepest, stopped, training, held_out)


def on_training(boosting: Boosting, target: Target) -> Comparison:
    """Composition and baseline on the training rows of positive weight."""
    if target.weights is None:
        return measured(target, boosting.codes, baseline(target))
    rows = target.weights > 0
    return measured(target.take(rows), boosting.codes[rows], baseline(target))


def on_held_out(
    boosted: Boosted, training: Target, table: Table, target: Target, threads: int = 1
) -> Comparison:
    """Composition and baseline (the majority class of training) on rows not used in training."""
    return measured(target, votes(boosted, table, threads).codes, baseline(training))
