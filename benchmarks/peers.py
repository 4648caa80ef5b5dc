"""One adapter a library. `fit` starts at the arrays and ends with a tree that can predict.

Whatever a library builds from the arrays first (sorted orders, bins, its own dataset) is part of
`fit`. Every adapter grows ONE tree with no limit but the depth, no sampling and no regularisation,
with the stated number of threads.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np


@dataclass(frozen=True, slots=True)
class Work:
    """What to grow. `max_depth` None is a full tree; a depth of 8 has at most 256 leaves.

    `criterion` None is Gini impurity or squared error; silva and scikit-learn take others.
    """

    task: Literal["classification", "regression"] = "classification"
    max_depth: int | None = None
    threads: int = 1
    criterion: str | None = None

    @property
    def choices(self) -> dict[str, Any]:
        """The parameters that silva and scikit-learn share."""
        criterion = {"criterion": self.criterion} if self.criterion else {}
        return {"max_depth": self.max_depth, "random_state": 0, **criterion}


class Peer(Protocol):
    """A library in the comparison. `module` is what it imports as, `package` what pip calls it."""

    name: str
    module: str
    package: str

    def fit(self, X: np.ndarray, y: np.ndarray, work: Work) -> Any: ...

    def predict(self, model: Any, X: np.ndarray) -> np.ndarray: ...

    def leaves(self, model: Any) -> int: ...


class Silva:
    name = "silva"
    module = "silva"
    package = "silva"

    def fit(self, X, y, work):
        import silva

        maker = silva.TreeClassifier if work.task == "classification" else silva.TreeRegressor
        return maker(n_jobs=work.threads, **work.choices).fit(X, y)

    def predict(self, model, X):
        return model.predict(X)

    def leaves(self, model):
        return model.get_n_leaves()


class StandIn(Silva):
    """silva in the place of a peer, where the peer itself runs in another process (see `isa`)."""

    def __init__(self, name: str):
        self.name = name


class ScikitLearn:
    """Exact, one thread whatever is asked: its trees have no threads."""

    name = "scikit-learn"
    module = "sklearn"
    package = "scikit-learn"

    def fit(self, X, y, work):
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        regression = work.task == "regression"
        maker = DecisionTreeRegressor if regression else DecisionTreeClassifier
        return maker(**work.choices).fit(X, y)

    def predict(self, model, X):
        return model.predict(X)

    def leaves(self, model):
        return model.get_n_leaves()


class Ydf:
    """Exact CART by information gain, one thread; nothing kept back, so nothing is pruned.

    Its depth counts nodes, not splits. Sorting in each node (its default) was its fastest setting.
    """

    name = "YDF"
    module = "ydf"
    package = "ydf"

    def fit(self, X, y, work):
        import ydf

        ydf.verbose(0)
        depth = -1 if work.max_depth is None else work.max_depth + 1
        task = ydf.Task.CLASSIFICATION if work.task == "classification" else ydf.Task.REGRESSION
        learner = ydf.CartLearner(
            label="y", task=task, validation_ratio=0.0, max_depth=depth, min_examples=1,
            num_threads=work.threads,
        )  # fmt: skip
        return learner.train({"x": X, "y": y})

    def predict(self, model, X):
        import ydf

        if model.task() == ydf.Task.REGRESSION:
            return model.predict({"x": X})
        return model.predict_class({"x": X}).astype(np.int64)

    def leaves(self, model):
        return (model.num_nodes() + 1) // 2


class LightGbm:
    """Histograms of its default 255 bins; best-first, so depth and leaves are both limited."""

    name = "LightGBM"
    module = "lightgbm"
    package = "lightgbm"

    def fit(self, X, y, work):
        import lightgbm

        depth = limited_depth(self.name, work)
        settings = {
            "objective": "binary" if work.task == "classification" else "regression",
            "max_depth": depth,
            "num_leaves": 2**depth,
            "min_data_in_leaf": 1,
            "min_sum_hessian_in_leaf": 0.0,
            "learning_rate": 1.0,
            "force_col_wise": True,  # otherwise it first spends time trying both layouts
            "num_threads": work.threads,
            "verbosity": -1,
        }
        data = lightgbm.Dataset(X, y, params=settings)
        return lightgbm.train(settings, data, num_boost_round=1)

    def predict(self, model, X):
        return labels_or_values(model.predict(X), model.params["objective"] == "binary")

    def leaves(self, model):
        return model.dump_model()["tree_info"][0]["num_leaves"]


class XgBoost:
    """Histograms of its default 256 bins ("hist"), or every threshold ("exact")."""

    module = "xgboost"
    package = "xgboost"

    def __init__(self, method: Literal["hist", "exact"]):
        self.method = method
        self.name = f"XGBoost {method}"

    def fit(self, X, y, work):
        import xgboost

        settings = {
            "objective": "binary:logistic" if work.task == "classification" else "reg:squarederror",
            "tree_method": self.method,
            "max_depth": limited_depth(self.name, work),
            "min_child_weight": 0.0,
            "gamma": 0.0,
            "reg_lambda": 0.0,
            "learning_rate": 1.0,
            "nthread": work.threads,
            "verbosity": 0,
        }
        matrix = xgboost.QuantileDMatrix if self.method == "hist" else xgboost.DMatrix
        with xgboost.config_context(nthread=work.threads):
            return xgboost.train(settings, matrix(X, y, nthread=work.threads), num_boost_round=1)

    def predict(self, model, X):
        return labels_or_values(model.inplace_predict(X), "logistic" in model.save_config())

    def leaves(self, model):
        return model.get_dump()[0].count("leaf=")


def limited_depth(name: str, work: Work) -> int:
    """The depth, for libraries that cannot grow a tree without a limit."""
    if work.max_depth is None:
        raise ValueError(f"{name} needs a depth limit, but a full tree was asked for")
    return work.max_depth


def labels_or_values(predicted: np.ndarray, two_classes: bool) -> np.ndarray:
    """Labels 0 and 1 from the probability of class 1; numbers unchanged."""
    return (predicted > 0.5).astype(np.int64) if two_classes else predicted


PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        Silva(),
        ScikitLearn(),
        Ydf(),
        LightGbm(),
        XgBoost("hist"),
        XgBoost("exact"),
    )
}


def available(wanted: Sequence[str] | None = None) -> tuple[dict[str, Peer], dict[str, str]]:
    """The peers that can run (silva always among those tried), and why the others cannot."""
    names = PEERS if wanted is None else ["silva", *wanted]
    reasons = {name: missing_reason(peer) for name, peer in PEERS.items() if name in names}
    usable = {name: PEERS[name] for name, reason in reasons.items() if not reason}
    return usable, {name: reason for name, reason in reasons.items() if reason}


def stands_in(peers: Mapping[str, Peer], name: str) -> bool:
    """Whether silva must run in the place of this peer."""
    return isinstance(peers[name], StandIn)


def missing_reason(peer: Peer) -> str:
    """Why this peer cannot be imported; empty when it can."""
    try:
        importlib.import_module(peer.module)
    except ImportError as error:
        return f"cannot import {peer.module} ({error}); pip install {peer.package}"
    return ""


def version(peer: Peer) -> str:
    """The installed version."""
    module = importlib.import_module(peer.module)
    return getattr(module, "__version__", None) or importlib.metadata.version(peer.package)
