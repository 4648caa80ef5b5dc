"""`silva.importance`: reads a model and its rows, and calls the inspector that was asked for."""

from dataclasses import replace
from typing import Any

from silva.checks import check_choice, whole
from silva.data.holders import hint_for
from silva.ensemble.forest import Forest
from silva.errors import DataError, PlanError
from silva.grow.plan import SEED_LIMIT
from silva.inspect import permutation
from silva.inspect.bags import refuse_without_out_of_bag
from silva.inspect.facades.bags import bags_of, is_forest, is_single_tree
from silva.inspect.importances import MEANING, Importance, of_trees
from silva.inspect.models import held_out, tree_of
from silva.inspect.overrides import OWN_CLASS, refuse_overrides
from silva.inspect.regrow import Recipe, forest_of_one
from silva.inspect.shadows import corrected
from silva.inspect.subject import opened, subject_of
from silva.messages import shown
from silva.threads import threads

KINDS = tuple(MEANING)
REPEATS = {"corrected": 10, "drop_column": 3}
LIMIT = 10_000
NO_LEFT_OUT = (
    "kind={kind!r} needs rows that the model was not grown from, and a single tree has seen all of"
    " its own: give held-out rows as X_val and y_val."
)


def importance(
    model: Any,
    X: Any = None,
    y: Any = None,
    kind: str = "corrected",
    *,
    sample_weight: Any = None,
    X_val: Any = None,
    y_val: Any = None,
    repeats: int | None = None,
    seed: int = 0,
) -> Importance:
    """How much each column matters to a forest or a single tree.

    Parameters
    ----------
    model : estimator, Tree, pipeline or search
        A fitted forest or tree of silva (for "corrected" and "drop_column" an unfitted one will
        do), or a Tree where nothing is grown again. Of a fitted pipeline or search the model
        inside; columns are then those that this model sees.
    X, y, sample_weight : default=None
        The rows of `fit`; not needed for "impurity", nor for "permutation" on held-out rows.
    kind : {"corrected", "impurity", "permutation", "drop_column"}, default="corrected"
        "impurity": shares of the gain on training rows, which favour columns of many values.
        "corrected": the same beyond the gain of shuffled copies, 0 on average for columns that
        know nothing; grows the model again from twice as many columns. "permutation": loss that
        shuffling a column adds, on out-of-bag rows tree by tree, or on held-out rows.
        "drop_column": loss that growing without the column adds, out of bag or on held-out rows;
        grows the model `repeats` times for each column.
    X_val, y_val : default=None
        Held-out rows to measure on in place of the out-of-bag rows.
    repeats : int, default=None
        Permutations for "corrected" (10), shuffles of each column for "permutation" (1 for each
        tree out of bag, 10 on held-out rows), fits with other seeds for "drop_column" (3).
    seed : int, default=0
        Of permutations and shuffles.

    Returns
    -------
    Importance
        `values`, `spread` (standard deviation over trees or repeats), `names`; prints as a table,
        and `silva.plot_importance` draws it.
    """
    check_choice("kind", kind, KINDS)
    whole("seed", seed, 0, SEED_LIMIT - 1)
    held_out_given = X_val is not None or y_val is not None
    default = REPEATS.get(kind, 10 if held_out_given else 1)
    count = whole("repeats", default if repeats is None else repeats, 1, LIMIT)
    inner, X, X_val = opened(model, X, X_val)
    found = _found(inner, (X, y, sample_weight), (X_val, y_val), kind, count, seed)
    return found if inner is model else replace(found, names=subject_of(model).schema.names)


def _found(
    model: Any,
    training: tuple[Any, Any, Any],
    other: tuple[Any, Any],
    kind: str,
    count: int,
    seed: int,
) -> Importance:
    if kind == "impurity":
        return of_trees(_forest(model).trees)
    if kind == "permutation":
        refuse_overrides("model", model, "permutation", OWN_CLASS)
        return _permutation(model, training, other, count, seed)
    recipe = _recipe(model, *training, kind)
    if kind == "corrected":
        return corrected(recipe, count, seed)
    if any(part is not None for part in other):
        return permutation.drop_column(recipe, held_out(recipe, *other), count)
    _refuse_without_left_out(recipe)
    return permutation.drop_column(recipe, None, count)


def _permutation(
    model: Any, training: tuple[Any, Any, Any], other: tuple[Any, Any], repeats: int, seed: int
) -> Importance:
    if any(part is not None for part in other):
        forest = _forest(model)
        table, target = held_out(forest, *other)
        n_threads = threads(getattr(model, "n_jobs", None))
        return permutation.held_out_permutation(forest, table, target, repeats, seed, n_threads)
    if not is_forest(model):
        _forest(model)
        raise PlanError(NO_LEFT_OUT.format(kind="permutation"))
    if training[1] is None:
        raise DataError(
            "kind='permutation' needs rows: X and y of fit to measure out of bag, or held-out rows"
            " as X_val and y_val. kind='impurity' needs none."
        )
    bags = bags_of(model, *training)
    refuse_without_out_of_bag(bags, "kind='permutation' on the rows of fit")
    return permutation.out_of_bag_permutation(bags, repeats, seed)


def _forest(model: Any) -> Forest:
    """The trees of a fitted model, of one or many."""
    forest: Forest = model._forest if is_forest(model) else forest_of_one(tree_of(model))
    return forest


def _recipe(model: Any, X: Any, y: Any, sample_weight: Any, kind: str) -> Recipe:
    """What grew the model: its parameters, with the seed of its fit where it has one."""
    if not (is_forest(model) or is_single_tree(model)):
        hint = hint_for(model) or "For a tree alone there is kind='impurity'."
        raise PlanError(
            f"model={shown(model)} is not possible: growing again needs an estimator of silva, of"
            f" one tree or a forest, such as silva.ForestClassifier(). {hint}"
        )
    if X is None or y is None:
        absent = "X" if X is None else "y"
        raise DataError(
            f"{absent} is missing: kind={kind!r} grows the model again, which needs the X and y of"
            " fit. Give importance(model, X, y), or kind='impurity', which needs no rows."
        )
    hint = "kind='impurity' and kind='permutation' with X_val and y_val grow nothing."
    refuse_overrides("model", model, "growing again", hint)
    recipe: Recipe = model._recipe(X, y, sample_weight)
    return recipe


def _refuse_without_left_out(recipe: Recipe) -> None:
    plan = recipe.forest_plan
    if plan is None:
        raise PlanError(NO_LEFT_OUT.format(kind="drop_column"))
    if plan.sampling == "all":
        raise PlanError(
            "kind='drop_column' on the rows of fit is not possible: bootstrap=False leaves no row"
            " out of any tree. Give held-out rows as X_val and y_val."
        )
