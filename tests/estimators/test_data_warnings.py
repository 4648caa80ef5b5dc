"""Warnings about training data: once for each fit, at the user's line, and nowhere else."""

import gc
import warnings
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline

import silva
from silva import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    DataWarning,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    StumpClassifier,
    StumpRegressor,
    TreeClassifier,
    TreeRegressor,
)
from silva.cli.main import run

RNG = np.random.default_rng(9)
N = 60
LABELS = RNG.permutation(["yes", "no"] * (N // 2))
AMOUNTS = RNG.normal(size=N)
FRAME = pd.DataFrame(
    {
        "id": [f"p{i}" for i in range(N)],
        "answer": np.where(LABELS == "yes", "Y", "N"),
        "amount": AMOUNTS * 3.0,
        "size": RNG.normal(size=N),
    }
)
CLASSIFIERS = [
    TreeClassifier(),
    TreeClassifier(prune="cost_complexity"),
    TreeClassifier(plan="CART"),
    StumpClassifier(),
    ForestClassifier(n_estimators=4),
    ForestClassifier(n_estimators=3, prune="pessimistic"),
    ExtraTreesClassifier(n_estimators=4),
    BaggingClassifier(TreeClassifier(), n_estimators=4),
    AdaBoostClassifier(n_estimators=4),
]
BOTH = [
    "columns that look like identifiers: 'id'",
    "columns that are a copy or a renaming of the target",
]
REGRESSORS = [
    TreeRegressor(),
    TreeRegressor(prune="cost_complexity"),
    StumpRegressor(),
    ForestRegressor(n_estimators=4),
    ExtraTreesRegressor(n_estimators=4),
    BaggingRegressor(TreeRegressor(), n_estimators=4),
]


def told(call: Callable[[], Any]) -> list[str]:
    """The first words of all warnings about data, each of which is at a line of this file."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    mine = [one for one in found if one.category is DataWarning]
    assert all(one.filename == __file__ for one in mine)
    return [str(one.message).split(" (")[0] for one in mine]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_a_classifier_warns_once(model: Any) -> None:
    fitted = clone(model)
    assert told(lambda: fitted.fit(FRAME, LABELS)) == BOTH
    assert told(lambda: fitted.predict(FRAME)) == []


@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
def test_a_regressor_warns_once(model: Any) -> None:
    fitted = clone(model)
    assert told(lambda: fitted.fit(FRAME, AMOUNTS)) == BOTH
    assert told(lambda: fitted.predict(FRAME)) == []


def test_held_out_rows_give_no_warnings_of_their_own() -> None:
    plain = FRAME.assign(id="same")[["id", "size"]]
    found = told(
        lambda: TreeRegressor().fit(plain, AMOUNTS, None, plain.assign(id=FRAME["id"]), AMOUNTS)
    )
    assert found == []


def test_an_array_of_numbers_can_hold_a_leak() -> None:
    table = np.column_stack((RNG.normal(size=(N, 3)), LABELS == "yes"))
    with pytest.warns(DataWarning, match="leak.: 'x3' .one to one: 0.0 where the target is 'no'"):
        TreeClassifier().fit(table, LABELS)


def test_functions_that_grow_many_trees_warn_once() -> None:
    assert told(lambda: silva.stability(TreeClassifier(), FRAME, LABELS, samples=3)) == BOTH
    assert told(lambda: silva.size_path(TreeClassifier(), FRAME, LABELS, cv=3)) == BOTH
    assert told(lambda: TreeClassifier().fit(FRAME, LABELS)) == BOTH


@pytest.mark.parametrize(
    "search",
    [
        lambda model: GridSearchCV(model, {"min_samples_leaf": [1, 2]}, cv=3).fit(FRAME, LABELS),
        lambda model: RandomizedSearchCV(model, {"min_samples_leaf": [1, 2]}, n_iter=2, cv=3).fit(
            FRAME, LABELS
        ),
        lambda model: cross_val_score(model, FRAME, LABELS, cv=4),
        lambda model: cross_validate(make_pipeline(model), FRAME, LABELS, cv=4),
        lambda model: VotingClassifier([("a", model), ("b", model)]).fit(FRAME, LABELS),
    ],
    ids=["grid", "random", "score", "pipeline", "voting"],
)
def test_a_search_warns_once(search: Any) -> None:
    for _ in range(2):
        assert told(lambda: search(TreeClassifier())) == BOTH


def test_a_search_tells_of_every_column_and_problem() -> None:
    late = ["x"] * (N // 2) + [f"q{i}" for i in range(N // 2)]
    table = FRAME.assign(late=late)
    folds = [(np.arange(N // 2), np.arange(N // 2, N)), (np.arange(N // 2, N), np.arange(N // 2))]
    with pytest.warns(DataWarning) as found:
        cross_val_score(TreeClassifier(), table, LABELS, cv=folds)
    told_of = [str(one.message) for one in found if one.category is DataWarning]
    assert sum("'id'" in message for message in told_of) == 1
    assert sum("'late'" in message for message in told_of) == 1


def test_separate_fits_warn_each() -> None:
    def both() -> None:
        for table in (FRAME, FRAME.iloc[::-1].reset_index(drop=True)):
            TreeClassifier().fit(table, LABELS if table is FRAME else LABELS[::-1])

    assert told(both) == [*BOTH, *BOTH]


def test_nothing_is_kept_after_the_call() -> None:
    table = FRAME.copy()
    kept = weakref.ref(table)
    with pytest.warns(DataWarning):
        cross_val_score(TreeClassifier(), table, LABELS, cv=3)
    del table
    gc.collect()
    assert kept() is None


def test_growing_a_fitted_model_again_is_silent() -> None:
    with pytest.warns(DataWarning):
        model = ForestClassifier(n_estimators=3, random_state=0).fit(FRAME, LABELS)
    assert told(lambda: silva.importance(model, FRAME, LABELS, kind="drop_column")) == []


def test_the_command_line_shows_the_warnings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.csv"
    FRAME.assign(label=LABELS).to_csv(path, index=False)
    assert run(["fit", str(path), "-t", "label", "--keep", "id"]) == 0
    shown = capsys.readouterr().err
    assert "Warning: columns that look like identifiers: 'id' (60 different" in shown
    assert "Warning: columns that are a copy or a renaming of the target (a leak): 'an" in shown
