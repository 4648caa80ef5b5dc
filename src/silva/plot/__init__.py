"""Plots by matplotlib. Names are loaded when they are first used."""

from importlib import import_module
from typing import Any

from silva.messages import no_such_name

_HOMES: dict[str, str] = {
    "complexity": "silva.plot.triptych",
    "confusion_by_leaf": "silva.plot.leaves",
    "decision_regions": "silva.plot.regions",
    "impurity_curves": "silva.plot.impurities",
    "leaf_distributions": "silva.plot.leaves",
    "learning_curve": "silva.plot.learning",
    "pareto_path": "silva.plot.pareto",
    "regression_surface": "silva.plot.surface",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise no_such_name(__name__, name, _HOMES)
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
