"""Model files of forests: packed trees, and beside them which estimator, parameters and figures.

What rows said out of bag is not in the file, only the curve: a loaded forest has `oob_score_` and
`oob_curve_`, but no out-of-bag answers by row.
"""

import json
import math
from typing import Any, NamedTuple

import numpy as np

from silva.ensemble.forest import Forest
from silva.ensemble.oob import Curve
from silva.ensemble.packed import PackedTrees
from silva.ensemble.plan import COMBINERS, ForestPlan
from silva.errors import ModelFormatError, SilvaError
from silva.estimators.params import leaf_of, plan_of
from silva.grow.plan import Plan
from silva.model_file import packed
from silva.model_file.container import is_count, json_object, parse_json
from silva.model_file.estimators.columns import decode_column_facts, encode_column_facts
from silva.model_file.estimators.draws import columns_of, decode_rows, encode_columns, encode_rows
from silva.model_file.estimators.save_load import (
    KEY,
    Estimators,
    check_comparison,
    check_seed,
    comparison,
    decode_params,
    encode_comparison,
    encode_params,
    estimator_of,
)
from silva.threads import threads


class Facts(NamedTuple):
    """What a file says about a forest, beside its trees.

    `rows` and `columns` say how trees drew theirs; old files lack both, and `column_facts`.
    """

    name: str
    params: Any
    combiner: str
    seed: int
    oob: Any
    held_out: Any
    curve: Any
    rows: Any = None
    columns: Any = None
    column_facts: Any = None


def forests() -> Estimators:
    """The estimators of many trees, by the names that a file can have."""
    from silva.estimators import bagging, forest

    return {
        "ForestClassifier": forest.ForestClassifier,
        "ForestRegressor": forest.ForestRegressor,
        "ExtraTreesClassifier": forest.ExtraTreesClassifier,
        "ExtraTreesRegressor": forest.ExtraTreesRegressor,
        "BaggingClassifier": bagging.BaggingClassifier,
        "BaggingRegressor": bagging.BaggingRegressor,
    }


def dumps(model: Any) -> bytes:
    """The bytes of the model file of a fitted forest."""
    forest: Forest = model._forest
    checked_plans(model)
    return packed.dumps(forest.trees, {KEY: _encode_facts(model, forest)})


def loads(data: bytes) -> Any:
    """The fitted forest of `dumps`."""
    return restored(packed.parse(data))


def restored(stored: packed.Stored) -> Any:
    """The fitted forest of these trees and facts."""
    if KEY not in stored.extra:
        raise ModelFormatError(f"{KEY}: is missing; these are trees without an estimator")
    facts = _facts(stored.extra[KEY], stored.is_newer)
    if facts.combiner not in COMBINERS[stored.trees.task]:
        raise ModelFormatError(f"{KEY}.combiner: {facts.combiner!r:.80} is not for these trees")
    model = estimator_of(forests(), facts.name, facts.params, stored.trees.task)
    _restore(model, stored.trees, facts)
    return model


def _restore(model: Any, trees: PackedTrees, facts: Facts) -> None:
    from silva.ensemble.growth import Grown
    from silva.estimators.forest_base import Figures
    from silva.estimators.forest_params import Start

    for name in ("oob", "held_out"):
        check_comparison(f"{KEY}.{name}", getattr(facts, name), trees.task)
    try:
        plan, forest_plan = checked_plans(model)
    except SilvaError as error:
        raise ModelFormatError(f"{KEY}.params: {error}") from error
    grown = Grown(Forest(trees, facts.combiner), curve=facts.curve)
    columns = columns_of(facts.columns, len(trees.schema), forest_plan)
    start = Start(grown, facts.seed, columns, facts.rows)
    tried = plan.columns_tried(len(trees.schema))
    known = decode_column_facts(f"{KEY}.column_facts", facts.column_facts, trees.schema)
    model._keep(start, model._prototype(), tried, Figures(facts.oob, facts.held_out), known)


def checked_plans(model: Any) -> tuple[Plan, ForestPlan]:
    """What the parameters ask for; a parameter that `fit` would refuse is refused."""
    from silva.estimators.forest_params import forest_plan_of

    threads(model.n_jobs)
    choices = model._choices()
    leaf_of(choices.leaf, model._task)
    plan = plan_of(choices, model._task, draw=False)
    return plan, forest_plan_of(model, plan, None, draw=False)


def _encode_facts(model: Any, forest: Forest) -> str:
    start, figures = model._start, model._figures
    curve: Curve | None = start.grown.curve
    facts = Facts(
        name=type(model).__name__,
        params=encode_params(model.get_params(deep=False)),
        combiner=forest.combiner,
        seed=start.seed,
        oob=encode_comparison(figures.oob),
        held_out=encode_comparison(figures.held_out),
        curve=None if curve is None else _encode_curve(curve),
        rows=encode_rows(start.rows),
        columns=encode_columns(start.columns),
        column_facts=encode_column_facts(model.column_facts_),
    )
    return json.dumps(facts._asdict(), allow_nan=False)


def _encode_curve(curve: Curve) -> list[list[Any]]:
    """Pairs of a number of trees and a score; null where there was none."""
    scores = [score if math.isfinite(score) else None for score in curve.score.tolist()]
    return [list(pair) for pair in zip(curve.trees.tolist(), scores, strict=True)]


def _facts(text: str, is_newer: bool) -> Facts:
    found = json_object(KEY, parse_json(KEY, text))
    found = json_object(KEY, Facts._field_defaults | found, Facts._fields, is_newer)
    if not (isinstance(found["name"], str) and isinstance(found["combiner"], str)):
        raise ModelFormatError(f"{KEY}: name and combiner must be strings")
    check_seed(found["seed"])
    for name in ("oob", "held_out"):
        found[name] = comparison(f"{KEY}.{name}", found[name])
    found["params"] = decode_params(json_object(f"{KEY}.params", found["params"]))
    found["curve"] = _decode_curve(found["curve"])
    found["rows"] = decode_rows(found["rows"])
    return Facts(**found)


def _decode_curve(found: Any) -> Curve | None:
    if found is None:
        return None
    if not isinstance(found, list) or not found or not all(map(_is_point, found)):
        raise ModelFormatError(f"{KEY}.curve: must be a list of pairs of trees and scores")
    scores = [math.nan if score is None else score for _, score in found]
    return Curve(np.array([trees for trees, _ in found], dtype=np.int64), np.array(scores))


def _is_point(pair: Any) -> bool:
    if not isinstance(pair, list) or len(pair) != 2:
        return False
    return is_count(pair[0]) and (pair[1] is None or type(pair[1]) is float)
