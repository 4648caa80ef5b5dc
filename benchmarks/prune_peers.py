"""The peers of the pruning study: scikit-learn with a cross-validated ccp_alpha, YDF's CART."""

from typing import Any

import numpy as np

from benchmarks.prune_sets import Part

MOST_ALPHAS, INNER_FOLDS = 20, 5


def sklearn_cv(part: Part) -> tuple[np.ndarray, int]:
    """scikit-learn's tree on imputed and one-hot columns; GridSearchCV over its own path.

    Its paths can have hundreds of alphas, and each is a fit: at most 20 of them are tried.
    """
    from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    is_numbers = part.task == "regression"
    columns = encoder()
    X = np.asarray(columns.fit_transform(part.X), dtype=np.float32)
    tree = (DecisionTreeRegressor if is_numbers else DecisionTreeClassifier)(random_state=0)
    alphas = np.unique(np.maximum(tree.cost_complexity_pruning_path(X, part.y).ccp_alphas, 0.0))
    tried = np.unique(np.linspace(0, len(alphas) - 1, MOST_ALPHAS).astype(int))
    folds = (KFold if is_numbers else StratifiedKFold)(INNER_FOLDS, shuffle=True, random_state=0)
    score = "neg_mean_squared_error" if is_numbers else "accuracy"
    search = GridSearchCV(tree, {"ccp_alpha": alphas[tried]}, scoring=score, cv=folds)
    best = search.fit(X, part.y).best_estimator_
    held_out = np.asarray(columns.transform(part.X_test), dtype=np.float32)
    return best.predict(held_out), best.get_n_leaves()


def encoder() -> Any:
    """Imputed numbers and one-hot text, as in `raw_tables`."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    text = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="missing"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    numbers = make_column_selector(dtype_include="number")
    others = make_column_selector(dtype_exclude="number")
    return make_column_transformer((SimpleImputer(strategy="median"), numbers), (text, others))


def ydf_cart(part: Part) -> tuple[np.ndarray, int]:
    """YDF's CART as it comes: a tenth of the rows kept back to prune by, leaves of 5 rows."""
    import ydf

    ydf.verbose(0)
    names = {name: f"c{i}" for i, name in enumerate(part.X.columns)}
    train, test = part.X.rename(columns=names), part.X_test.rename(columns=names)
    is_numbers = part.task == "regression"
    task = ydf.Task.REGRESSION if is_numbers else ydf.Task.CLASSIFICATION
    learner = ydf.CartLearner(label="label", task=task, num_threads=1, random_seed=0)
    model = learner.train(train.assign(label=part.y))
    answers = model.predict(test) if is_numbers else model.predict_class(test)
    return answers, (model.num_nodes() + 1) // 2
