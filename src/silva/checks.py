"""How single choices are judged: what is a number, what is refused and in which words."""

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from numbers import Integral, Real
from typing import Any, NoReturn, Self

import numpy as np

from silva.errors import PlanError, SilvaError
from silva.messages import nearest, shown

NO_LIMIT = 2**62
"""Larger limits mean no limit: the core counts in 64 bits."""


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
    return min(int(value), NO_LIMIT)


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


_SUCH_AS = {
    "prune": "MaxLeaves(10)",
    "plan": "CART()",
    "leaf": "MEstimate()",
    "splits": "ObliqueSplits()",
    "estimator": "TreeClassifier()",
}
"""Example objects for parameters that also take a name."""


class Settings:
    """Frozen choices with fields that scikit-learn's searches name, such as `prune__max_leaves`.

    Dataclasses derive from this. They never change: estimators put a changed copy in their place.
    """

    __slots__ = ()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The fields by name; with `deep` also those of the settings among them."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]
        if not deep:
            return values
        inner = {name: value for name, value in values.items() if isinstance(value, Settings)}
        return values | {
            f"{name}__{field}": part
            for name, value in inner.items()
            for field, part in value.get_params().items()
        }

    def set_params(self, **params: Any) -> NoReturn:
        """Refused: settings are shared and never change."""
        kind, name = type(self).__name__, next(iter(params), "name")
        raise TypeError(
            f"{kind} never changes: set {name} where it is used, as in"
            f" model.set_params(prune__{name}=...), or make another {kind}."
        )

    def with_params(self, where: str, params: dict[str, Any]) -> Self:
        """A copy with other values for some fields; `where` is the parameter that holds it."""
        changed = self._fields_of(where, params)
        try:
            return replace(self, **changed)  # type: ignore[type-var]
        except SilvaError as error:
            text = str(error)
            mark = "__" if text.partition("=")[0] in changed else ": "
            raise type(error)(f"{where}{mark}{text}") from error

    def _fields_of(self, where: str, params: dict[str, Any]) -> dict[str, Any]:
        """The new value of each field that is named, nested ones put together."""
        known = self.get_params(deep=False)
        changed, nested = {}, dict[str, dict[str, Any]]()
        for key, value in params.items():
            name, mark, part = key.partition("__")
            if name not in known:
                kind = type(self).__name__
                allowed = f"{kind} has {either(tuple(known))}"
                refuse(f"{where}__{key}", value, allowed, near(name, tuple(known)))
            if mark:
                nested.setdefault(name, {})[part] = value
            else:
                changed[name] = value
        for name, parts in nested.items():
            place = f"{where}__{name}"
            owner = settings_in(place, changed.get(name, known[name]))
            changed[name] = owner.with_params(place, parts)
        return changed

    def __sklearn_clone__(self) -> Self:
        return self


def settings_in(name: str, value: Any) -> Settings:
    """The value of a parameter whose own parameters are to be set; refused if it has none."""
    if isinstance(value, Settings):
        return value
    last = name.rpartition("__")[2]
    such_as = f", such as {last}=silva.{_SUCH_AS[last]}" if last in _SUCH_AS else ""
    refuse(name, value, f"it has no parameters of its own; give an object that has them{such_as}")
