"""Reasons, checks and figures of fitted models. Names are loaded when they are first used."""

from importlib import import_module
from typing import Any

_HOMES: dict[str, str] = {
    "Dialog": "silva.inspect.dialog",
    "Explanation": "silva.inspect.explain",
    "Explanations": "silva.inspect.explain",
    "Rule": "silva.inspect.rules",
    "RuleList": "silva.inspect.rules",
    "parse_rule": "silva.inspect.rules",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'silva.inspect' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
