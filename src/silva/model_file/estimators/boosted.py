"""Model files of boosted trees: packed trees, and beside them their votes, estimator and figures.

The margins of training rows are not in the file.
"""

import json
import math
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from silva.ensemble.boost import STOPS
from silva.ensemble.boosted import Boosted
from silva.errors import ModelFormatError, SilvaError
from silva.estimators.params import leaf_of
from silva.model_file import packed
from silva.model_file.container import json_object, parse_json
from silva.model_file.estimators.columns import decode_column_facts, encode_column_facts
from silva.model_file.estimators.save_load import (
    KEY,
    check_comparison,
    check_seed,
    comparison,
    decode_params,
    encode_comparison,
    encode_params,
    estimator_of,
)
from silva.threads import threads

NAME = "AdaBoostClassifier"


class Facts(NamedTuple):
    """What a file says about boosted trees, beside the trees. Old files lack
    `seed` and `column_facts`.
    """

    name: str
    params: Any
    alphas: Any
    errors: Any
    stopped: Any
    training: Any
    held_out: Any
    seed: Any = 0
    column_facts: Any = None


def dumps(model: Any) -> bytes:
    """The bytes of the model file of a fitted AdaBoostClassifier."""
    boosted: Boosted = model._boosted
    check_plans(model)
    facts = Facts(
        name=NAME,
        params=encode_params(model.get_params(deep=False)),
        alphas=boosted.alphas.tolist(),
        errors=model.estimator_errors_.tolist(),
        stopped=model.stopped_,
        training=encode_comparison(model._figures.training),
        held_out=encode_comparison(model._figures.held_out),
        seed=model._seed,
        column_facts=encode_column_facts(model.column_facts_),
    )
    text = json.dumps(facts._asdict(), allow_nan=False)
    return packed.dumps(boosted.trees, {KEY: text})


def is_boosted(text: str) -> bool:
    """Whether these facts of a file are of boosted trees."""
    found = parse_json(KEY, text)
    return isinstance(found, dict) and found.get("name") == NAME


def restored(stored: packed.Stored) -> Any:
    """The fitted estimator of these trees and facts."""
    from silva.estimators.boost import AdaBoostClassifier, BoostFigures
    from silva.estimators.boost_params import tree_estimator

    facts = _facts(stored.extra[KEY], len(stored.trees), stored.is_newer)
    params = decode_params(json_object(f"{KEY}.params", facts.params))
    model = estimator_of({NAME: AdaBoostClassifier}, facts.name, params, stored.trees.task)
    for name in ("training", "held_out"):
        check_comparison(f"{KEY}.{name}", getattr(facts, name), "classification")
    try:
        check_plans(model)
    except SilvaError as error:
        raise ModelFormatError(f"{KEY}.params: {error}") from error
    boosted = Boosted(stored.trees, facts.alphas)
    figures = BoostFigures(facts.training, facts.held_out)
    prototype = clone(tree_estimator(model.estimator))
    known = decode_column_facts(f"{KEY}.column_facts", facts.column_facts, boosted.schema)
    measured = (facts.errors, None, facts.stopped, figures, known)
    model._become(boosted, prototype, facts.seed, *measured)
    return model


def check_plans(model: Any) -> None:
    """A parameter that `fit` would refuse is refused."""
    from silva.estimators.boost_params import plans_of, tree_estimator

    threads(model.n_jobs)
    tree = tree_estimator(model.estimator)
    leaf_of(tree.leaf, model._task)
    plans_of(model, tree, draw=False)


def _facts(text: str, n_trees: int, is_newer: bool) -> Facts:
    found = json_object(KEY, parse_json(KEY, text))
    found = json_object(KEY, Facts._field_defaults | found, Facts._fields, is_newer)
    check_seed(found["seed"])
    found["alphas"] = _numbers("alphas", found["alphas"], n_trees)
    found["errors"] = _numbers("errors", found["errors"], n_trees)
    if not (found["alphas"] > 0.0).all():
        raise ModelFormatError(f"{KEY}.alphas: must be above 0")
    if found["stopped"] not in (None, *STOPS):
        raise ModelFormatError(f"{KEY}.stopped: must be null or one of {', '.join(STOPS)}")
    for name in ("training", "held_out"):
        found[name] = comparison(f"{KEY}.{name}", found[name])
    if found["training"] is None:
        raise ModelFormatError(f"{KEY}.training: is missing")
    return Facts(**found)


def _numbers(name: str, found: Any, count: int) -> np.ndarray:
    """One finite number of at least 0 for each tree, read-only."""
    is_list = isinstance(found, list) and len(found) == count
    if not is_list or not all(type(one) is float and 0.0 <= one < math.inf for one in found):
        raise ModelFormatError(f"{KEY}.{name}: must be a list of {count} finite numbers")
    numbers = np.array(found, dtype=np.float64)
    numbers.flags.writeable = False
    return numbers
