"""Decision trees that people can read, check and trust: exact, fast, deterministic.

Names are loaded when they are first used, so `import silva` costs next to nothing.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from silva.notebook import painters, printers

__version__ = "0.1.0"

_HOMES = {
    "TreeClassifier": "silva.estimators.classifier",
    "TreeRegressor": "silva.estimators.regressor",
    "StumpClassifier": "silva.estimators.classifier",
    "StumpRegressor": "silva.estimators.regressor",
    "ForestClassifier": "silva.estimators.forest",
    "ForestRegressor": "silva.estimators.forest",
    "ExtraTreesClassifier": "silva.estimators.forest",
    "ExtraTreesRegressor": "silva.estimators.forest",
    "BaggingClassifier": "silva.estimators.bagging",
    "BaggingRegressor": "silva.estimators.bagging",
    "AdaBoostClassifier": "silva.estimators.boost",
    "OptimalTreeClassifier": "silva.estimators.optimal",
    "to_text": "silva.export.text",
    "to_svg": "silva.export.svg",
    "plot_tree": "silva.plot.tree",
    "report": "silva.page.report",
    "rules": "silva.inspect.rules",
    "explain": "silva.inspect.explain",
    "bounds": "silva.inspect.bounds",
    "size_path": "silva.inspect.size_path",
    "plot_pruning": "silva.plot.pruning",
    "plot_size_path": "silva.plot.size_path",
    "stability": "silva.inspect.stability",
    "plot_stability": "silva.plot.stability",
    "plot_margins": "silva.plot.margins",
    "importance": "silva.inspect.facades.importance",
    "plot_importance": "silva.plot.importance",
    "interval_model": "silva.inspect.facades.interval_model",
    "proximity": "silva.inspect.facades.proximity",
    "nearest_rows": "silva.inspect.facades.proximity",
    "distil": "silva.inspect.facades.distil",
    "LeafFeatures": "silva.estimators.leaf_features",
    "save": "silva.model_file.estimators.save_load",
    "load": "silva.model_file.estimators.save_load",
    "edit": "silva",
    "inspect": "silva",
    "plot": "silva",
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
    "show_versions": "silva.versions",
}

__all__ = [*_HOMES, "__version__"]


def _renderer(home: str, name: str) -> Callable[[Any], str]:
    """A function of `export` that is loaded when it is first called."""

    def render(value: Any) -> str:
        text: str = getattr(import_module(home), name)(value)
        return text

    return render


printers |= {
    "boost_summary": _renderer("silva.export.summary", "boost_summary"),
    "checkup": _renderer("silva.export.checkup", "checkup_text"),
    "column_info": _renderer("silva.export.model_info", "column_text"),
    "differences": _renderer("silva.export.differences", "differences_text"),
    "evaluation": _renderer("silva.export.evaluation", "evaluation_text"),
    "explanation": _renderer("silva.export.explanation.text", "full_text"),
    "forest_summary": _renderer("silva.export.summary", "forest_summary"),
    "model_info": _renderer("silva.export.model_info", "info_text"),
    "rules": _renderer("silva.export.rule_list", "rules_text"),
    "summary": _renderer("silva.export.summary", "tree_summary"),
    "tree": _renderer("silva.export.outline", "tree_text"),
}
painters |= {
    "explanation": _renderer("silva.export.explanation.html", "full_html"),
    "rules": _renderer("silva.export.rule_list", "rules_html"),
    "tree": _renderer("silva.export.notebook", "tree_html"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        from silva.messages import no_such_name

        raise no_such_name(__name__, name, _HOMES)
    home = _HOMES[name]
    if home == __name__:
        return import_module(f"{home}.{name}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
