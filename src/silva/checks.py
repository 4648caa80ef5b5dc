"""How single choices are judged: what is a number, what is refused and in which words."""

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np

from silva.errors import PlanError
from silva.messages import nearest, shown


def is_whole(value: object) -> bool:
    """An integer of any kind, but not a bool."""
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def is_real(value: object) -> bool:
    """A real number of any kind, but not a bool."""
    return type(value) is float or (isinstance(value, Real) and not isinstance(value, bool))


def as_float(value: Any) -> float:
    """A real number as float64; infinite where it is beyond the range."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def refuse(name: str, value: object, allowed: str, hint: str = "") -> NoReturn:
    """Raise the error that every bad choice gets: the parameter, what was seen, what is allowed."""
    note = f" {hint}" if hint else ""
    kind = "" if isinstance(value, str) else f" ({type(value).__name__})"
    raise PlanError(f"{name}={shown(value)}{kind} is not possible: {allowed}.{note}")


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Refuse anything but one of these words; a near one is suggested."""
    if not (isinstance(value, str) and value in choices):
        refuse(name, value, f"use {either(choices)}", near(value, choices))


def check_flag(name: str, value: object, more: str = "") -> None:
    """Refuse anything but True and False; `more` names what the caller takes besides."""
    if not isinstance(value, bool | np.bool_):
        refuse(name, value, f"use True or False{more}")


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    if not is_whole(value) or value < least or (most is not None and value > most):
        allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
        refuse(name, value, f"use a whole number {allowed}")
    return int(value)


def whole_or_none(name: str, value: Any, least: int) -> int | None:
    if value is None:
        return None
    if not is_whole(value) or value < least:
        refuse(name, value, f"use a whole number of at least {least}, or None for no limit")
    return int(value)


def real(name: str, value: Any, low: float, high: float = math.inf) -> float:
    number = as_float(value) if is_real(value) else math.nan
    if not (low <= number <= high and math.isfinite(number)):
        allowed = f"use a finite number of at least {low:g}"
        if high < math.inf:
            allowed = f"use a number from {low:g} to {high:g}"
        why = "Two children cannot both hold more than half of the weight."
        too_much = high == 0.5 and number > high
        refuse(name, value, allowed, why if too_much else "")
    return number


def either(choices: Sequence[str]) -> str:
    return " or ".join(", ".join(map(repr, choices)).rsplit(", ", 1))


def near(value: object, choices: Sequence[str]) -> str:
    found = nearest(value, choices)
    return f"Did you mean {found!r}?" if found is not None else ""
