"""How a column of dates, durations or times of day is counted: units from an origin."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

Sort = Literal["datetime", "duration", "time"]
SORTS: tuple[Sort, ...] = get_args(Sort)
UTC = "UTC"

UNITS: dict[str, int] = {
    "D": 86_400 * 10**18,
    "h": 3_600 * 10**18,
    "m": 60 * 10**18,
    "s": 10**18,
    "ms": 10**15,
    "us": 10**12,
    "ns": 10**9,
    "ps": 10**6,
    "fs": 10**3,
    "as": 1,
}
"""NumPy's names of units and their lengths in attoseconds, the finest that NumPy has.

Coarsest first; each is a multiple of the next.
"""

UNIT_WORDS = {
    "D": "days",
    "h": "hours",
    "m": "minutes",
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
    "ps": "picoseconds",
    "fs": "femtoseconds",
    "as": "attoseconds",
}


@dataclass(frozen=True, slots=True)
class TimeScale:
    """The number of a value is its distance from the origin in units.

    `origin` is a whole number of units after 1970-01-01 00:00 (of a duration: its length; of a time
    of day: after midnight). `zone` is "UTC" for instants, which know their time zone, else None.
    """

    sort: Sort
    unit: str
    origin: int = 0
    zone: str | None = None

    @property
    def length(self) -> int:
        """Attoseconds of a unit."""
        return UNITS[self.unit]

    def number(self, attoseconds: int) -> float:
        """The largest float64 that is not above the exact number of this value.

        So `value < threshold` and `number < threshold` agree for every float64 threshold, whatever
        the unit of the value.
        """
        return float_below(attoseconds - self.origin * self.length, self.length)

    def attoseconds(self, number: float) -> int:
        """The first value whose number is at least this, in whole attoseconds."""
        return math.ceil((Fraction(number) + self.origin) * self.length)


def coarsest_unit(step: int) -> str:
    """The coarsest unit that goes into a number of attoseconds without a rest."""
    return next(unit for unit, length in UNITS.items() if step % length == 0)


def float_below(numerator: int, denominator: int) -> float:
    """The largest float64 that is not above the quotient."""
    nearest = numerator / denominator
    top, bottom = nearest.as_integer_ratio()
    too_large = top * denominator > numerator * bottom
    return math.nextafter(nearest, -math.inf) if too_large else nearest
