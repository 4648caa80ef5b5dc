"""What an explanation is made of: plain frozen records."""

from dataclasses import dataclass
from typing import Any, Literal

State = Literal["known", "missing", "unseen"]
Sent = Literal["larger branch", "learned", "own branch", "with missing", "elsewhere", "stops"]
"""Where a split sends a row without a known value: to the child with more training weight, to
another as training found best, to the branch of missing values alone, with the missing values, to
another child for another reason, or nowhere."""

ByClass = dict[Any, float]
"""A number for each class, by its label."""


CONFIDENCE = 0.95
"""That of the intervals."""


@dataclass(frozen=True, slots=True)
class Value:
    """What a row has in a column: a number, the text of a date, a level; None if not known."""

    column: str
    value: Any
    words: str
    state: State


@dataclass(frozen=True, slots=True)
class Part:
    """One term of a sum, a distance, or the linear model of a leaf.

    `product` is what the term adds to the sum: `weight * value` of an oblique split, `weight *
    (value - center)` of a leaf's model. For a distance it is the scaled difference, `weight *
    (value - center)`, whose squares or sizes are added up; for the cosine distance the product of
    the scaled value and the scaled center. `value` is None where the row has none: a leaf's model
    then leaves the term out.
    """

    term: str
    weight: float
    value: float | None
    center: float | None
    product: float


@dataclass(frozen=True, slots=True)
class Measure:
    """What a split of several columns compares with its threshold; `value` is None if missing."""

    what: str
    value: float | None
    threshold: float
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One split that the row passed, or at which it stopped.

    `condition` is the exact rule of the branch taken, `short_condition` the same with long lists
    cut. `sent` says by which rule a value that is not known went on, `reason` that in words.
    `distance` is that of the value from the threshold, in units of the column (or of the sum or
    distance), `spreads` the same in standard deviations of the column in training, `nearness` both
    in words. `shares` or `mean` are those of `child`, `contribution` is what they changed. A row
    that stops has no child.
    """

    node: int
    child: int | None
    condition: str
    short_condition: str
    values: tuple[Value, ...]
    sent: Sent | None
    reason: str
    distance: float | None
    spreads: float | None
    nearness: str
    measure: Measure | None
    shares: ByClass | None
    mean: float | None
    contribution: ByClass | float


@dataclass(frozen=True, slots=True)
class LeafModel:
    """The linear model of a leaf for one row; for classes (`label`), log-odds.

    `total` is the intercept and the products of all terms, `answer` the same kept between `low` and
    `high` (None: no limit).
    """

    label: Any
    intercept: float
    terms: tuple[Part, ...]
    total: float
    answer: float
    low: float | None
    high: float | None
    is_clipped: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """The training rows behind a prediction: those of the node at which the row ends.

    `estimate` is the share of the predicted class among them, or their mean, with its interval of
    95% confidence (None where rows are too few for one). Where `is_weighted`, rows count by weight
    in the estimate; the sample size of the interval is `rows`, which are counted. `coverage` is the
    node's share of all training rows. `is_small`: there are fewer than ten rows.
    """

    node: int
    is_leaf: bool
    rows: int
    total_rows: int
    weight: float
    is_weighted: bool
    coverage: float
    estimate: float
    low: float | None
    high: float | None
    is_small: bool
