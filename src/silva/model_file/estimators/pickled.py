"""States of pickled estimators, judged as a model file is: bad ones raise ModelFormatError.

Whatever follows from the trees (classes, names, numbers of columns) is made from them again.
"""

from typing import Any

import numpy as np

from silva.data.column_facts import unpacked
from silva.data.schema import Schema
from silva.data.table import Task
from silva.ensemble.boost import STOPS
from silva.ensemble.boosted import Boosted, check_boosted
from silva.ensemble.draws import ColumnDraws, RowDraws
from silva.ensemble.forest import Forest, check_forest
from silva.ensemble.growth import Grown
from silva.ensemble.oob import Curve, Oob
from silva.errors import ModelFormatError, SilvaError
from silva.grow.plan import SEED_LIMIT
from silva.inspect.summary import Comparison
from silva.prune.record import Record
from silva.threads import threads
from silva.tree.tree import Tree


def restore_tree(model: Any) -> None:
    """Become fitted with the state that was read: a tree, its figures and how it was pruned."""
    from silva.estimators.base import Figures
    from silva.model_file.estimators.save_load import check_deviance
    from silva.model_file.estimators.search import check_search

    tree = _part(model, "grown_tree_", Tree)
    _require(tree.task == model._task, "grown_tree_", f"must be of {model._task}", tree.task)
    figures = _part(model, "_figures", Figures)
    for name in ("weighted", "chose"):
        _check_is(f"_figures.{name}", getattr(figures, name), bool)
    for name in ("held_out", "training"):
        _check_comparison(f"_figures.{name}", getattr(figures, name), tree.task)
    if figures.leaf_deviance is not None:
        check_deviance("state._figures.leaf_deviance", figures.leaf_deviance, tree)
    if figures.search is not None:
        check_search("state._figures.search", figures.search)
    record = vars(model).get("prune_record_")
    _check_is("prune_record_", record, Record, type(None))
    _check_params(model)
    facts = _column_facts(model, tree.schema)
    model._keep(tree, _max_features(model), figures, facts, record)


def restore_forest(model: Any) -> None:
    """Become fitted with the state that was read: a forest, and what its fit left behind."""
    from silva.estimators.forest_base import Figures
    from silva.estimators.forest_params import Start

    start = _part(model, "_start", Start)
    _check_is("_start.grown", start.grown, Grown)
    _check_is("_start.grown.forest", start.grown.forest, Forest)
    forest = check_forest(start.grown.forest)
    _require(forest.task == model._task, "forest_", f"must be of {model._task}", forest.task)
    _check_seed("_start.seed", start.seed)
    _check_draws(start, len(forest.schema))
    _check_out_of_bag(start.grown, forest)
    figures = _part(model, "_figures", Figures)
    for name in ("oob", "held_out"):
        _check_comparison(f"_figures.{name}", getattr(figures, name), forest.task)
    _check_params(model)
    facts = _column_facts(model, forest.schema)
    model._keep(start, _prototype(model), _max_features(model), figures, facts)


def restore_boosted(model: Any) -> None:
    """Become fitted with the state that was read: boosted trees and what their fit measured."""
    from silva.estimators.boost import BoostFigures

    boosted = check_boosted(_part(model, "boosted_", Boosted))
    errors, margins = vars(model).get("estimator_errors_"), vars(model).get("_margins")
    _check_numbers("estimator_errors_", errors, (len(boosted),))
    if margins is not None:
        _check_numbers("_margins", margins, np.shape(margins)[:1])
    seed = vars(model).get("_seed")
    _check_seed("_seed", seed)
    stopped = vars(model).get("stopped_")
    _check_is("stopped_", stopped, str, type(None))
    _require(stopped in (None, *STOPS), "stopped_", f"must be None or one of {STOPS}", stopped)
    figures = _part(model, "_figures", BoostFigures)
    _check_is("_figures.training", figures.training, Comparison)
    for name in ("training", "held_out"):
        _check_comparison(f"_figures.{name}", getattr(figures, name), "classification")
    _check_params(model)
    facts = _column_facts(model, boosted.schema)
    model._become(boosted, _prototype(model), seed, errors, margins, stopped, figures, facts)


def _check_params(model: Any) -> None:
    """All parameters are there. What they ask of a fit is judged by the next fit: a fitted model
    may be copied between two changes of its parameters."""
    try:
        threads(model.get_params(deep=False)["n_jobs"])
    except (SilvaError, AttributeError) as error:
        raise ModelFormatError(f"state: {error}") from error


def _max_features(model: Any) -> int:
    found = vars(model).get("max_features_")
    _check_is("max_features_", found, int)
    _require(found >= 1, "max_features_", "must be at least 1", found)
    return int(found)


def _column_facts(model: Any, schema: Schema) -> bytes | None:
    """Pickles of earlier versions have none."""
    from silva.model_file.estimators.columns import SIZE, check_column_facts

    found = vars(model).get("_column_facts")
    _check_is("_column_facts", found, bytes, type(None))
    if found is None:
        return None
    size = SIZE * len(schema)
    _require(len(found) == size, "_column_facts", f"must have {size} bytes", len(found))
    check_column_facts("state._column_facts", unpacked(found), schema)
    return bytes(found)


def _prototype(model: Any) -> Any:
    """The tree of which members are clones."""
    from silva.estimators.base import TreeEstimator

    found = _part(model, "estimator_", TreeEstimator)
    _require(found._task == model._task, "estimator_", f"must be of {model._task}", found._task)
    return found


def _check_seed(name: str, found: Any) -> None:
    _check_is(name, found, int)
    _require(0 <= found < SEED_LIMIT, name, "must fit 64 bits", found)


def _check_draws(start: Any, n_columns: int) -> None:
    from silva.model_file.estimators.draws import check_columns, decode_rows, encode_rows

    _check_is("_start.columns", start.columns, ColumnDraws)
    _check_is("_start.rows", start.rows, RowDraws, type(None))
    check_columns(start.columns, n_columns)
    try:
        decode_rows(encode_rows(start.rows))
    except TypeError as error:
        raise ModelFormatError(f"state._start.rows: {error}") from error


def _check_out_of_bag(grown: Grown, forest: Forest) -> None:
    _check_is("_start.grown.interrupted", grown.interrupted, bool)
    curve, oob = grown.curve, grown.oob
    if curve is not None:
        _check_is("_start.grown.curve", curve, Curve)
        length = np.shape(curve.score)[:1]
        _check_numbers("_start.grown.curve.score", curve.score, length)
        _check_numbers("_start.grown.curve.trees", curve.trees, length, "int64")
        _require(bool(length and length[0]), "_start.grown.curve", "must have a point", curve)
    if oob is not None:
        _check_is("_start.grown.oob", oob, Oob)
        rows = np.shape(oob.votes)[:1]
        shape = rows if forest.classes is None else (*rows, len(forest.classes))
        _check_numbers("_start.grown.oob.votes", oob.votes, rows, "int64")
        _check_numbers("_start.grown.oob.total", oob.total, shape)
        if not isinstance(oob.lost, float):
            _check_numbers("_start.grown.oob.lost", oob.lost, shape)


def _part(model: Any, name: str, kind: type) -> Any:
    found = vars(model).get(name)
    _check_is(name, found, kind)
    return found


def _check_is(name: str, found: Any, *kinds: type) -> None:
    names = " or ".join("None" if kind is type(None) else kind.__name__ for kind in kinds)
    is_kind = isinstance(found, kinds) and (bool in kinds or not isinstance(found, bool))
    _require(is_kind, name, f"must be of type {names}", found)


def _check_comparison(name: str, found: Any, task: Task) -> None:
    from silva.model_file.estimators.save_load import check_comparison

    _check_is(name, found, Comparison, type(None))
    if found is not None:
        for field, kind in {"tree": float, "baseline": float, "weighted": bool}.items():
            _check_is(f"{name}.{field}", getattr(found, field), kind)
        _check_is(f"{name}.rows", found.rows, int, np.integer)
        check_comparison(f"state.{name}", found, task)


def _check_numbers(name: str, found: Any, shape: tuple[int, ...], dtype: str = "float64") -> None:
    _check_is(name, found, np.ndarray)
    fits = found.dtype == dtype and found.shape == shape and found.ndim > 0
    _require(fits, name, f"must be {dtype} of shape {shape}", f"{found.dtype} {found.shape}")


def _require(holds: bool, name: str, rule: str, found: Any) -> None:
    if not holds:
        shown = found if isinstance(found, str | int | float) else type(found).__name__
        raise ModelFormatError(f"state.{name}: {rule}, is {shown!r:.80}")
