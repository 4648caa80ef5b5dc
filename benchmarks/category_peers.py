"""The peers of the category study: scikit-learn on encoded columns, LightGBM and YDF on text.

Trees are grown as far as each library's own guards of categories allow. LightGBM keeps its defaults
for categories (`cat_smooth`, `cat_l2`, `min_data_per_group`), YDF all of its defaults.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.prune_sets import Part

N_TREES = 30
LEAVES = 512
BAG_SHARE = 0.632

Predict = Callable[[Part], np.ndarray]


def ordinal() -> Any:
    """Imputed numbers; text as the rank of its level, with codes for unseen and missing ones."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OrdinalEncoder

    codes = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2
    )
    numbers = make_column_selector(dtype_include="number")
    others = make_column_selector(dtype_exclude="number")
    return make_column_transformer((SimpleImputer(strategy="median"), numbers), (codes, others))


def sklearn_tree(encoder: Callable[[], Any]) -> Predict:
    """scikit-learn's full tree on encoded columns."""

    def predict(part: Part) -> np.ndarray:
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        is_numbers = part.task == "regression"
        maker = DecisionTreeRegressor if is_numbers else DecisionTreeClassifier
        return encoded_fit(encoder(), maker(random_state=0), part)

    return predict


def sklearn_forest(encoder: Callable[[], Any]) -> Predict:
    """scikit-learn's forest of full trees on encoded columns."""

    def predict(part: Part) -> np.ndarray:
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        is_numbers = part.task == "regression"
        maker = RandomForestRegressor if is_numbers else RandomForestClassifier
        return encoded_fit(encoder(), maker(N_TREES, random_state=0, n_jobs=1), part)

    return predict


def encoded_fit(columns: Any, model: Any, part: Part) -> np.ndarray:
    X = np.asarray(columns.fit_transform(part.X), dtype=np.float32)
    X_test = np.asarray(columns.transform(part.X_test), dtype=np.float32)
    return np.asarray(model.fit(X, part.y).predict(X_test))


def lightgbm_tree(part: Part) -> np.ndarray:
    """One round without shrinkage: a tree, or one for each of three or more classes."""
    return lightgbm_fit(part, n_estimators=1, learning_rate=1.0)


def lightgbm_forest(part: Part) -> np.ndarray:
    """Its rf mode: rows drawn without replacement; for classes sqrt(columns) at each node."""
    columns = 1.0 if part.task == "regression" else 1 / np.sqrt(part.X.shape[1])
    return lightgbm_fit(
        part,
        boosting_type="rf",
        n_estimators=N_TREES,
        subsample=BAG_SHARE,
        subsample_freq=1,
        colsample_bynode=columns,
    )


def lightgbm_fit(part: Part, **choices: Any) -> np.ndarray:
    """Text as LightGBM's categories; levels without training rows are missing."""
    import lightgbm

    maker = lightgbm.LGBMRegressor if part.task == "regression" else lightgbm.LGBMClassifier
    model = maker(
        num_leaves=LEAVES, min_child_samples=1, min_child_weight=0.0, n_jobs=1, random_state=0,
        verbosity=-1, **choices,
    )  # fmt: skip
    train, test = categories(part)
    return np.asarray(model.fit(train, part.y).predict(test))


def categories(part: Part) -> tuple[Any, Any]:
    """Both frames with text as categories, those of the training rows; columns c0, c1, ..."""
    import pandas as pd

    train, test = part.X.copy(), part.X_test.copy()
    for name in train.select_dtypes(exclude="number"):
        train[name] = train[name].astype("category")
        test[name] = pd.Categorical(test[name], categories=train[name].cat.categories)
    plain_names = [f"c{number}" for number in range(train.shape[1])]
    return train.set_axis(plain_names, axis=1), test.set_axis(plain_names, axis=1)


def ydf_forest(part: Part) -> np.ndarray:
    """YDF's random forest as it comes, of as many trees as the others."""
    import ydf

    ydf.verbose(0)
    names = [f"c{number}" for number in range(part.X.shape[1])]
    train, test = part.X.set_axis(names, axis=1), part.X_test.set_axis(names, axis=1)
    is_numbers = part.task == "regression"
    learner = ydf.RandomForestLearner(
        label="label",
        task=ydf.Task.REGRESSION if is_numbers else ydf.Task.CLASSIFICATION,
        num_trees=N_TREES,
        num_threads=1,
        random_seed=0,
        compute_oob_performances=False,
    )
    model = learner.train(train.assign(label=part.y))
    return np.asarray(model.predict(test) if is_numbers else model.predict_class(test))
