"""Times by hand: exact fractions of seconds, Python's calendar, and columns in many containers."""

import datetime
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

SECONDS = {
    "D": Fraction(86_400),
    "h": Fraction(3_600),
    "m": Fraction(60),
    "s": Fraction(1),
    "ms": Fraction(1, 10**3),
    "us": Fraction(1, 10**6),
    "ns": Fraction(1, 10**9),
    "ps": Fraction(1, 10**12),
    "fs": Fraction(1, 10**15),
    "as": Fraction(1, 10**18),
}
MOST = 2**53


def seconds(counts: Sequence[int | None], unit: str) -> list[Fraction | None]:
    """Counts of a unit as seconds."""
    return [None if count is None else count * SECONDS[unit] for count in counts]


def scale(values: Sequence[Fraction | None]) -> tuple[str, int] | None:
    """Unit and origin of training values, by trying all units; None where they span too much."""
    known = [value for value in values if value is not None]
    for unit, length in SECONDS.items():
        if any((value / length).denominator != 1 for value in known):
            continue
        numbers = [int(value / length) for value in known] or [0]
        if max(numbers) - min(numbers) > MOST:
            return None
        return unit, origin(numbers, length)
    raise AssertionError("finer than attoseconds")


def origin(numbers: Sequence[int], length: Fraction) -> int:
    """0 if that will do, else the start of the first day, hour, minute, ... that will do."""
    if all(abs(number) <= MOST for number in numbers):
        return 0
    for grain in SECONDS.values():
        start = min(numbers) * length // grain * grain
        if grain >= length and max(numbers) - start / length <= MOST:
            return int(start / length)
    raise AssertionError("the unit itself will do")


def number(value: Fraction | None, unit: str, start: int) -> float:
    """The largest float64 that is not above the exact number, found by stepping."""
    if value is None:
        return math.nan
    exact = value / SECONDS[unit] - start
    found = float(exact)
    while Fraction(found) > exact:
        found = math.nextafter(found, -math.inf)
    while Fraction(math.nextafter(found, math.inf)) <= exact:
        found = math.nextafter(found, math.inf)
    return found


def text(value: Fraction) -> str:
    """A date of the years 1 to 9999 by Python's calendar."""
    whole = value.numerator // value.denominator
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=whole)
    rest = f"{int((value - whole) * 10**18):018}".rstrip("0")
    if rest:
        return f"{moment:%Y-%m-%d %H:%M:%S}".rjust(19, "0") + f".{rest}"
    form = "%Y-%m-%d %H:%M:%S" if moment.second else "%Y-%m-%d %H:%M"
    form = form if (moment.hour, moment.minute, moment.second) != (0, 0, 0) else "%Y-%m-%d"
    year, _, others = f"{moment:{form}}".partition("-")
    return f"{int(year):04}-{others}"


def array(counts: Sequence[int | None], unit: str, kind: str = "M8") -> np.ndarray:
    """NumPy's times; None is NaT."""
    nat = np.iinfo(np.int64).min
    return np.array([nat if one is None else one for one in counts], np.int64).view(
        f"{kind}[{unit}]"
    )


def columns(counts: Sequence[int | None], unit: str, aware: bool) -> dict[str, Any]:
    """The same dates as a column `at` of every container that has the unit and can hold them."""
    values = array(counts, unit)
    found: dict[str, Any] = {} if aware else of_numpy(values, unit)
    if unit in ("s", "ms", "us", "ns"):
        found |= of_libraries(counts, values, unit, "Asia/Kolkata" if aware else None)
    if unit in ("ms", "us") and all(one is None or years(one, unit) for one in counts):
        found |= of_python(counts, unit, aware)
    return found


def years(count: int, unit: str) -> bool:
    """Whether a date is of the years 2 to 9998, which Python has in every time zone."""
    return -62_103_628_800 <= count * SECONDS[unit] < 253_370_764_800


def of_numpy(values: np.ndarray, unit: str) -> dict[str, Any]:
    swapped = values.astype(values.dtype.newbyteorder(">"))
    masked = np.ma.masked_array(values, np.isnat(values))
    return {
        "array": values[:, None],
        "swapped": swapped[:, None],
        "masked": masked[:, None],
        "records": np.array([(one,) for one in values], [("at", values.dtype)]),
        "scalars": [[one] for one in values],
        "objects": np.array([[None if np.isnat(one) else one] for one in values], object),
    }


def of_libraries(
    counts: Sequence[int | None], values: np.ndarray, unit: str, zone: str | None
) -> dict[str, Any]:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    stamps = pa.array(counts, pa.int64()).cast(pa.timestamp(unit, zone))
    series = pd.Series(values).astype(f"M8[{unit}]")
    if zone is not None:
        series = series.dt.tz_localize("UTC").dt.tz_convert(zone)
    arrow = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([stamps])))
    found: dict[str, Any] = {
        "pandas": pd.DataFrame({"at": series}),
        "pandas arrow": pd.DataFrame({"at": arrow}),
        "arrow": pa.table({"at": stamps}),
        "chunks": pa.table({"at": pa.chunked_array([stamps[:1], stamps[1:]])}),
    }
    if unit != "s":
        dtype = pl.Datetime(unit, zone)  # type: ignore[arg-type]
        found["polars"] = pl.DataFrame({"at": pl.Series(counts, dtype=pl.Int64).cast(dtype)})
    return found


def of_python(counts: Sequence[int | None], unit: str, aware: bool) -> dict[str, Any]:
    """Rows of datetime.datetime; aware ones in turn in three time zones."""
    hours = [0, -9, 14]
    rows: list[list[Any]] = []
    for row, count in enumerate(counts):
        step = (
            None
            if count is None
            else datetime.timedelta(microseconds=int(count * SECONDS[unit] * 10**6))
        )
        if step is None:
            rows.append([None])
        elif aware:
            zone = datetime.timezone(datetime.timedelta(hours=hours[row % 3]))
            rows.append(
                [(datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC) + step).astimezone(zone)]
            )
        else:
            rows.append([datetime.datetime(1970, 1, 1) + step])
    return {"datetimes": rows}
