"""Model files of fitted estimators: the tree, and beside it which estimator and parameters.

The file names the estimator by one of a few fixed names; nothing in it is imported or executed.
Files of forests are in `forests`, those of boosted trees in `boosted`.
"""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from silva.data.holders import hint_for, place_of
from silva.data.table import Task
from silva.errors import ModelFormatError, SilvaError, warn
from silva.files import write_bytes
from silva.grow.plan import SEED_LIMIT
from silva.inspect.summary import Comparison
from silva.messages import shown
from silva.model_file import packed, store
from silva.model_file.container import json_object, parse_json
from silva.model_file.estimators.columns import decode_column_facts, encode_column_facts
from silva.model_file.estimators.params import decode, encode
from silva.model_file.estimators.prune_record import decode_record, encode_record
from silva.model_file.estimators.search import decode_search, encode_search, with_costs
from silva.prune.record import Record
from silva.tree.tree import Tree

Estimators = dict[str, Any]

KEY = "estimator"
NESTED = "estimator"
INFINITE = "inf"


class Facts(NamedTuple):
    """What a file says about an estimator, beside its tree.

    `held_out` and `training` are Comparisons or None; a file may lack `training` and `chose`.
    `leaf_deviance` is there for trees with criterion="poisson" only, `search` for exact searches
    only, `prune_record` for pruned trees only. Old files lack `column_facts` and `prune_record`.
    """

    name: str
    params: dict[str, Any]
    weighted: bool
    held_out: Any
    training: Any = None
    chose: bool = False
    leaf_deviance: Any = None
    column_facts: Any = None
    search: Any = None
    prune_record: Any = None


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator, or a Tree, to a model file.

    A parameter that a file cannot hold (a RandomState) is left out with a warning: the loaded
    estimator predicts the same and has the default there. One that `fit` would refuse is refused.
    Of a search (GridSearchCV) the model that it found is written. A pipeline with steps before its
    model raises TypeError: a file holds the model alone, which would predict from other columns.
    """
    if isinstance(model, Tree):
        return store.save(model, path)
    model = _whole(model)
    _refuse_other_classes(model)
    if hasattr(type(model), "_bags"):
        from silva.model_file.estimators import forests

        return write_bytes(path, forests.dumps(model))
    if hasattr(type(model), "_boosted"):
        from silva.model_file.estimators import boosted

        return write_bytes(path, boosted.dumps(model))
    tree = model._tree
    model._columns_tried(len(tree.schema))
    return store.save(tree, path, {KEY: _encode_facts(model)})


def _whole(model: Any) -> Any:
    """The model inside a search, or inside a pipeline that does nothing else."""
    from silva.inspect.subject import unwrapped

    inner, steps = unwrapped(model)
    if steps is None:
        return inner
    place = place_of(model)
    before = f"{place.removesuffix('[-1]')}[:-1]"
    raise TypeError(
        f"save writes models of silva without the steps before them, and this"
        f" {type(model).__name__} changes its rows first: the loaded model would predict from other"
        f" columns. Store all of it with joblib.dump(model, path), or the model alone with"
        f" silva.save({place}, path); it expects the columns that {before}.transform(X) returns."
    )


def _refuse_other_classes(model: Any) -> None:
    """A subclass is refused too: a file names classes of silva only, so none could be loaded."""
    kind = type(model)
    is_ours = kind.__module__.partition(".")[0] == "silva"
    if not is_ours or not hasattr(kind, "_task"):
        hint = hint_for(model)
        raise TypeError(
            f"save takes a silva estimator or a Tree, not {kind.__name__}. {hint}".rstrip()
        )


def load(path: str | os.PathLike[str]) -> Any:
    """The fitted estimator, or the Tree, that `save` wrote.

    Raises ModelFormatError for anything but a whole and consistent model file.
    """
    return store.read_as(_loaded, path)


def _loaded(data: bytes) -> Any:
    if packed.are_packed(data):
        from silva.model_file.estimators import boosted, forests

        trees = packed.parse(data)
        is_boosted = boosted.is_boosted(trees.extra.get(KEY, "{}"))
        return (boosted if is_boosted else forests).restored(trees)
    stored = store.parse(data)
    if KEY not in stored.extra:
        return stored.tree
    return _estimator(_facts(stored.extra[KEY], stored.is_newer), stored.tree)


def _estimators() -> Estimators:
    from silva.estimators import classifier, optimal, regressor

    return {
        "OptimalTreeClassifier": optimal.OptimalTreeClassifier,
        "TreeClassifier": classifier.TreeClassifier,
        "TreeRegressor": regressor.TreeRegressor,
        "StumpClassifier": classifier.StumpClassifier,
        "StumpRegressor": regressor.StumpRegressor,
    }


def _estimator(facts: Facts, tree: Tree) -> Any:
    model = estimator_of(_estimators(), facts.name, facts.params, tree.task)
    _restore(model, tree, facts)
    return model


def estimator_of(kinds: Estimators, name: str, params: dict[str, Any], task: Task) -> Any:
    """A new estimator by its name and parameters; judged, but for the values of the latter."""
    kind = kinds.get(name)
    if kind is None:
        raise ModelFormatError(f"{KEY}.name: {name!r:.80} is not an estimator of this silva")
    if kind._task != task:
        raise ModelFormatError(f"{KEY}.name: {name} cannot hold a {task} tree")
    unknown = set(params) - set(kind().get_params(deep=False))
    if unknown:
        raise ModelFormatError(f"{KEY}.params.{min(unknown)}: is not a parameter of {name}")
    return kind(**params)


def _restore(model: Any, tree: Tree, facts: Facts) -> None:
    from silva.estimators.base import Figures

    for name in ("held_out", "training"):
        check_comparison(f"{KEY}.{name}", getattr(facts, name), tree.task)
    try:
        tried = model._columns_tried(len(tree.schema))
    except SilvaError as error:
        raise ModelFormatError(f"{KEY}.params: {error}") from error
    deviance = _deviance(facts.leaf_deviance, tree)
    search = decode_search(f"{KEY}.search", facts.search)
    tree = with_costs(f"{KEY}.search", facts.search, tree)
    figures = Figures(facts.weighted, facts.held_out, facts.training, facts.chose, deviance, search)
    columns = decode_column_facts(f"{KEY}.column_facts", facts.column_facts, tree.schema)
    record = decode_record(f"{KEY}.prune_record", facts.prune_record)
    model._keep(tree, tried, figures, columns, record)


def _deviance(found: Any, tree: Tree) -> np.ndarray | None:
    """The deviance of the leaves of a Poisson tree, judged."""
    where = f"{KEY}.leaf_deviance"
    if found is None:
        return None
    if not (isinstance(found, list) and all(type(one) is float for one in found)):
        raise ModelFormatError(f"{where}: must be a list of numbers")
    numbers = np.array(found, dtype=np.float64)
    check_deviance(where, numbers, tree)
    return numbers


def check_deviance(where: str, found: Any, tree: Tree) -> None:
    """Raise ModelFormatError for anything but a deviance for each leaf of a Poisson tree."""
    shape = (tree.n_leaves,) if tree.criterion == "poisson" else None
    if not (isinstance(found, np.ndarray) and found.dtype == np.float64 and found.shape == shape):
        raise ModelFormatError(f"{where}: must be a number for each leaf of a Poisson tree")
    if not np.all(np.isfinite(found) & (found >= 0)):
        raise ModelFormatError(f"{where}: must be finite numbers of at least 0")


def _facts(text: str, is_newer: bool) -> Facts:
    found = json_object(KEY, parse_json(KEY, text))
    found = json_object(KEY, Facts._field_defaults | found, Facts._fields, is_newer)
    if not isinstance(found["name"], str):
        raise ModelFormatError(f"{KEY}: name must be a string")
    for name in ("weighted", "chose"):
        if not isinstance(found[name], bool):
            raise ModelFormatError(f"{KEY}: {name} must be true or false")
    params = decode_params(json_object(f"{KEY}.params", found["params"]))
    held_out, training = (
        comparison(f"{KEY}.{name}", found[name]) for name in ("held_out", "training")
    )
    return Facts(**found | {"params": params, "held_out": held_out, "training": training})


SECOND = ("auc", "r2")
"""Figures that a comparison need not have."""


def check_comparison(where: str, found: Comparison | None, task: Task) -> None:
    """Raise ModelFormatError for figures that no rows can have: accuracies beyond 1, say."""
    if found is None:
        return
    most = 1.0 if task == "classification" else math.inf
    for name in ("tree", "baseline"):
        if not 0.0 <= getattr(found, name) <= most:
            raise ModelFormatError(f"{where}.{name}: must be from 0 to {most:g}")
    for name in SECOND:
        figure = getattr(found, name)
        is_score = type(figure) is float and math.isfinite(figure) and figure <= 1.0
        if not (figure is None or is_score):
            raise ModelFormatError(f"{where}.{name}: must be a number of at most 1")
    if not 1 <= found.rows < 2**63:
        raise ModelFormatError(f"{where}.rows: must be at least 1, is {shown(found.rows)}")


def comparison(where: str, found: Any) -> Comparison | None:
    """The figures that `encode_comparison` wrote."""
    if found is None:
        return None
    types = {"tree": float, "baseline": float, "rows": int, "weighted": bool}
    types |= {name: float for name in SECOND if name in json_object(where, found)}
    found = json_object(where, found, types)
    found |= {name: math.inf for name in ("tree", "baseline") if found[name] == INFINITE}
    for name, kind in types.items():
        if type(found[name]) is not kind:
            raise ModelFormatError(f"{where}.{name}: must be of type {kind.__name__}")
    return Comparison(**found)


def check_seed(found: Any) -> None:
    """Refuse anything but the seed of an ensemble."""
    if type(found) is not int or not 0 <= found < SEED_LIMIT:
        raise ModelFormatError(f"{KEY}.seed: must be a whole number from 0 to 2**64 - 1")


def _encode_facts(model: Any) -> str:
    figures = model._figures
    facts = Facts(
        name=type(model).__name__,
        params=encode_params(model.get_params(deep=False)),
        weighted=figures.weighted,
        held_out=encode_comparison(figures.held_out),
        training=encode_comparison(figures.training),
        chose=figures.chose,
        column_facts=encode_column_facts(model.column_facts_),
    )._asdict()
    if figures.leaf_deviance is None:
        del facts["leaf_deviance"]
    else:
        facts["leaf_deviance"] = figures.leaf_deviance.tolist()
    if figures.search is None:
        del facts["search"]
    else:
        facts["search"] = encode_search(figures.search)
    del facts["prune_record"]
    if model.prune_record_ is not None:
        facts |= _encode_pruning(model.prune_record_)
    return json.dumps(facts, allow_nan=False)


def _encode_pruning(record: Record) -> dict[str, Any]:
    """The record by its key; nothing, with a warning, if a user's pruner wrote odd values."""
    try:
        return {"prune_record": encode_record(record)}
    except (TypeError, ValueError, AttributeError) as error:
        warn(f"prune_record_ cannot be kept in a model file and is left out: {error}", UserWarning)
        return {}


def encode_comparison(comparison: Comparison | None) -> dict[str, Any] | None:
    """JSON has no infinity: the squared error of huge targets is written as a word."""
    if comparison is None:
        return None
    facts = {name: fact for name, fact in asdict(comparison).items() if fact is not None}
    return {name: INFINITE if fact == math.inf else fact for name, fact in facts.items()}


def encode_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON takes them; one that it cannot take is left out with a warning."""
    encoded = {}
    for name, value in params.items():
        try:
            encoded[name] = _encode_tree(value) if name == NESTED and value else encode(value)
        except TypeError:
            warn(
                f"{name}={shown(value)} cannot be kept in a model file and is left out: the loaded"
                " estimator predicts the same and has the default there.",
                UserWarning,
            )
    return encoded


def decode_params(params: Mapping[str, Any], where: str = f"{KEY}.params") -> dict[str, Any]:
    """The parameters that `encode_params` wrote."""
    return {
        name: _decode_tree(f"{where}.{name}", value)
        if name == NESTED and value is not None
        else decode(f"{where}.{name}", value)
        for name, value in params.items()
    }


def _encode_tree(estimator: Any) -> dict[str, Any]:
    """The tree estimator of a bagging: its name and parameters; TypeError for a subclass."""
    if type(estimator) not in _estimators().values():
        raise TypeError(type(estimator).__name__)
    params = encode_params(estimator.get_params(deep=False))
    return {"name": type(estimator).__name__, "params": params}


def _decode_tree(where: str, found: Any) -> Any:
    found = json_object(where, found, ("name", "params"))
    kind = _estimators().get(found["name"]) if isinstance(found["name"], str) else None
    if kind is None:
        raise ModelFormatError(f"{where}.name: is not a tree of this silva")
    params = decode_params(json_object(f"{where}.params", found["params"]), f"{where}.params")
    return estimator_of(_estimators(), found["name"], params, kind._task)
