"""Estimators by name, and their parameters from `key=value` texts."""

import inspect
import json
import types
from collections.abc import Mapping, Sequence
from typing import Any, Union, get_args, get_origin

import click

import silva
from silva.cli.rows import hint_of
from silva.data.table import Task
from silva.messages import nearest

MODELS: dict[str, dict[Task, str]] = {
    "tree": {"classification": "TreeClassifier", "regression": "TreeRegressor"},
    "stump": {"classification": "StumpClassifier", "regression": "StumpRegressor"},
    "forest": {"classification": "ForestClassifier", "regression": "ForestRegressor"},
    "extra-trees": {"classification": "ExtraTreesClassifier", "regression": "ExtraTreesRegressor"},
    "bagging": {"classification": "BaggingClassifier", "regression": "BaggingRegressor"},
    "adaboost": {"classification": "AdaBoostClassifier"},
    "optimal": {"classification": "OptimalTreeClassifier"},
}
NESTED = "estimator__"
_OWN_OPTIONS = {"random_state": "--seed", "n_jobs": "--jobs"}
_WORDS = {"None": None, "True": True, "False": False}


def parse_settings(settings: Sequence[str]) -> dict[str, Any]:
    """`key=value` texts as keyword arguments; a value is None, True, False, JSON or text."""
    return dict(_parse_setting(setting) for setting in settings)


def make_estimator(model: str, task: Task, settings: Mapping[str, Any], **own: Any) -> Any:
    """The unfitted estimator. `own` are the parameters that have options of their own."""
    if task not in MODELS[model]:
        raise click.UsageError(
            f"--model {model} is for classification only, and this is {task}: choose another model"
        )
    kind = getattr(silva, MODELS[model][task])
    estimator = kind(**own)
    if any(name.startswith(NESTED) for name in settings):
        estimator.set_params(estimator=_member(model, task))
    known = estimator.get_params()
    typed = {name: _typed(estimator, name, value, known) for name, value in settings.items()}
    return estimator.set_params(**typed)


def takes_tree_parameters(model: str) -> bool:
    """Whether the estimator itself has the parameters of its trees."""
    return model not in ("bagging", "adaboost")


def _member(model: str, task: Task) -> Any:
    """A tree as the ensemble would make it, whose parameters can be set."""
    tree = getattr(silva, MODELS["tree"][task])
    return tree(max_depth=1) if model == "adaboost" else tree()


def _typed(estimator: Any, name: str, value: Any, known: Mapping[str, Any]) -> Any:
    if name in _OWN_OPTIONS:
        raise click.UsageError(f"--set {name}: give {_OWN_OPTIONS[name]} instead")
    if name not in known:
        raise click.UsageError(f"parameter {name}: {_unknown(estimator, name, sorted(known))}")
    owner = estimator.estimator if name.startswith(NESTED) else estimator
    return _as_annotated(owner, name.removeprefix(NESTED), name, value)


def _unknown(estimator: Any, name: str, known: Sequence[str]) -> str:
    """That the estimator has no such parameter, and the near one of its own or of its trees."""
    title = f"{type(estimator).__name__} has no such parameter"
    nested = list(silva.TreeClassifier().get_params()) if hasattr(estimator, "estimator") else []
    inner = nearest(name, nested)
    if nearest(name, known) is None and inner is not None:
        return f"{title}; did you mean '{NESTED}{inner}'?"
    return f"{title}; {hint_of(name, known)}"


def _as_annotated(owner: Any, name: str, told: str, value: Any) -> Any:
    """The value as the parameter takes it; text for a parameter of numbers is refused."""
    kinds = _kinds(inspect.signature(type(owner).__init__).parameters[name].annotation)
    if kinds == (str,) and isinstance(value, int | float) and not isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str) and not {str, Any} & set(kinds):
        wanted = " or ".join("None" if one is type(None) else one.__name__ for one in kinds)
        raise click.UsageError(f"--set {told}={value}: must be {wanted}")
    return value


def _kinds(annotation: Any) -> tuple[Any, ...]:
    union = isinstance(annotation, types.UnionType) or get_origin(annotation) is Union
    parts = get_args(annotation) if union else (annotation,)
    return tuple(get_origin(part) or part for part in parts)


def _parse_setting(setting: str) -> tuple[str, Any]:
    name, equals, text = setting.partition("=")
    if not (name and equals):
        raise click.UsageError(f"--set {setting!r} is not of the form key=value")
    if text in _WORDS:
        return name, _WORDS[text]
    try:
        return name, json.loads(text)
    except json.JSONDecodeError:
        return name, text
