"""Trees of a forest the slow way: one call of the core a tree, one tree a row."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from silva import _core
from tests.properties.cases import Case

SEEDS = [0, 1, 2**64 - 1, 7, 7]
DRAWS = ("bootstrap", "subsample", "all")


@dataclass(frozen=True)
class ForestCase:
    """A training problem, how rows are drawn, and which columns a node may try."""

    case: Case
    bootstrap: str = "bootstrap"
    n_samples: int = 1
    max_features: int = 1
    splitter: str = "best"

    @property
    def choices(self) -> dict:
        return {"max_features": self.max_features, "splitter": self.splitter}

    def counts(self, seed: int) -> np.ndarray:
        """How often each row of the table counts."""
        kept = self.case.kept
        n_kept, counts = int(kept.sum()), np.zeros(len(kept), dtype=np.uint32)
        if self.bootstrap == "all":
            counts[kept] = 1
        else:
            replace_rows = self.bootstrap == "bootstrap"
            counts[kept] = _core.draw_counts(seed, n_kept, self.n_samples, replace_rows)
        return counts

    def by_core(self, seed: int) -> dict:
        """The single tree that the forest's tree of this seed must equal."""
        counts = self.counts(seed).astype(np.float64)
        weights = counts if self.case.weights is None else counts * self.case.weights
        return replace(self.case, weights=weights).by_core(seed=seed, **self.choices)

    def grower(self, oob: bool = False) -> _core.ForestGrower:
        case = self.case
        return _core.ForestGrower(
            case.columns,
            case.kinds,
            case.n_levels,
            case.target,
            case.weights,
            case.n_classes,
            bootstrap=self.bootstrap,
            n_samples=self.n_samples,
            oob=oob,
            **case.settings(),
            **self.choices,
        )

    def oob_by_routing(self, seeds: list[int]) -> dict:
        """The sums of all trees' answers for the rows that they did not see, tree after tree."""
        case, width = self.case, max(self.case.n_classes, 1)
        sums = {
            "votes": np.zeros(case.n_rows, dtype=np.int64),
            "shares": np.zeros((case.n_rows, width)),
            "shares_lost": np.zeros((case.n_rows, width)),
            "hard": np.zeros((case.n_rows, width), dtype=np.int64),
            "values": np.zeros(case.n_rows),
            "values_lost": np.zeros(case.n_rows),
        }
        for seed in seeds:
            arrays, unseen = self.by_core(seed), np.flatnonzero(self.counts(seed) == 0)
            nodes = case.routed(arrays)
            for row in unseen:
                sums["votes"][row] += 1
                if case.n_classes:
                    weights = class_weights(arrays, int(nodes[row]), width)
                    for k, share in enumerate((weights / weights.sum()).tolist()):
                        coarse = round(share * 2**36) / 2**36
                        sums["shares"][row, k] += coarse
                        sums["shares_lost"][row, k] += share - coarse
                    sums["hard"][row, weights.argmax()] += 1
                else:
                    before, term = sums["values"][row], mean_of(arrays, int(nodes[row]))
                    after = sums["values"][row] = before + term
                    sums["values_lost"][row] += _lost(before, term, after)
        classes = ("votes", "shares", "shares_lost", "hard")
        wanted = classes if case.n_classes else ("votes", "values", "values_lost")
        return {name: sums[name] for name in wanted}


@st.composite
def forests(draw, cases) -> ForestCase:
    case = draw(cases)
    n_kept = int(case.kept.sum())
    bootstrap = draw(st.sampled_from(DRAWS))
    most = n_kept if bootstrap == "subsample" else 2 * n_kept
    return ForestCase(
        case,
        bootstrap,
        draw(st.integers(1, most)),
        draw(st.integers(1, len(case.columns))),
        "best" if case.rules.breakpoints else draw(st.sampled_from(("best", "random"))),
    )


def some_forest(rng: np.random.Generator, case: Case) -> ForestCase:
    n_kept = int(case.kept.sum())
    return ForestCase(
        case,
        DRAWS[rng.integers(3)],
        int(rng.integers(1, n_kept + 1)),
        int(rng.integers(1, len(case.columns) + 1)),
        "best" if case.rules.breakpoints or rng.random() < 0.6 else "random",
    )


def _lost(before: float, term: float, after: float) -> float:
    """What rounding took from a sum; not a number where the sum is beyond float64."""
    if not math.isfinite(after):
        return math.nan
    return float(Fraction(before) + Fraction(term) - Fraction(after))


def leaves_below(arrays: dict, node: int) -> range:
    """The numbers of the leaves below a node, or of the node itself."""
    last = node
    while arrays["split_kind"][last] != 0:
        last = int(arrays["child"][arrays["child_start"][last + 1] - 1])
    is_leaf = arrays["split_kind"] == 0
    return range(int(is_leaf[:node].sum()), int(is_leaf[: last + 1].sum()))


def class_weights(arrays: dict, node: int, n_classes: int) -> np.ndarray:
    weights = np.zeros(n_classes)
    for leaf in leaves_below(arrays, node):
        entries = slice(*arrays["class_start"][leaf : leaf + 2])
        weights[arrays["class_code"][entries]] += arrays["class_weight"][entries]
    return weights


def mean_of(arrays: dict, node: int) -> float:
    from silva.tree import moments

    leaves = leaves_below(arrays, node)
    if arrays["split_kind"][node] == 0:
        return float(arrays["moment_value"][leaves[0]])
    sums = moments.to_integers(arrays["moment_sum"])
    total = sum(sums[leaf] for leaf in leaves)
    weight = sum(int(arrays["moment_weight"][leaf]) for leaf in leaves)
    return moments.mean(total, weight, arrays["center"], arrays["target_unit"])
