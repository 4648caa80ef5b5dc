"""What the category study compares: silva with fair and with plain gains, and its peers.

A method predicts the held-out rows of a fold. All get the columns as they are read; peers that
need numbers get encoded columns.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from benchmarks import category_peers as peers
from benchmarks.prune_peers import encoder as one_hot
from benchmarks.prune_peers import ydf_cart
from benchmarks.prune_sets import Part

Family = Literal["tree", "forest", "boosting"]
N_TREES = peers.N_TREES
BOOSTED_DEPTH = 3
BOTH_TASKS = ("classification", "regression")


@dataclass(frozen=True)
class Method:
    """`predict` fits on the rows of a fold and predicts its held-out rows; `module` is needed."""

    family: Family
    predict: Callable[[Part], np.ndarray]
    module: str = "silva"
    tasks: tuple[str, ...] = BOTH_TASKS

    @property
    def is_installed(self) -> bool:
        return find_spec(self.module) is not None


def silva_method(kind: str, **choices: Any) -> Callable[[Part], np.ndarray]:
    """silva's `kind` ("Tree", "Forest", "ExtraTrees") of a fold's task, one thread."""

    def predict(part: Part) -> np.ndarray:
        import silva

        ending = "Regressor" if part.task == "regression" else "Classifier"
        estimator = getattr(silva, kind + ending)(random_state=0, n_jobs=1, **choices)
        return np.asarray(estimator.fit(part.X, part.y).predict(part.X_test))

    return predict


def silva_boosting(category_gain: str) -> Callable[[Part], np.ndarray]:
    """AdaBoost of shallow trees."""

    def predict(part: Part) -> np.ndarray:
        import silva

        tree = silva.TreeClassifier(max_depth=BOOSTED_DEPTH, category_gain=category_gain)
        model = silva.AdaBoostClassifier(tree, n_estimators=N_TREES, random_state=0, n_jobs=1)
        return np.asarray(model.fit(part.X, part.y).predict(part.X_test))

    return predict


def of_silva(gain: str) -> dict[str, Method]:
    """Every kind of model with this gain."""
    named, many = {"category_gain": gain}, {"n_estimators": N_TREES, "category_gain": gain}
    return {
        f"silva tree, {gain}": Method("tree", silva_method("Tree", **named)),
        f"silva forest, {gain}": Method("forest", silva_method("Forest", **many)),
        f"silva extra-trees, {gain}": Method("forest", silva_method("ExtraTrees", **many)),
        f"silva AdaBoost, {gain}": Method(
            "boosting", silva_boosting(gain), tasks=("classification",)
        ),
    }


SILVA: dict[str, Method] = {
    **of_silva("fair"),
    **of_silva("plain"),
    "silva tree, one-vs-rest": Method("tree", silva_method("Tree", splits="onevsrest")),
}

PEERS: dict[str, Method] = {
    "scikit-learn tree, one-hot": Method("tree", peers.sklearn_tree(one_hot), "sklearn"),
    "scikit-learn tree, ordinal": Method("tree", peers.sklearn_tree(peers.ordinal), "sklearn"),
    "LightGBM tree": Method("tree", peers.lightgbm_tree, "lightgbm"),
    "YDF CART": Method("tree", lambda part: ydf_cart(part)[0], "ydf"),
    "scikit-learn forest, one-hot": Method("forest", peers.sklearn_forest(one_hot), "sklearn"),
    "scikit-learn forest, ordinal": Method(
        "forest", peers.sklearn_forest(peers.ordinal), "sklearn"
    ),
    "LightGBM rf": Method("forest", peers.lightgbm_forest, "lightgbm"),
    "YDF random forest": Method("forest", peers.ydf_forest, "ydf"),
}

METHODS: dict[str, Method] = {**SILVA, **PEERS}

PAIRS = tuple((name, name.replace("fair", "plain")) for name in of_silva("fair"))
"""Each model with the fair gain and its twin with the plain one."""
