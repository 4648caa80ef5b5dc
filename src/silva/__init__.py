"""Decision trees that people can read, check and trust: exact, fast, deterministic.

Names are loaded when they are first used, so `import silva` costs next to nothing.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "TreeClassifier": "silva.estimators.classifier",
    "TreeRegressor": "silva.estimators.regressor",
    "StumpClassifier": "silva.estimators.classifier",
    "StumpRegressor": "silva.estimators.regressor",
    "to_text": "silva.export.text",
    "bounds": "silva.inspect.bounds",
    "size_path": "silva.inspect.size_path",
    "plot_pruning": "silva.plot.pruning",
    "plot_size_path": "silva.plot.size_path",
    "stability": "silva.inspect.stability",
    "plot_stability": "silva.plot.stability",
    "save": "silva.estimators.persist",
    "load": "silva.estimators.persist",
    "edit": "silva",
    "Plan": "silva.grow.plan",
    "ObliqueSplits": "silva.grow.splits",
    "DistanceSplits": "silva.grow.splits",
    "MEstimate": "silva.leaf.choice",
    "LinearLeaf": "silva.leaf.choice",
    "Auto": "silva.prune.auto",
    "ReducedError": "silva.prune.reduced_error",
    "AccuracyThreshold": "silva.prune.accuracy_threshold",
    "CriticalValue": "silva.prune.critical_value",
    "MinimumError": "silva.prune.minimum_error",
    "Pessimistic": "silva.prune.pessimistic",
    "BottomUp": "silva.prune.bottom_up",
    "GeneralisationBound": "silva.prune.bound",
    "CostComplexity": "silva.prune.cost_complexity",
    "MaxLeaves": "silva.prune.optimal",
    "ID3": "silva.grow.presets",
    "C45": "silva.grow.presets",
    "CART": "silva.grow.presets",
    "greedy_accuracy": "silva.grow.presets",
    "Tree": "silva.tree.tree",
    "SilvaError": "silva.errors",
    "DataError": "silva.errors",
    "DataTypeError": "silva.errors",
    "PlanError": "silva.errors",
    "ModelFormatError": "silva.errors",
    "SplitKindError": "silva.errors",
    "DataWarning": "silva.errors",
}

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'silva' has no attribute {name!r}")
    home = _HOMES[name]
    if home == __name__:
        return import_module(f"{home}.{name}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
