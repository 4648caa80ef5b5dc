"""Random training problems in volume, from a NumPy generator: the same seed, the same problem."""

from collections.abc import Callable

import numpy as np

from tests.oracle_units import BINARY, CATEGORICAL, CONTINUOUS, ORDINAL, Rules
from tests.properties.cases import Case

CLASS_CRITERIA = ("gini", "entropy", "error")
NUMBER_CRITERIA = ("squared_error", "poisson")
CATEGORY_GAINS = ("plain", "fair")

TINY = (0.0, -0.0, 5e-324, -5e-324, 1e-323, 1e-310, 2.2250738585072014e-308, 1e-300)
PLAIN = (0.1, 1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 0.0), 1e16, 1e16 + 2, -1.0)
LARGEST = 1.7976931348623157e308
HUGE = (1e308, np.nextafter(1e308, 0.0), -1e308, LARGEST, -LARGEST, np.inf, -np.inf)
EXTREME_VALUES = (*TINY, *PLAIN, *HUGE)


Made = tuple[np.ndarray, int, int]


def random_case(rng: np.random.Generator, max_rows: int = 40) -> Case:
    """Any small problem: mixed columns, ties, missing values, weights, extreme numbers, rules."""
    return case_from(rng, int(rng.integers(1, max_rows + 1)), ORDINARY_COLUMNS)


def random_rich_case(rng: np.random.Generator) -> Case:
    """Some hundred rows, and columns with more distinct values than a byte can number."""
    return case_from(rng, int(rng.integers(270, 500)), ORDINARY_COLUMNS + RICH_COLUMNS * 2)


def case_from(
    rng: np.random.Generator, n_rows: int, makers: tuple[Callable[..., Made], ...]
) -> Case:
    made = [makers[rng.integers(len(makers))](rng, n_rows) for _ in range(rng.integers(1, 6))]
    if rng.random() < 0.3:
        made.append(mirrored(*made[0]))
    columns, kinds, n_levels = (list(part) for part in zip(*made, strict=True))
    target, n_classes, criterion = random_target(rng, n_rows)
    rules = random_rules(rng, criterion, n_rows)
    return Case(columns, kinds, n_levels, target, n_classes, random_weights(rng, n_rows), rules)


def continuous_column(rng: np.random.Generator, n_rows: int) -> Made:
    shapes = (small_integers, small_integers, smooth, extremes, neighbours, constant)
    return finished(rng, shapes[rng.integers(len(shapes))](rng, n_rows))


def rich_column(rng: np.random.Generator, n_rows: int) -> Made:
    shapes = (smooth, any_doubles, any_integers, many_neighbours)
    return finished(rng, shapes[rng.integers(len(shapes))](rng, n_rows))


def finished(rng: np.random.Generator, values: np.ndarray) -> Made:
    """Sometimes with missing values, sometimes with gaps in memory."""
    if np.issubdtype(values.dtype, np.floating) and rng.random() < 0.4:
        share = rng.choice([0.02, 0.1, 0.5, 1.0], p=[0.25, 0.35, 0.35, 0.05])
        values[rng.random(len(values)) < share] = np.nan
    return maybe_strided(rng, values), CONTINUOUS, 0


def mirrored(values: np.ndarray, kind: int, n_levels: int) -> Made:
    """A column with the same partitions, left and right exchanged: gains equal or a bit apart."""
    if kind == CONTINUOUS:
        return -values.astype(np.float64), kind, n_levels
    codes = values.astype(np.int32)
    return np.where(codes < 0, codes, n_levels - 1 - codes).astype(np.int32), kind, n_levels


def small_integers(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    kinds = ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
    return rng.integers(0, rng.integers(2, 9), n_rows).astype(kinds[rng.integers(len(kinds))])


def smooth(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    return rng.normal(size=n_rows).astype(rng.choice(["f4", "f8"]))


def extremes(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    return rng.choice(EXTREME_VALUES, n_rows)


def neighbours(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Values a few units in the last place apart."""
    start = np.array(rng.choice([1.0, -1.0, 0.1, 1e-310, 1e300]))
    return (start.view("i8") + rng.integers(0, 4, n_rows)).view("f8")


def any_doubles(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Any bits: all sizes, both signs, a few of them NaN."""
    return rng.integers(-(2**63), 2**63, n_rows, dtype=np.int64).view(np.float64)


def any_integers(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    dtype = rng.choice(["i2", "i4", "u2", "u4"])
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, n_rows, dtype=dtype, endpoint=True)


def many_neighbours(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Values one unit in the last place apart, across zero and between powers of two."""
    start = np.array(rng.choice([1.0, -1.0, 1e300, 1e-310, 2.0]))
    return (start.view("i8") + rng.integers(-n_rows, n_rows, n_rows)).view("f8")


def constant(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    return np.full(n_rows, rng.choice(EXTREME_VALUES))


def maybe_strided(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    """The same values, sometimes as a view with gaps or running backwards."""
    layout = rng.integers(4)
    if layout == 0:
        return np.repeat(values, 3)[::3]
    return values[::-1].copy()[::-1] if layout == 1 else values


def codes(rng: np.random.Generator, n_rows: int, n_levels: int) -> np.ndarray:
    values = rng.integers(0, n_levels, n_rows).astype(np.int32)
    if rng.random() < 0.4:
        values[rng.random(n_rows) < 0.25] = -1
    return values


def ordinal_column(rng: np.random.Generator, n_rows: int) -> Made:
    n_levels = int(rng.integers(1, 7))
    return codes(rng, n_rows, n_levels), ORDINAL, n_levels


def categorical_column(rng: np.random.Generator, n_rows: int) -> Made:
    n_levels = int(rng.integers(1, 7))
    return codes(rng, n_rows, n_levels), CATEGORICAL, n_levels


def binary_column(rng: np.random.Generator, n_rows: int) -> Made:
    values = codes(rng, n_rows, 2)
    if values.min() >= 0:
        values = values.astype(rng.choice(["u1", "?"]))
    return values, BINARY, 2


def rich_codes(rng: np.random.Generator, n_rows: int) -> Made:
    n_levels = int(rng.choice([255, 256, 257, 400]))
    kind = CATEGORICAL if rng.random() < 0.5 else ORDINAL
    return codes(rng, n_rows, n_levels), kind, n_levels


ORDINARY_COLUMNS = (continuous_column,) * 2 + (ordinal_column, categorical_column, binary_column)
RICH_COLUMNS = (rich_column,) * 3 + (rich_codes,)


def random_target(rng: np.random.Generator, n_rows: int) -> tuple[np.ndarray, int, str]:
    if rng.random() < 0.5:
        n_classes = int(rng.choice([1, 2, 3, 4, 6], p=[0.04, 0.4, 0.26, 0.15, 0.15]))
        seen = n_classes if rng.random() < 0.8 else rng.integers(1, n_classes + 1)
        target = rng.integers(0, seen, n_rows).astype(np.int32)
        return target, n_classes, str(rng.choice(CLASS_CRITERIA))
    criterion = str(rng.choice(NUMBER_CRITERIA))
    makers = POISSON_TARGETS if criterion == "poisson" else NUMBER_TARGETS
    target = makers[rng.integers(len(makers))](rng, n_rows)
    return target.astype(np.float64), 0, criterion


def with_outlier(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Small numbers beside one so large that they are only a few units of the target."""
    values = rng.integers(-4, 5, n_rows).astype(np.float64)
    values[rng.integers(n_rows)] = 2.0 ** rng.integers(40, 62)
    return values


NUMBER_TARGETS = (
    with_outlier,
    lambda rng, n: rng.integers(-2, 3, n),
    lambda rng, n: rng.normal(size=n),
    lambda rng, n: 1e9 + 1e-3 * rng.normal(size=n),
    lambda rng, n: 1e-12 * rng.normal(size=n),
    lambda rng, n: 1e300 * rng.choice([-1.0, 1.0, 0.5], n),
    lambda rng, n: rng.choice([5e-324, 1e-323, 0.0, 1e-310], n),
    lambda rng, n: np.exp(rng.normal(size=n) * 20),
    lambda rng, n: np.full(n, 0.1),
)
POISSON_TARGETS = (
    lambda rng, n: rng.poisson(1.0, n),
    lambda rng, n: rng.exponential(size=n),
    lambda rng, n: rng.integers(0, 2, n),
    lambda rng, n: 1e9 + rng.exponential(size=n),
    lambda rng, n: 1e300 * rng.integers(0, 3, n),
    lambda rng, n: np.zeros(n),
)


def random_weights(rng: np.random.Generator, n_rows: int) -> np.ndarray | None:
    if rng.random() < 0.4:
        return None
    makers = (
        lambda: rng.integers(0, 4, n_rows),
        lambda: rng.integers(1, 33, n_rows) / 8,
        lambda: rng.random(n_rows),
        lambda: np.exp(rng.normal(size=n_rows) * 15),
        lambda: np.full(n_rows, rng.choice([2.0, 0.1, 1e-300, 1e290])),
    )
    weights = makers[rng.integers(len(makers))]().astype(np.float64)
    if rng.random() < 0.3:
        weights[rng.random(n_rows) < 0.3] = 0.0
    return weights if weights.any() else np.ones(n_rows)


def random_rules(rng: np.random.Generator, criterion: str, n_rows: int) -> Rules:
    """Defaults, but for about one choice in seven."""
    unusual = {
        "max_depth": int(rng.choice([1, 2, 5])),
        "min_samples_split": int(rng.choice([3, 6])),
        "min_samples_leaf": int(rng.choice([2, 4])),
        "min_weight_fraction_leaf": float(rng.choice([0.05, 0.1, 0.25, 0.5])),
        "max_leaf_nodes": int(rng.choice([1, 2, 3, 5, n_rows + 1])),
        "min_impurity_decrease": float(rng.choice([1e-6, 1e-3, 0.02])),
        "min_gain": float(rng.choice([1e-6, 0.05])),
    }
    return Rules(criterion, **{name: unusual[name] for name in unusual if rng.random() < 0.15})
