"""`silva.LeafFeatures`: the leaves or the rules of a model as columns for another model."""

from copy import deepcopy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from silva.checks import check_choice, refuse
from silva.data.bind import bind_prediction
from silva.data.schema import Schema
from silva.ensemble import engine
from silva.errors import DataError, PlanError
from silva.estimators.rows import TakesRows, check_width, warn_of_names
from silva.estimators.sklearn_arrays import indicator
from silva.inspect.distil import Distilled
from silva.inspect.node_columns import (
    CHOICES,
    column_names,
    column_values,
    end_columns,
    node_columns,
    path_columns,
)
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.subject import Subject, subject_of, unwrapped
from silva.threads import threads
from silva.tree import route
from silva.tree.tree import Tree


class LeafFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The leaves, or all rules, of a tree or an ensemble as sparse columns of 0 and 1.

    A tree is a linear model over the indicators of its leaves (`weights`). Another linear model
    over them is fitted by a pipeline; over all rules, with an L1 penalty, it is RuleFit.

    Parameters
    ----------
    model : silva estimator
        A tree, stump, forest, extra-trees, bagging or AdaBoost, or a pipeline that ends in one.
        `fit` fits a clone of it, as scikit-learn's meta-estimators do, even if it is fitted. A
        fitted model can be used at once, without `fit`, and so can a `silva.Tree`. To keep a fitted
        model through `fit` and `clone`, as a step of a pipeline needs, wrap it in
        `sklearn.frozen.FrozenEstimator`.
    features : {"leaves", "rules"}, default="leaves"
        `leaves`: a column for each place where rows can end: the leaves, and the inner nodes at
        which missing or unseen values stop. Each row has exactly one 1 in each tree. `rules`: a
        column for each node but the root, 1 for the rows that pass it. Columns are in the order of
        the trees and of their nodes. A node that has no training rows and that no row can reach has
        no column.

    Attributes
    ----------
    model_ : silva estimator
        The fitted clone of `model`.
    n_features_in_ : int
        The number of columns that the model takes.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when the table had names.

    See Also
    --------
    silva.distil : One tree that stands for a forest.

    Examples
    --------
    >>> from silva import LeafFeatures, TreeRegressor
    >>> X, y = [[1.0], [2.0], [4.0], [5.0]], [0.0, 1.0, 8.0, 9.0]
    >>> leaves = LeafFeatures(TreeRegressor(max_depth=1)).fit(X, y)
    >>> leaves.get_feature_names_out().tolist()
    ['x0 < 3 or missing', 'x0 >= 3']
    >>> leaves.transform(X).toarray().tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    >>> (leaves.transform(X) @ leaves.weights()).tolist()
    [0.5, 0.5, 8.5, 8.5]
    """

    def __init__(self, model: Any, features: str = "leaves") -> None:
        self.model = model
        self.features = features

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit a clone of the model.

        Parameters
        ----------
        X : table
            Training rows, as the model's `fit` takes them.
        y : array-like of shape (n_samples,), default=None
            The target. Only a frozen model needs none.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts.
        **fit_params : dict
            Further arguments of the model's `fit`, such as `X_val` and `y_val`.

        Returns
        -------
        self
        """
        check_choice("features", self.features, CHOICES)
        _check_model(self.model)
        if not hasattr(self.model, "fit"):
            kind = type(self.model).__name__
            refuse("model", self.model, f"a {kind} cannot be fitted", "Call transform without fit.")
        if sample_weight is not None:
            fit_params["sample_weight"] = sample_weight
        self.model_ = clone(self.model).fit(X, y, **fit_params)
        return self

    def transform(self, X: Any) -> csr_array | csr_matrix:
        """The columns of the rows: sparse float64 of shape (n_samples, n_columns), all 0 or 1.

        A SciPy CSR matrix, or array if scikit-learn's `sparse_interface` is configured so.
        """
        check_choice("features", self.features, CHOICES)
        subject, (inner, steps) = self._subject, unwrapped(self._model)
        if steps is None:
            check_width(X, subject.schema, type(self).__name__)
        nodes = _ends(inner, X if steps is None else steps.transform(X))
        if steps is None:
            warn_of_names(X, subject.schema, type(self).__name__)
        columns = node_columns(subject.trees(), self.features)
        if self.features == "leaves":
            start, passed = end_columns(columns, nodes)
        else:
            start, passed = path_columns(columns, subject.trees(), nodes)
        return indicator(start, passed, len(columns), np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The columns in words: the exact conditions that a row with a 1 satisfies.

        Missing values satisfy a condition only if it says "or missing", levels that training did
        not see only if it says "or unseen". Columns of an ensemble begin with the number of their
        tree in `trees_`, as in "tree 3: income >= 3350". No two names are equal.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names for the columns of a model that was fitted without names; they must equal the
            model's own names if it has some. A pipeline names the columns of its last step itself.

        Returns
        -------
        ndarray of str objects
        """
        check_choice("features", self.features, CHOICES)
        subject = self._subject
        schema = self._named(subject.schema, input_features)
        lexicon, many = Lexicon(schema, subject.labels), subject.combiner != "tree"
        return np.array(column_names(subject.trees(), self.features, lexicon, many), dtype=object)

    def values(self) -> np.ndarray:
        """What a tree predicts for the rows of each column, with `features="leaves"`.

        Regression: means, (n_columns,). Classification: class shares, or 1 for the class that gets
        the vote if the trees vote (hard voting and AdaBoost), (n_columns, n_classes).

        The prediction of a forest is the exact sum of the values of a row's columns, divided by the
        number of trees and rounded once: see `weights`.

        Raises
        ------
        PlanError
            If the leaves are linear models, or with `features="rules"`.
        """
        return self._values(self._subject, "values()")

    def weights(self) -> np.ndarray:
        """The weights w of the linear model that the trees are, with `features="leaves"`.

        `transform(X) @ w` is, for

        - one tree: `predict`, or `predict_proba` of a classifier, to the last bit;
        - forests and bagging: the same but for rounding, w being `values() / n_trees`. To the last
          bit it is the sum of `values()` in exact arithmetic, divided by the number of trees and
          rounded once;
        - AdaBoost: the votes of the classes to the last bit, w being the weight of the tree for the
          class that the leaf votes for. The first class with the most votes is `predict`.

        Returns
        -------
        ndarray of shape (n_columns,) or (n_columns, n_classes)

        Raises
        ------
        PlanError
            If the leaves are linear models, or with `features="rules"`.
        """
        subject = self._subject
        values = self._values(subject, "weights()")
        if subject.combiner == "boosted":
            columns = node_columns(subject.trees(), "leaves")
            alphas = unwrapped(self._model)[0].estimator_weights_
            each = np.repeat(alphas, [len(nodes) for nodes in columns.nodes])
            return np.asarray(values * each[:, np.newaxis])
        return np.asarray(values / len(subject))

    @property
    def n_features_in_(self) -> int:
        """The number of columns that the model takes."""
        model = self._model
        return len(model.schema) if isinstance(model, Tree) else int(model.n_features_in_)

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Their names, when the table had names."""
        model = self._model
        if isinstance(model, Tree) and model.schema.named:
            return np.array(model.schema.names, dtype=object)
        return np.asarray(model.feature_names_in_)

    @property
    def _model(self) -> Any:
        """The model that `fit` made, else the one that was given, if it is fitted."""
        if "model_" in vars(self):
            return _opened(self.model_)
        _check_model(self.model)
        if not _is_fitted(self.model):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet: call fit, or give a fitted"
                " model."
            )
        return _opened(self.model)

    @property
    def _subject(self) -> Subject:
        return subject_of(self._model)

    def _named(self, schema: Schema, names: Any) -> Schema:
        """The schema with the names that were given, if the model knows none."""
        if names is None:
            return schema
        given, known = list(names), getattr(self, "feature_names_in_", None)
        if known is not None and given != known.tolist():
            raise DataError(
                "input_features is not equal to feature_names_in_: leave it out, or give the names"
                " of the columns in training."
            )
        n_features = getattr(self, "n_features_in_", len(given))
        if len(given) != n_features:
            raise DataError(
                f"input_features should have length equal to number of features ({n_features}),"
                f" got {len(given)}."
            )
        if schema.named or unwrapped(self._model)[1] is not None:
            return schema
        pairs = zip(schema.columns, given, strict=True)
        return Schema(tuple(replace(column, name=str(name)) for column, name in pairs))

    def _values(self, subject: Subject, what: str) -> np.ndarray:
        if self.features != "leaves":
            check_choice("features", self.features, CHOICES)
            raise PlanError(
                f"{what} needs features='leaves', and features is {self.features!r}: rules overlap,"
                " so the model is not the sum of one number for each. Fit a linear model over them."
            )
        if any(tree.linear is not None for tree in subject.trees()):
            raise PlanError(
                f"{what} needs leaves with one prediction each, and those of this {subject.title}"
                " are linear models (leaf='linear'). Fit it with leaf=None."
            )
        return column_values(subject.trees(), subject.combiner in ("hard", "boosted"))

    def __sklearn_is_fitted__(self) -> bool:
        given = vars(self).get("model")
        return "model_" in vars(self) or (_is_silva(given) and _is_fitted(given))

    def __sklearn_tags__(self) -> Any:
        """What the model takes is taken; a frozen model needs no target."""
        tags = super().__sklearn_tags__()
        if isinstance(self.model, BaseEstimator):
            inner = deepcopy(get_tags(self.model))
            tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
            tags.non_deterministic = inner.non_deterministic
            if isinstance(self.model, FrozenEstimator):
                tags.target_tags.required = False
        return tags


def _ends(model: Any, rows: Any) -> np.ndarray:
    """The node where each row ends in each tree of a fitted model: (rows, trees)."""
    n_jobs = getattr(model, "n_jobs", None)
    if not hasattr(model, "trees_"):
        tree = model if isinstance(model, Tree) else model.grown_tree_
        table = bind_prediction(rows, tree.schema)
        return route.leaves(tree, table, threads(n_jobs))[:, np.newaxis]
    bound = engine.rows_of(rows, model.trees_)
    return engine.leaves(model.trees_, bound, threads(n_jobs, engine.len_of(bound)))


def _check_model(model: Any) -> None:
    if _is_silva(model):
        return
    hint = ""
    if isinstance(model, type) and issubclass(model, TakesRows):
        hint = f"Did you mean silva.{model.__name__}()?"
    allowed = "use an estimator of silva, such as silva.TreeClassifier(max_depth=4), or a pipeline"
    refuse("model", model, f"{allowed} that ends in one", hint)


def _is_silva(model: Any) -> bool:
    """Whether this is a model of silva, fitted or not, or a pipeline or search of one."""
    while True:
        model = _opened(model)
        if hasattr(model, "steps") and hasattr(model, "named_steps"):
            model = model.steps[-1][1]
        elif hasattr(model, "param_grid") or hasattr(model, "param_distributions"):
            model = model.estimator
        else:
            return isinstance(model, Tree | TakesRows)


def _is_fitted(model: Any) -> bool:
    if isinstance(model, Tree | Distilled):
        return True
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _opened(model: Any) -> Any:
    """The model inside a `FrozenEstimator`, or of what `silva.distil` returns."""
    while isinstance(model, FrozenEstimator | Distilled):
        model = model.model if isinstance(model, Distilled) else model.estimator
    return model
