"""Callbacks of scikit-learn: progress, scores, own hooks; none costs nothing."""

from inspect import signature

import numpy as np
import pandas as pd
import pytest
from sklearn.callback import ProgressBar, ScoringMonitor
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from silva import DataError, TreeClassifier, TreeRegressor

X, Y = load_iris(return_X_y=True, as_frame=True)


class Recorder:
    """Remembers what it was told, and asks the fitted estimator it is given."""

    def __init__(self):
        self.seen = []

    def setup(self, estimator, context):
        self.seen.append("setup")

    def teardown(self, estimator, context):
        self.seen.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None):
        self.seen.append(("begin", X is not None, context.task_name))

    def on_fit_task_end(
        self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None
    ):
        self.seen.append(("end", type(X).__name__, fitted_estimator.score(X, y), metadata))


def test_hooks_see_the_users_own_table_and_a_fitted_copy():
    recorder = Recorder()
    model = TreeClassifier(max_depth=1).set_callbacks(recorder)
    model.fit(X, Y)
    assert recorder.seen == [
        "setup",
        ("begin", True, "fit"),
        ("end", "DataFrame", pytest.approx(2 / 3), None),
        "teardown",
    ]
    assert "_callback_fit_ctx" not in vars(model)


def test_weights_travel_as_metadata():
    recorder = Recorder()
    weights = np.ones(len(Y))
    TreeClassifier().set_callbacks(recorder).fit(X, Y, sample_weight=weights)
    assert recorder.seen[2][3]["sample_weight"] is weights


def test_a_failed_fit_is_torn_down():
    recorder = Recorder()
    model = TreeClassifier().set_callbacks(recorder)
    with pytest.raises(DataError):
        model.fit(X, Y[:-1])
    assert recorder.seen[-1] == "teardown"


def test_scoring_monitor_logs_the_training_score():
    monitor = ScoringMonitor(scoring="r2")
    model = TreeRegressor(max_depth=2).set_callbacks(monitor).fit(X, Y)
    log = monitor.get_logs().data
    assert [entry["task_name"] for entry in log] == ["fit"]
    assert log[0]["r2"] == model.score(X, Y)


def test_scoring_monitor_inside_a_grid_search():
    monitor = ScoringMonitor(scoring="accuracy")
    search = GridSearchCV(TreeClassifier().set_callbacks(monitor), {"max_depth": [1, 3]}, cv=3)
    search.fit(X, Y)
    assert len(monitor.get_logs(select="all")) == 1
    scores = pd.DataFrame(monitor.get_logs().data)["accuracy"]
    assert len(scores) == 7
    assert scores.between(0.5, 1.0).all()


def test_progress_bar_alone_and_nested(capsys):
    TreeClassifier().set_callbacks(ProgressBar()).fit(X, Y)
    pipeline = make_pipeline(StandardScaler(), TreeClassifier()).set_callbacks(ProgressBar())
    pipeline.fit(X, Y)
    assert pipeline.score(X, Y) == 1.0
    assert "TreeClassifier" in capsys.readouterr().out


def test_a_fit_without_callbacks_makes_no_context(monkeypatch):
    def never(self, *args, **kwargs):
        raise AssertionError("a context was made")

    monkeypatch.setattr(TreeClassifier, "_init_callback_context", never)
    TreeClassifier().fit(X, Y)


def test_the_signature_of_fit_stays():
    assert list(signature(TreeClassifier.fit).parameters)[:4] == ["self", "X", "y", "sample_weight"]
    assert TreeClassifier.fit.__name__ == "fit"


def test_callbacks_that_come_later_are_torn_down_too():
    model, recorder = TreeClassifier().fit(X, Y), Recorder()
    model.set_callbacks(recorder)
    with pytest.raises(DataError):
        model.fit(X.iloc[:3], Y)
    assert recorder.seen[-1] == "teardown"
    assert "_callback_fit_ctx" not in vars(model)
