"""The rows that an estimator is given beside its training rows: to be answered, or held out."""

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_html_repr, get_tags

from silva.checks import Settings, settings_in
from silva.data.bind import bind_prediction
from silva.data.column_facts import ColumnFacts, unpacked
from silva.data.columns import are_numbers, table_has_names
from silva.data.schema import Schema
from silva.data.table import Table, Target, Task
from silva.errors import DataError, SilvaError, warn
from silva.estimators.params import plan_of
from silva.grow.plan import Plan
from silva.prune.evidence import Rows

if TYPE_CHECKING:
    from silva.page.explorer import Explorer

Bound = TypeVar("Bound")

PICTURE_FAILED = "the tree could not be drawn"


class TakesRows(BaseEstimator):  # type: ignore[misc]
    """What estimators of one tree and of many share: how they read rows, and whether they can."""

    _task: ClassVar[Task]
    _of_fit: ClassVar[tuple[str, ...]]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """An attribute that only a fit makes is asked for too early, or does not exist."""
            if name.endswith("_") and name in _made_by_fit(type(self)):
                self._check_fitted(name)
            return object.__getattribute__(self, name)

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also those of settings, such as `prune__max_leaves` or `plan__max_depth`.

        Settings are frozen and shared, so a changed copy takes their place.

        Parameters
        ----------
        **params : dict
            Values by the names that `get_params` tells.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there is no such parameter, or its value is not possible in its settings.
        """
        parts: dict[str, dict[str, Any]] = {}
        for key in [*params]:
            name, mark, part = key.partition("__")
            value = params.get(name, getattr(self, name, None))
            is_own = isinstance(value, Settings) or not hasattr(value, "set_params")
            if mark and name in self._get_param_names() and is_own:
                parts.setdefault(name, {})[part] = params.pop(key)
        for name, changes in parts.items():
            value = params.get(name, getattr(self, name))
            params[name] = settings_in(name, value).with_params(name, changes)
        return cast(Self, super().set_params(**params))

    def _check_fitted(self, wanted: str = "") -> None:
        if not self.__sklearn_is_fitted__():
            then = f", then ask for {wanted}" if wanted else ""
            name = type(self).__name__
            raise NotFittedError(f"This {name} instance is not fitted yet: call fit first{then}.")

    def _html_repr(self) -> str:
        """scikit-learn's box of parameters; below it the tree, or the first of many.

        A picture that fails is left out with a warning: the display of an estimator never fails.
        """
        box = estimator_html_repr(self)
        if not self.__sklearn_is_fitted__():
            return str(box)
        try:
            return f"{box}{self._picture()}"
        except Exception as error:
            warn(f"{PICTURE_FAILED}: {type(error).__name__}: {error}", RuntimeWarning)
            return str(box)

    def _picture(self) -> str:
        from silva.export.notebook import tree_html

        return tree_html(self, tree=0)

    def explore(self, X: Any = None, y: Any = None, **options: Any) -> "Explorer":
        """Show the explorer page of the fitted model in a notebook.

        Parameters
        ----------
        X, y : table and targets, default=None
            Rows with their targets, such as those of `fit`.
        **options
            Those of `silva.report`, but for `path`.

        Returns
        -------
        Explorer
            Notebooks show the page in a frame of its own. Where frames are not shown (GitHub,
            e-mail), the tree is there as text.

        See Also
        --------
        silva.report : The same page as a file.
        """
        from silva.page.explorer import Explorer

        return Explorer(self, X, y, **options)

    @property
    def column_facts_(self) -> ColumnFacts | None:
        """Range, mean, spread and missing values of the training columns; None if unknown."""
        facts: bytes | None = self._column_facts
        return None if facts is None else unpacked(facts)

    @abstractmethod
    def __sklearn_is_fitted__(self) -> bool: ...

    @abstractmethod
    def _bind_held_out_target(
        self, y: Any, sample_weight: Any, n_rows: int, training: Target
    ) -> Target:
        """The target of held-out rows, in the coding of the training target."""

    def _bound_by(self, bind: Callable[[Any], Bound], X: Any, schema: Schema) -> Bound:
        """Bind rows to predict; warn about names only if that raises no error."""
        name = type(self).__name__
        check_width(X, schema, name)
        bound = bind(X)
        warn_of_names(X, schema, name)
        return bound

    def _bind_held_out(
        self, X: Any, y: Any, sample_weight: Any, schema: Schema, training: Target
    ) -> Rows | None:
        if X is None and y is None and sample_weight is None:
            return None
        if X is None or y is None:
            absent = "X_val" if X is None else "y_val"
            raise DataError(f"{absent} is missing: held-out rows need both X_val and y_val.")
        table = _bound_held_out(X, schema)
        if not table.n_rows:
            raise DataError("X_val has no rows: leave it out, or give rows to measure the tree on.")
        target = self._bind_held_out_target(y, sample_weight, table.n_rows, training)
        warn_of_names(X, schema, type(self).__name__, "X_val")
        return Rows(table, target)

    def __sklearn_tags__(self) -> Any:
        """What the parameters allow: missing values, or targets of at least 0 only."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        grown = vars(self).get("estimator")
        if isinstance(grown, BaseEstimator):
            part = get_tags(grown)
            tags.input_tags.allow_nan = part.input_tags.allow_nan
            tags.target_tags.positive_only = part.target_tags.positive_only
        else:
            plan = _possible_plan(self)
            tags.input_tags.allow_nan = plan is None or plan.missing != "error"
            tags.target_tags.positive_only = plan is not None and plan.criterion == "poisson"
        return tags


def check_width(X: Any, schema: Schema, name: str) -> None:
    """Refuse an array of another width; `name` is the class of the estimator that reads it."""
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] != len(schema):
        raise DataError(
            f"X has {X.shape[1]} features, but {name} is expecting {len(schema)} features as"
            " input: give the columns it was fitted on."
        )


def warn_of_names(X: Any, schema: Schema, name: str, what: str = "X") -> None:
    """Warn where only one side has names for its columns, which are then matched by position.

    The words are those of scikit-learn.
    """
    has_names = table_has_names(X)
    if schema.named and not has_names and not are_numbers(schema.names):
        warn(
            f"{what} does not have valid feature names, but {name} was fitted with feature names",
            UserWarning,
        )
    elif has_names and not schema.named and not _are_made_up(X):
        warn(
            f"{what} has feature names, but {name} was fitted without feature names",
            UserWarning,
        )


def _are_made_up(X: Any) -> bool:
    """Whether the names of a pandas frame are but the numbers of its columns."""
    return type(X).__module__.partition(".")[0] == "pandas" and are_numbers(X.columns)


def _made_by_fit(kind: type[TakesRows]) -> tuple[str, ...]:
    """The attributes that are not there before a fit."""
    classes = ("classes_", "n_classes_") if kind._task == "classification" else ()
    return ("n_features_in_", "feature_names_in_", "n_outputs_", *classes, *kind._of_fit)


def _possible_plan(estimator: Any) -> Plan | None:
    """The growth plan; None where `fit` would refuse it, or where the trees are not chosen here."""
    if not hasattr(estimator, "criterion"):
        return None
    try:
        return plan_of(estimator, estimator._task, draw=False)
    except SilvaError:
        return None


def _bound_held_out(X: Any, schema: Schema) -> Table:
    """The table of held-out rows; whatever is wrong with it is told as X_val's."""
    try:
        return bind_prediction(X, schema)
    except DataError as error:
        raise type(error)(f"X_val: {error}") from error
