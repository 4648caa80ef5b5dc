"""The fair comparison of columns: levels without evidence, and the charge for fitted levels.

A set of levels is fitted to the target, so its gain grows with the number of levels even where the
column is noise. Under `category_gain="fair"` a level with a single row decides nothing, and a
column competes with its gain less what so many groups gain by chance. All sums are exact.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.oracle_criteria import Stats

CHARGED_FORMS = ("subset", "multiway")
SLACK = 1e-9


def lone_levels(values: Sequence, rows: Sequence[int]) -> frozenset[int]:
    """The levels with one row, in a column with more than two values (missing is one)."""
    counts = Counter(values[row] for row in rows)
    if len(counts) <= 2:
        return frozenset()
    return frozenset(v for v, count in counts.items() if count == 1 and v is not None)


@dataclass(frozen=True)
class Charge:
    """What a column pays: a share of its gain, or a fixed amount where its groups are all alike."""

    share: float = 0.0
    fixed: float = 0.0

    def of(self, gain: float) -> float:
        return gain * self.share + self.fixed

    def score(self, gain: float) -> float:
        return gain - self.of(gain)


FREE = Charge()


def charge_for(
    groups: Sequence[Stats],
    n_targets: int,
    spread: Fraction,
    weights: Sequence[Sequence[int]] | None = None,
) -> Charge:
    """The charge of a column whose rows at a node form these groups.

    `weights` are those of the rows of each group; None: all equal.
    `n_targets` is the number of classes at the node, 2 for numbers; `spread` the node's impurity
    times its weight (Gini for classes, squared deviations for numbers).
    """
    if len(groups) <= 2:
        return FREE
    node = total(groups)
    between = sum(squares(group) for group in groups) - squares(node)
    counts = (len(groups), node.rows) if weights is None else effective(weights)
    by_chance = chance_share(*counts, n_targets)
    if between <= 0:
        return Charge(fixed=by_chance * float(spread / node.weight))
    return Charge(share=by_chance / float(between / spread))


def effective(weights: Sequence[Sequence[int]]) -> tuple[Fraction, Fraction]:
    """How many groups and rows of equal weight would explain as much by chance as these.

    Targets that are dealt to the rows at random give a group of weights w the expected squared sum
    (sum w^2) / (sum w), in units of their variance; a group of rows of equal weight gives 1.
    """
    rows = [weight for group in weights for weight in group]
    unit = Fraction(sum(weight * weight for weight in rows), sum(rows))
    groups = sum(Fraction(sum(w * w for w in group), sum(group)) for group in weights)
    return groups / unit, sum(rows) / unit


def chance_share(n_groups: Fraction | int, n_rows: Fraction | int, n_targets: int) -> float:
    """The share of the spread that groups explain by chance: the mean and a standard deviation."""
    if n_groups <= 2 or n_rows <= n_groups:
        return float(n_groups > 2)
    mean = Fraction(n_groups - 2) / (n_rows - 2)
    variance = 2 * mean * (1 - mean) / ((n_rows + 1) * (n_targets - 1))
    return float(mean) + math.sqrt(variance)


def total(groups: Sequence[Stats]) -> Stats:
    node = groups[0]
    for group in groups[1:]:
        node += group
    return node


def squares(stats: Stats) -> Fraction:
    return Fraction(sum(part * part for part in stats.sums), stats.weight)
