"""How much a tree owes to the rows it happened to see: trees on random parts of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from silva.checks import as_float, is_real, refuse, whole
from silva.data.frames import readable_again
from silva.data.table import Table, Target, Task
from silva.errors import PlanError
from silva.inspect.bias_variance import BiasVariance, by_depth
from silva.inspect.cut_counts import CutCounter, CutCounts, count_cuts
from silva.inspect.ensemble_refits import Refits, use_distances
from silva.inspect.models import grows_many, template_of, training_target
from silva.inspect.subsamples import Sample, grown_samples, vectors
from silva.inspect.summary import depth
from silva.inspect.tree_distance import answer_distances, structure_distances
from silva.messages import counted
from silva.notebook import ShownAsText

MOST_LEVELS_SHOWN = 3
MOST_LEVELS = 10_000
LARGEST_SEED = 2**63 - 1
MOST_COLUMNS_SHOWN = 4


@dataclass(frozen=True, eq=False)
class Stability(ShownAsText):
    """Fits of one model on `samples` random parts of `n_kept` of the rows: trees, or ensembles.

    A row: `variance` of its answers over the trees (for classes, summed over the predicted
    shares), `disagreement`, the share of pairs of trees that tell it different classes (for
    numbers, the mean absolute difference of a pair). A pair of trees: `answer_distance` (share of
    rows with different classes; root mean squared difference) and `structure_distance` (see
    `tree_distance.structure_distances`). `model` is the fitted model of the sample `central`, whose
    tree has the least mean answer distance from the others (of equals, the least in structure).

    Of an ensemble all this is about its refits: `trees` is how many each has (None for models of
    one tree), `leaves` counts those of all its trees, `depths` is that of the deepest, `cuts` count
    the trees of all refits. The structure of two refits is as far apart as the share of their
    questions that are about other columns, a question at level l weighing 2^-l times the vote of
    its tree. There is no `bias_variance`.
    """

    task: Task
    share: float
    n_kept: int
    leaves: np.ndarray
    depths: np.ndarray
    variance: np.ndarray
    disagreement: np.ndarray
    cuts: CutCounts
    answer_distance: np.ndarray
    structure_distance: np.ndarray
    central: int
    model: Any
    bias_variance: BiasVariance | None
    trees: np.ndarray | None = None

    @property
    def samples(self) -> int:
        return len(self.leaves)

    @property
    def unit(self) -> str:
        """What was fitted to each part of the rows: "tree" or "refit"."""
        return "tree" if self.trees is None else "refit"

    @property
    def meaning(self) -> str:
        """What the ends of the scale of `structure_distance` mean."""
        if self.trees is None:
            return "0 the same columns everywhere, 1 other roots"
        return "0 the same columns as often, 1 no column in common"

    def __str__(self) -> str:
        rows, many = counted(len(self.variance), "row"), f"{self.unit}s"
        each = "" if self.trees is None else f" {range_words(self.trees)} trees with"
        lines = [
            f"{self.samples} {many}, each on {self.n_kept:,} of {rows}:"
            f"{each} {range_words(self.leaves)} leaves, depth {range_words(self.depths)}",
            f"two {many}: {self._apart()};"
            f" structure {mean_pair(self.structure_distance):.3f} apart ({self.meaning})",
            *self._levels(),
            f"most central: {self.unit} {self.central}, {self.leaves[self.central]:,} leaves",
        ]
        if self.bias_variance is not None:
            lines += ["cut off at depth:", str(self.bias_variance)]
        return "\n".join(lines)

    def _apart(self) -> str:
        mean = mean_pair(self.answer_distance)
        if self.task == "classification":
            return f"different answers for {100 * mean:.1f}% of the rows"
        return f"answers differ by {mean:.4g} (root mean square)"

    def _levels(self) -> list[str]:
        lines = []
        for level in range(min(MOST_LEVELS_SHOWN, len(self.cuts.column_share))):
            share = self.cuts.column_share[level]
            first = np.argsort(-share, kind="stable")[:MOST_COLUMNS_SHOWN]
            told = [f"{self.cuts.columns[one]} {share[one]:.0%}" for one in first if share[one] > 0]
            cut = next((cut for cut in self.cuts.cuts if cut.level == level), None)
            if cut is not None:
                trees = self.samples if self.trees is None else int(self.trees.sum())
                often = f"{cut.short_words} ({cut.trees / trees:.0%})"
                lines.append(f"level {level}: {', '.join(told)}; most often {often}")
        return lines


def stability(
    model: Any,
    X: Any,
    y: Any,
    samples: int = 50,
    share: float = 0.9,
    seed: int = 0,
    *,
    sample_weight: Any = None,
    levels: int = 5,
) -> Stability:
    """Fit the model on random parts of the rows and tell how the fits differ.

    The model, of one tree or an ensemble, is a template with all its settings, pruning included.
    Each part has the `share` of the rows, drawn without replacement; the draw of a part depends on
    `seed` and its number only. Columns and cuts are counted on the first `levels` levels. Refits of
    an ensemble make the same random draws (by `seed`, if `random_state` is None), so that they
    differ by their rows alone.
    """
    _check(samples, share, seed, levels)
    grower, X = template_of(model), readable_again(X)
    target = training_target(grower, y, sample_weight)
    n_kept = _n_kept(share, len(target.values))
    if grows_many(grower):
        refits = Refits(grower, X, y, sample_weight, n_kept, seed)
        return _of_refits(refits, target, share, samples, levels)
    grown, table = grown_samples(grower, X, y, sample_weight, n_kept, seed, samples)
    told = np.stack([sample.told for sample in grown])
    trees = [sample.tree for sample in grown]
    answers = answer_distances(told, target.classes is not None)
    structure = structure_distances(trees)
    central = _central(answers, structure)
    return Stability(
        task=target.task,
        share=float(share),
        n_kept=n_kept,
        leaves=np.array([tree.n_leaves for tree in trees]),
        depths=np.array([depth(tree) for tree in trees]),
        variance=_variance(grown, table),
        disagreement=_disagreement(told, target.classes),
        cuts=count_cuts(trees, levels),
        answer_distance=answers,
        structure_distance=structure,
        central=central,
        model=grown[central].model,
        bias_variance=by_depth(grown, table, target),
    )


def _of_refits(
    refits: Refits, target: Target, share: float, samples: int, levels: int
) -> Stability:
    counter, spread = CutCounter(levels), _Spread()
    found = []
    for refit in refits.each(samples, counter):
        spread.add(refit.answers)
        found.append(refit._replace(answers=np.empty(0)))
    told = np.stack([refit.predicted for refit in found])
    answers = answer_distances(told, target.classes is not None)
    structure = use_distances(np.stack([refit.uses for refit in found]))
    central = _central(answers, structure)
    return Stability(
        task=target.task,
        share=float(share),
        n_kept=refits.n_kept,
        leaves=np.array([refit.leaves for refit in found]),
        depths=np.array([refit.depth for refit in found]),
        variance=spread.variance,
        disagreement=_disagreement(told, target.classes),
        cuts=counter.counts(),
        answer_distance=answers,
        structure_distance=structure,
        central=central,
        model=refits.model(central),
        bias_variance=None,
        trees=np.array([refit.trees for refit in found]),
    )


def _check(samples: Any, share: Any, seed: Any, levels: Any) -> None:
    whole("samples", samples, 2)
    whole("seed", seed, 0, LARGEST_SEED)
    whole("levels", levels, 1, MOST_LEVELS)
    if not is_real(share) or not 0.0 < as_float(share) < 1.0:
        refuse("share", share, "use a number between 0 and 1")


def _n_kept(share: float, n_rows: int) -> int:
    if n_rows < 2:
        raise PlanError(f"{counted(n_rows, 'row')} cannot be sampled: give at least two.")
    return min(max(round(share * n_rows), 1), n_rows - 1)


def _central(answers: np.ndarray, structure: np.ndarray) -> int:
    means = zip(answers.mean(axis=1).tolist(), structure.mean(axis=1).tolist(), strict=True)
    return min((*pair, number) for number, pair in enumerate(means))[2]


def _variance(samples: list[Sample], table: Table) -> np.ndarray:
    """Of the answers of each row over the trees."""
    spread = _Spread()
    for sample in samples:
        spread.add(vectors(sample.tree, sample.ends, table, 0.0))
    return spread.variance


class _Spread:
    """The variance of the answers of each row, by Welford's update."""

    def __init__(self) -> None:
        self._count = 0
        self._mean: np.ndarray | float = 0.0
        self._sum: np.ndarray | float = 0.0

    def add(self, answer: np.ndarray) -> None:
        """The answers of one fit more: (rows, k)."""
        self._count += 1
        apart = answer - self._mean
        self._mean = self._mean + apart / self._count
        self._sum = self._sum + (apart * (answer - self._mean)).sum(axis=1)

    @property
    def variance(self) -> np.ndarray:
        return np.asarray(self._sum / self._count)


def _disagreement(told: np.ndarray, classes: np.ndarray | None) -> np.ndarray:
    n_trees = len(told)
    pairs = n_trees * (n_trees - 1)
    if classes is None:
        rank = 2 * np.arange(n_trees) - n_trees + 1
        return np.asarray(2.0 * (rank[:, None] * np.sort(told, axis=0)).sum(axis=0) / pairs)
    alike = np.zeros(told.shape[1])
    for code in range(len(classes)):
        votes = (told == code).sum(axis=0)
        alike += votes * (votes - 1)
    return 1.0 - alike / pairs


def mean_pair(distance: np.ndarray) -> float:
    """The mean distance of two different fits."""
    return float(distance.sum() / (len(distance) * (len(distance) - 1)))


def range_words(values: np.ndarray) -> str:
    """`3`, or `3 to 5`."""
    low, high = int(values.min()), int(values.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
