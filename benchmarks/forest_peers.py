"""One adapter a library for forests of full trees; `fit` starts at the arrays, as in `peers`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from benchmarks.peers import Peer, stands_in


@dataclass(frozen=True, slots=True)
class ForestWork:
    """So many trees of sqrt(columns) a node; extra-trees see all rows and draw thresholds."""

    n_trees: int = 100
    extra: bool = False
    threads: int = 2


class ForestPeer(Protocol):
    """A library with forests. `base` is its name among the peers of single trees."""

    name: str
    base: str

    def fit(self, X: np.ndarray, y: np.ndarray, work: ForestWork) -> Any: ...

    def predict(self, model: Any, X: np.ndarray) -> np.ndarray: ...


class SilvaForest:
    """The core's grower, and trees that vote with their class shares."""

    name = base = "silva"

    def fit(self, X, y, work):
        from silva import _core
        from silva.data.bind import bind_classes, bind_training
        from silva.data.schema import KIND_NUMBER
        from silva.grow.plan import Plan
        from silva.tree.tree import from_core

        table = bind_training(X)
        target = bind_classes(y, None, None, len(y))
        splitter = "random" if work.extra else "best"
        plan = Plan("classification", "gini", splitter=splitter, max_features="sqrt")
        choices = plan.resolved(len(y), table.schema)
        del choices["seed"]
        columns = table.schema.columns
        grower = _core.ForestGrower(
            list(table.columns),
            [KIND_NUMBER[column.kind] for column in columns],
            [column.n_levels for column in columns],
            target.values,
            None,
            len(target.classes),
            bootstrap="all" if work.extra else "bootstrap",
            n_samples=len(y),
            oob=False,
            **choices,
        )
        arrays = grower.grow(list(range(work.n_trees)), work.threads)
        make = partial(from_core, table.schema, target.task, target.classes, plan.criterion)
        return [make(one) for one in arrays]

    def predict(self, model, X):
        from silva.data.bind import bind_prediction
        from silva.leaf.answers import predict_shares
        from silva.tree.route import leaves

        table = bind_prediction(X, model[0].schema)
        shares = sum(predict_shares(tree, leaves(tree, table, 2), table) for tree in model)
        return model[0].classes[shares.argmax(axis=1)]


class ScikitLearnForest:
    name = base = "scikit-learn"

    def fit(self, X, y, work):
        from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

        maker = ExtraTreesClassifier if work.extra else RandomForestClassifier
        return maker(work.n_trees, n_jobs=work.threads, random_state=0).fit(X, y)

    def predict(self, model, X):
        return model.predict(X)


class YdfForest:
    """Full trees by Gini's sibling, information gain: exact thresholds, or 255 of them."""

    base = "YDF"

    def __init__(self, discretised: bool):
        self.discretised = discretised
        self.name = "YDF discretised" if discretised else "YDF exact"

    def fit(self, X, y, work):
        import ydf

        ydf.verbose(0)
        learner = ydf.RandomForestLearner(
            label="y", num_trees=work.n_trees, max_depth=-1, min_examples=1,
            winner_take_all=False, compute_oob_performances=False, num_threads=work.threads,
            discretize_numerical_columns=self.discretised,
        )  # fmt: skip
        return learner.train({"x": X, "y": y})

    def predict(self, model, X):
        return model.predict_class({"x": X}).astype(np.int64)


class XgBoostForest:
    """One round of parallel trees of depth 20 on its default 256 bins."""

    name = "XGBoost rf"
    base = "XGBoost hist"

    def fit(self, X, y, work):
        import xgboost

        model = xgboost.XGBRFClassifier(
            n_estimators=work.n_trees, tree_method="hist", max_depth=20, min_child_weight=0.0,
            reg_lambda=0.0, subsample=0.632, colsample_bynode=1 / np.sqrt(X.shape[1]),
            n_jobs=work.threads, verbosity=0,
        )  # fmt: skip
        return model.fit(X, y)

    def predict(self, model, X):
        return model.predict(X)


class LightGbmForest:
    """Its rf mode: trees of 512 leaves on 255 bins."""

    name = "LightGBM rf"
    base = "LightGBM"

    def fit(self, X, y, work):
        import lightgbm

        model = lightgbm.LGBMClassifier(
            boosting_type="rf", n_estimators=work.n_trees, num_leaves=512, min_child_samples=1,
            min_child_weight=0.0, subsample=0.632, subsample_freq=1, verbosity=-1,
            colsample_bynode=1 / np.sqrt(X.shape[1]), n_jobs=work.threads,
        )  # fmt: skip
        return model.fit(X, y)

    def predict(self, model, X):
        return model.predict(X)


FOREST_PEERS: tuple[ForestPeer, ...] = (
    SilvaForest(),
    ScikitLearnForest(),
    YdfForest(discretised=False),
    YdfForest(discretised=True),
    XgBoostForest(),
    LightGbmForest(),
)


def with_forests(peers: Mapping[str, Peer]) -> dict[str, ForestPeer]:
    """The forests of the libraries that can run."""
    return {
        peer.name: SilvaForest() if stands_in(peers, peer.base) else peer
        for peer in FOREST_PEERS
        if peer.base in peers
    }
