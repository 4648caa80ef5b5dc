"""Model files of fitted estimators: the tree, and beside it which estimator and parameters.

The file names the estimator by one of four fixed names; nothing in it is imported or executed.
"""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from silva.errors import ModelFormatError, SilvaError, warn
from silva.estimators.param_codec import decode, encode
from silva.inspect.summary import Comparison
from silva.tree import store
from silva.tree.container import json_object, parse_json
from silva.tree.tree import Tree

KEY = "estimator"
INFINITE = "inf"


class Facts(NamedTuple):
    """What a file says about an estimator, beside its tree.

    `held_out` and `training` are Comparisons or None; a file may lack `training` and `chose`.
    """

    name: str
    params: dict[str, Any]
    weighted: bool
    held_out: Any
    training: Any = None
    chose: bool = False


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator, or a Tree, to a model file.

    A parameter that a file cannot hold (a RandomState) is left out with a warning: the loaded
    estimator predicts the same and has the default there. One that `fit` would refuse is refused.
    """
    if isinstance(model, Tree):
        return store.save(model, path)
    if type(model) not in _estimators().values():
        raise TypeError(f"save takes a silva estimator or a Tree, not {type(model).__name__}.")
    tree = model._tree
    _checked_plan(model)
    return store.save(tree, path, {KEY: _encode_facts(model)})


def load(path: str | os.PathLike[str]) -> Any:
    """The fitted estimator, or the Tree, that `save` wrote.

    Raises ModelFormatError for anything but a whole and consistent model file.
    """
    stored = store.read(path)
    if KEY not in stored.extra:
        return stored.tree
    return _estimator(_facts(stored.extra[KEY]), stored.tree)


def _estimators() -> dict[str, Any]:
    from silva.estimators import classifier, regressor

    return {
        "TreeClassifier": classifier.TreeClassifier,
        "TreeRegressor": regressor.TreeRegressor,
        "StumpClassifier": classifier.StumpClassifier,
        "StumpRegressor": regressor.StumpRegressor,
    }


def _estimator(facts: Facts, tree: Tree) -> Any:
    kind = _estimators().get(facts.name)
    if kind is None:
        raise ModelFormatError(f"{KEY}.name: {facts.name!r} is not an estimator of this silva")
    if kind._task != tree.task:
        raise ModelFormatError(f"{KEY}.name: {facts.name} cannot hold a {tree.task} tree")
    unknown = set(facts.params) - set(kind().get_params())
    if unknown:
        raise ModelFormatError(f"{KEY}.params.{min(unknown)}: is not a parameter of {facts.name}")
    model = kind(**facts.params)
    _restore(model, tree, facts)
    return model


def _restore(model: Any, tree: Tree, facts: Facts) -> None:
    from silva.estimators.base import Figures

    try:
        plan = _checked_plan(model)
    except SilvaError as error:
        raise ModelFormatError(f"{KEY}.params: {error}") from error
    model._keep(tree, plan, Figures(facts.weighted, facts.held_out, facts.training, facts.chose))


def _checked_plan(model: Any) -> Any:
    """What the parameters ask for; a parameter that `fit` would refuse is refused."""
    from silva.estimators.params import leaf_of, plan_of, threads

    threads(model.n_jobs)
    leaf_of(model.leaf, model._task)
    return plan_of(model, model._task, draw=False)


def _facts(text: str) -> Facts:
    found = json_object(KEY, parse_json(KEY, text))
    found = json_object(KEY, Facts._field_defaults | found, Facts._fields)
    if not isinstance(found["name"], str):
        raise ModelFormatError(f"{KEY}: name must be a string")
    for name in ("weighted", "chose"):
        if not isinstance(found[name], bool):
            raise ModelFormatError(f"{KEY}: {name} must be true or false")
    params = _decode_params(json_object(f"{KEY}.params", found["params"]))
    held_out, training = (
        _comparison(f"{KEY}.{name}", found[name]) for name in ("held_out", "training")
    )
    return Facts(found["name"], params, found["weighted"], held_out, training, found["chose"])


def _comparison(where: str, found: Any) -> Comparison | None:
    if found is None:
        return None
    types = {"tree": float, "baseline": float, "rows": int, "weighted": bool}
    found = json_object(where, found, types)
    found |= {name: math.inf for name in ("tree", "baseline") if found[name] == INFINITE}
    for name, kind in types.items():
        if type(found[name]) is not kind:
            raise ModelFormatError(f"{where}.{name}: must be of type {kind.__name__}")
    return Comparison(**found)


def _encode_facts(model: Any) -> str:
    figures = model._figures
    facts = Facts(
        name=type(model).__name__,
        params=_encode_params(model.get_params(deep=False)),
        weighted=figures.weighted,
        held_out=_encode_comparison(figures.held_out),
        training=_encode_comparison(figures.training),
        chose=figures.chose,
    )
    return json.dumps(facts._asdict(), allow_nan=False)


def _encode_comparison(comparison: Comparison | None) -> dict[str, Any] | None:
    """JSON has no infinity: the squared error of huge targets is written as a word."""
    if comparison is None:
        return None
    facts = asdict(comparison)
    return {name: INFINITE if fact == math.inf else fact for name, fact in facts.items()}


def _encode_params(params: Mapping[str, Any]) -> dict[str, Any]:
    encoded = {}
    for name, value in params.items():
        try:
            encoded[name] = encode(value)
        except TypeError:
            warn(
                f"{name}={value!r} cannot be kept in a model file and is left out: the loaded"
                " estimator predicts the same and has the default there.",
                UserWarning,
            )
    return encoded


def _decode_params(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: decode(f"{KEY}.params.{name}", text) for name, text in params.items()}
