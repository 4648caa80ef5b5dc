"""`python -m benchmarks.category_rules`: rules by which a column of categories may compete.

One node of two classes. Each rule chooses among a number and columns of 2 to 500 levels and an
identifier; then the chosen split is tried on fresh rows of the same distribution. Three worlds: all
columns are noise; the number matters; the town of 100 levels matters (and the number a little).
"""

import argparse
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

LEVELS = (2, 5, 20, 100, 500)
USEFUL_LEVELS = 100
FRESH_ROWS = 20_000
PERMUTATIONS = 8
SMOOTHING, LEAST_ROWS = 10.0, 5


class Levels(NamedTuple):
    """What a node knows of a column: rows and rows of class 1 of each level, by their codes."""

    rows: np.ndarray
    ones: np.ndarray

    @property
    def n_rows(self) -> float:
        return float(self.rows.sum())

    @property
    def share(self) -> float:
        return float(self.ones.sum()) / self.n_rows


class Chosen(NamedTuple):
    """A set of levels: its Gini gain, and the levels that go right."""

    gain: float
    right: np.ndarray


def gini_gain(right: np.ndarray, right_ones: np.ndarray, levels: Levels) -> np.ndarray:
    """The gain of right sides of so many rows and rows of class 1."""
    n, p = levels.n_rows, levels.share
    left = n - right
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = 2 * np.square(right_ones - right * p) / (right * left)
    return np.where((right > 0) & (left > 0), gain, 0.0)


def best_set(levels: Levels, order_by: np.ndarray | None = None) -> Chosen:
    """The best prefix of the levels in order of their share of class 1, or of `order_by`."""
    seen = np.flatnonzero(levels.rows)
    key = levels.ones[seen] / levels.rows[seen] if order_by is None else order_by[seen]
    order = seen[np.argsort(-key, kind="stable")]
    gains = gini_gain(np.cumsum(levels.rows[order]), np.cumsum(levels.ones[order]), levels)[:-1]
    right = np.zeros(len(levels.rows), bool)
    if not len(gains):
        return Chosen(0.0, right)
    right[order[: int(gains.argmax()) + 1]] = True
    return Chosen(float(gains.max()), right)


def multiway_share(levels: Levels) -> float:
    """R2: the share of the impurity that all levels apart explain."""
    seen = levels.rows > 0
    between = np.square(levels.ones[seen] - levels.rows[seen] * levels.share) / levels.rows[seen]
    return float(between.sum()) / (levels.n_rows * levels.share * (1 - levels.share))


def charged(levels: Levels, chosen: Chosen, rho: float, sigmas: float) -> float:
    sigma = math.sqrt(max(0.0, 2 * rho * (1 - rho) / (levels.n_rows + 1)))
    return chosen.gain * (1 - (rho + sigmas * sigma) / max(multiway_share(levels), 1e-300))


def n_levels(levels: Levels) -> int:
    return int(np.count_nonzero(levels.rows))


def joined(levels: Levels, most_rows: int) -> Levels:
    """The levels of at most so many rows as one more level."""
    rare = (levels.rows > 0) & (levels.rows <= most_rows)
    rows = np.append(np.where(rare, 0, levels.rows), levels.rows[rare].sum())
    return Levels(rows, np.append(np.where(rare, 0, levels.ones), levels.ones[rare].sum()))


Scored = tuple[float, np.ndarray]
"""The number with which a column competes, and the levels that its split sends right."""


def plain(levels: Levels, random: np.random.Generator) -> Scored:
    chosen = best_set(levels)
    return chosen.gain, chosen.right


def by_rho(levels: Levels, random: np.random.Generator, sigmas: float = 0.0) -> Scored:
    chosen = best_set(levels)
    rho = (n_levels(levels) - 1) / (levels.n_rows - 1)
    return charged(levels, chosen, rho, sigmas), chosen.right


def by_rho_and_sigma(levels: Levels, random: np.random.Generator) -> Scored:
    return by_rho(levels, random, 1.0)


def twice_rho(levels: Levels, random: np.random.Generator) -> Scored:
    chosen = best_set(levels)
    rho = (n_levels(levels) - 2) / (levels.n_rows - 2)
    return charged(levels, chosen, 2 * rho, 0.0), chosen.right


def fair(levels: Levels, random: np.random.Generator) -> Scored:
    """silva's rule: lone levels follow the larger side, one question free, rho and one sigma."""
    known = joined(levels, 1) if n_levels(levels) > 2 else levels
    chosen = best_lighter_set(levels, known.rows[: len(levels.rows)] > 0)
    rho = max(0.0, (n_levels(known) - 2) / (levels.n_rows - 2))
    return charged(known, chosen, rho, 1.0), chosen.right


def best_lighter_set(levels: Levels, listed: np.ndarray) -> Chosen:
    """The best set of the listed levels, the lighter side of them; all other rows go left."""
    seen = np.flatnonzero(listed)
    order = seen[np.argsort(levels.ones[seen] / levels.rows[seen], kind="stable")]
    rows, ones = np.cumsum(levels.rows[order]), np.cumsum(levels.ones[order])
    right = np.zeros(len(levels.rows), bool)
    if len(order) < 2:
        return Chosen(-math.inf, right)
    is_lighter = 2 * rows < rows[-1]
    sides = np.where(is_lighter, (rows, ones), (rows[-1] - rows, ones[-1] - ones))
    gains = gini_gain(*sides, levels)[:-1]
    at = int(gains.argmax())
    right[order[: at + 1] if is_lighter[at] else order[at + 1 :]] = True
    return Chosen(float(gains[at]), right)


def leave_one_out(levels: Levels, random: np.random.Generator) -> Scored:
    """Each row's level is put on a side by its other rows; a reversed direction counts against."""
    chosen = best_set(levels)
    seen = np.flatnonzero(levels.rows)
    shares = levels.ones / np.maximum(levels.rows, 1)
    limit = shares[chosen.right].min(initial=1.0)
    right = right_ones = 0.0
    for is_one in (0, 1):
        count = (levels.ones if is_one else levels.rows - levels.ones)[seen]
        others = levels.rows[seen] - 1
        goes = np.where(others > 0, (levels.ones[seen] - is_one) / np.maximum(others, 1), -1.0)
        moved = float(count[goes >= limit].sum())
        right, right_ones = right + moved, right_ones + moved * is_one
    gain = float(gini_gain(np.array(right), np.array(right_ones), levels))
    return math.copysign(gain, right_ones - right * levels.share), chosen.right


def permuted(levels: Levels, random: np.random.Generator) -> Scored:
    """The gain less the mean best gain of permuted targets."""
    chosen = best_set(levels)
    draws = random.multivariate_hypergeometric(
        levels.rows, int(levels.ones.sum()), PERMUTATIONS, method="marginals"
    )
    by_chance = [best_set(Levels(levels.rows, ones)).gain for ones in draws]
    return chosen.gain - float(np.mean(by_chance)), chosen.right


def by_p_value(levels: Levels, random: np.random.Generator) -> Scored:
    """The gain of one degree of freedom that is as unlikely, by Wilson and Hilferty's cube root."""
    chosen = best_set(levels)
    degrees = n_levels(levels) - 1
    if degrees < 1:
        return 0.0, chosen.right
    chi = multiway_share(levels) * (levels.n_rows - 1)
    z = (math.cbrt(chi / degrees) - (1 - 2 / (9 * degrees))) / math.sqrt(2 / (9 * degrees))
    root = 1 - 2 / 9 + z * math.sqrt(2 / 9)
    impurity = 2 * levels.share * (1 - levels.share)
    return impurity * math.copysign(abs(root) ** 3, root) / levels.n_rows, chosen.right


def smoothed(levels: Levels, random: np.random.Generator) -> Scored:
    """LightGBM's way: shares smoothed by 10 rows, sides shrunk by 10 rows."""
    key = (levels.ones + SMOOTHING * levels.share) / (levels.rows + SMOOTHING)
    chosen = best_set(levels, key)
    right = levels.rows[chosen.right].sum()
    spread = levels.ones[chosen.right].sum() - right * levels.share
    sides = (right, levels.n_rows - right)
    gain = sum(2 * spread**2 / (side + SMOOTHING) for side in sides) / levels.n_rows
    return float(gain), chosen.right


def frequent(levels: Levels, random: np.random.Generator) -> Scored:
    """YDF's way: levels below five rows are one level."""
    chosen = best_set(joined(levels, LEAST_ROWS - 1))
    rare = (levels.rows > 0) & (levels.rows < LEAST_ROWS)
    return chosen.gain, np.where(rare, chosen.right[-1], chosen.right[:-1])


RULES: dict[str, Callable[[Levels, np.random.Generator], Scored]] = {
    "plain": plain,
    "G (1 - rho / R2), rho = (L - 1) / (n - 1)": by_rho,
    "G (1 - (rho + sigma) / R2)": by_rho_and_sigma,
    "G (1 - 2 rho / R2), one question free": twice_rho,
    "fair: rho + sigma, one question free, lone levels unseen": fair,
    "leave-one-out, direction kept": leave_one_out,
    "less the mean of 8 permutations": permuted,
    "equal p-value (chi-square)": by_p_value,
    "smoothing by 10 rows (LightGBM)": smoothed,
    "levels below 5 rows together (YDF)": frequent,
}


class World(NamedTuple):
    """How much the number, and the town of `USEFUL_LEVELS` levels, move the log odds."""

    number: float = 0.0
    town: float = 0.0


WORLDS = {"noise": World(), "number": World(number=0.5), "town": World(number=0.3, town=0.8)}
COLUMNS = ("number", *(f"{count} levels" for count in LEVELS), "identifier")


class Rows(NamedTuple):
    number: np.ndarray
    codes: dict[str, np.ndarray]
    target: np.ndarray


def drawn(world: World, effects: np.ndarray, n_rows: int, random: np.random.Generator) -> Rows:
    number = random.normal(size=n_rows)
    codes = {f"{count} levels": random.integers(count, size=n_rows) for count in LEVELS}
    codes["identifier"] = np.arange(n_rows)
    useful = effects[codes[f"{USEFUL_LEVELS} levels"]]
    odds = world.number * number + world.town * useful
    return Rows(number, codes, random.random(n_rows) < 1 / (1 + np.exp(-odds)))


def best_threshold(rows: Rows) -> tuple[float, float]:
    """The gain of the best threshold of the number, and the threshold."""
    order = np.argsort(rows.number)
    ones = np.cumsum(rows.target[order])
    whole = Levels(np.array([len(order)]), np.array([ones[-1]]))
    gains = gini_gain(np.arange(1, len(order) + 1), ones, whole)[:-1]
    at = int(gains.argmax())
    return float(gains[at]), float(rows.number[order[at : at + 2]].mean())


def fresh_gain(column: str, right: np.ndarray, fresh: Rows) -> float:
    """What a chosen set gains on fresh rows; levels without training rows go left."""
    if column == "identifier":
        return 0.0
    goes = right[fresh.codes[column]]
    return _gain_of(goes, fresh.target)


def _gain_of(goes: np.ndarray, target: np.ndarray) -> float:
    whole = Levels(np.array([len(target)]), np.array([target.sum()]))
    gain = gini_gain(np.array(goes.sum()), np.array((goes & target).sum()), whole)
    return float(gain)


class Tally(NamedTuple):
    """By rule: how often each column was chosen, and the gain on fresh rows, summed."""

    chosen: dict[str, np.ndarray]
    fresh: dict[str, float]


def simulate(world: World, n_rows: int, repeats: int, seed: int) -> Tally:
    random = np.random.default_rng(seed)
    tally = Tally({rule: np.zeros(len(COLUMNS)) for rule in RULES}, dict.fromkeys(RULES, 0.0))
    for _ in range(repeats):
        effects = random.normal(size=USEFUL_LEVELS)
        rows = drawn(world, effects, n_rows, random)
        fresh = drawn(world, effects, FRESH_ROWS, random)
        counts = {
            name: Levels(np.bincount(codes), np.bincount(codes, rows.target).astype(int))
            for name, codes in rows.codes.items()
        }
        number_gain, threshold = best_threshold(rows)
        for rule, score in RULES.items():
            scored = {name: score(levels, random) for name, levels in counts.items()}
            best = max(scored, key=lambda name: scored[name][0])
            wins = scored[best][0] > number_gain
            tally.chosen[rule][COLUMNS.index(best) if wins else 0] += 1
            right = np.zeros(max(LEVELS), bool)
            right[: len(scored[best][1])] = scored[best][1][: len(right)]
            goes = fresh_gain(best, right, fresh) if wins else None
            tally.fresh[rule] += (
                _gain_of(fresh.number >= threshold, fresh.target) if goes is None else goes
            )
    return tally


def report(world: str, tally: Tally, repeats: int) -> str:
    """One row a rule: how often each column was chosen, in percent; the gain on fresh rows."""
    lines = [
        f"\n### {world}\n",
        f"| rule | {' | '.join(COLUMNS)} | gain on fresh rows x 1000 |",
        "|---|" + "---|" * (len(COLUMNS) + 1),
    ]
    for rule, chosen in tally.chosen.items():
        shares = " | ".join(f"{100 * count / repeats:.1f}" for count in chosen)
        lines.append(f"| {rule} | {shares} | {1000 * tally.fresh[rule] / repeats:.2f} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--repeats", type=int, default=500)
    options.add_argument("--rows", type=int, default=1000)
    chosen = options.parse_args(arguments)
    for seed, (name, world) in enumerate(WORLDS.items()):
        tally = simulate(world, chosen.rows, chosen.repeats, seed)
        print(report(f"{name}, {chosen.rows} rows", tally, chosen.repeats), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
