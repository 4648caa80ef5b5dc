"""`silva fit`: every model, typed settings, cross-validation, weights."""

import numpy as np
import pytest
from sklearn.base import clone

import silva
from silva.cli.estimators import MODELS


@pytest.fixture
def fit(zoo, tmp_path, silva_command):
    """Fits the loans and returns the exit code, output, messages and the saved model."""
    path = tmp_path / "model.silva"

    def command(*arguments, target="repaid"):
        found = silva_command("fit", zoo.table, "-t", target, "-o", path, "--force", *arguments)
        return *found, silva.load(path) if found[0] == 0 else None

    return command


SMALL = {"forest": 3, "extra-trees": 3, "bagging": 3, "adaboost": 3}


@pytest.mark.parametrize("model", MODELS)
def test_every_model_for_both_tasks(model, fit):
    size = ["--set", f"n_estimators={SMALL[model]}"] if model in SMALL else []
    for target in ("repaid", "loan"):
        code, out, err, found = fit("--model", model, *size, "-q", target=target)
        task = "classification" if target == "repaid" else "regression"
        if task not in MODELS[model]:
            assert (code, out) == (2, "")
            assert f"--model {model} is for classification only" in err
            continue
        assert (code, err) == (0, "")
        assert type(found).__name__ == MODELS[model][task]
        assert str(found.summary_).partition("\n")[0] in out
        assert len(getattr(found, "trees_", "1")) == SMALL.get(model, 1)


def test_parameters_of_the_trees_inside(fit):
    options = ["--set", "estimator__max_depth=2", "--criterion", "entropy", "--leaf", "laplace"]
    for model in ("bagging", "adaboost"):
        code, _, err, found = fit("--model", model, "--set", "n_estimators=2", *options, "-q")
        assert code == 0, err
        inner = found.estimator
        assert (inner.max_depth, inner.criterion, inner.leaf) == (2, "entropy", "laplace")
    code, *_, found = fit("--model", "forest", "--set", "n_estimators=2", "--criterion", "entropy")
    assert (code, found.criterion) == (0, "entropy")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "max_depht=3"], "did you mean 'max_depth'?"),
        (["--set", "max_depth=deep"], "--set max_depth=deep: must be int or None"),
        (["--set", "min_samples_leaf=few"], "must be int or float"),
        (["--set", "ccp_alpha=small"], "must be float"),
        (["--model", "bagging", "--set", "max_dpth=3"], "did you mean 'estimator__max_depth'?"),
        (["--model", "bagging", "--set", "estimator__max_depth=x"], "estimator__max_depth=x: must"),
        (["--model", "stump", "--set", "max_depth=3"], "StumpClassifier has no such parameter"),
        (["--model", "stump", "--plan", "ID3"], "parameter plan: StumpClassifier has no such"),
        (["--set", "n_jobs=2"], "give --jobs instead"),
        (["--model", "forests"], "is not one of 'tree'"),
        (["--cv", "1"], "--cv"),
        (["--criterion", "gini", "--set", "criterion=gini"], "say the same; give one of them"),
        (
            ["--model", "bagging", "--leaf", "laplace", "--set", "estimator__leaf=laplace"],
            "--leaf and --set estimator__leaf say the same",
        ),
    ],
)
def test_settings_that_are_wrong_usage(options, message, fit):
    code, out, err, _ = fit(*options, "-q")
    assert (code, out) == (2, "")
    assert message in err


def test_the_best_tree_says_what_is_proved(fit, zoo):
    code, out, err, model = fit("--model", "optimal", "--depth", "2", "-q")
    assert (code, err) == (0, "")
    assert model.max_depth == 2
    assert out.splitlines()[-1] == (
        f"objective {model.objective_:.6g}: proved, no tree within the limits has less"
    )
    options = ["--leaf-penalty", "0.05", "--objective", "balanced", "--max-leaf-nodes", "3"]
    code, _, _, model = fit("--model", "optimal", "--time-limit", "5", *options, "-q")
    assert code == 0
    asked = (model.leaf_penalty, model.objective, model.max_leaf_nodes, model.time_limit)
    assert asked == (0.05, "balanced", 3, 5.0)
    assert model.on_progress is None


def test_the_least_bound_says_what_it_is(fit):
    options = ["--model", "optimal", "--objective", "bound", "--bound", "kl", "--delta", "0.2"]
    code, out, err, model = fit(*options, "--set", "gap=0.5", "-q")
    assert (code, err) == (0, "")
    assert (model.objective, model.bound, model.delta) == ("bound", "kl", 0.2)
    told = out.splitlines()[-1]
    assert told == str(model.search_report_)
    assert told.startswith("generalisation bound (kl, ")
    code, _, err, _ = fit("--model", "optimal", "--delta", "0.2", "-q")
    assert code != 0
    assert "delta=0.2 (float) is not possible: leave it out, or choose objective='bound'" in err


def test_the_greedy_tree_says_its_gap(fit):
    code, out, err, model = fit("--model", "optimal", "--depth", "1", "--time-limit", "0", "-q")
    assert (code, err) == (0, "")
    gap = f"no tree has less than 0 (gap {model.gap_:.4g}); stopped at the time limit"
    assert out.splitlines()[-1] == f"objective {model.objective_:.6g}: not proved, {gap}"


def test_depth_is_for_every_tree(fit):
    assert fit("--depth", "2", "-q")[-1].max_depth == 2
    assert fit("--model", "adaboost", "--depth", "2", "-q")[-1].estimator.max_depth == 2
    code, _, err, _ = fit("--depth", "2", "--set", "max_depth=3", "-q")
    assert code == 2
    assert "--depth and --set max_depth say the same" in err
    code, _, err, _ = fit("--leaf-penalty", "0.1", "-q")
    assert code == 2
    assert "parameter leaf_penalty: TreeClassifier has no such parameter" in err


def test_a_search_shows_its_progress(fit, monkeypatch):
    from contextlib import contextmanager

    told = []

    @contextmanager
    def working(what):
        yield told.append

    monkeypatch.setattr("silva.cli.training.working", working)
    assert fit("--model", "optimal", "--depth", "2", "-q")[0] == 0
    assert " s, best 0." in told[-1]
    assert told[-1].endswith("gap 0")


def test_text_stays_text_where_a_parameter_is_text(fit):
    code, _, err, _ = fit("--set", "criterion=5", "-q")
    assert code == 1
    assert "criterion='5'" in err


def test_cross_validation_beside_the_baseline(fit, zoo):
    code, out, err, model = fit("--cv", "4", "--set", "max_depth=2", "-q")
    assert (code, err) == (0, "")
    line = out.splitlines()[-1]
    assert line.startswith("4-fold cross-validation on 20 rows; accuracy: 0.")
    assert line.endswith("majority class: 0.6000")
    whole = clone(model).fit(zoo.rows.drop(columns="repaid"), zoo.rows["repaid"])
    assert str(model.grown_tree_) == str(whole.grown_tree_)
    assert fit("--cv", "4", "--set", "max_depth=2", "-q")[1] == out
    code, out, _, _ = fit("--cv", "5", "-q", target="loan")
    assert "5-fold cross-validation on 20 rows; mean squared error: " in out
    code, _, err, _ = fit("--cv", "21", "-q")
    assert code == 1
    assert "21 folds need at least as many rows, and there are 20 rows" in err


def test_weights_of_a_column(fit, zoo, silva_command):
    *_, model = fit("--weight", "age", "-q")
    rows = zoo.rows
    expected = silva.TreeClassifier().fit(
        rows.drop(columns=["repaid", "age"]), rows["repaid"], np.asarray(rows["age"])
    )
    assert str(model.grown_tree_) == str(expected.grown_tree_)
    code, _, err, _ = fit("--weight", "aeg", "-q")
    assert (code, "--weight 'aeg': there is no such column; did you mean 'age'?" in err) == (
        1,
        True,
    )
    assert fit("--weight", "age", "--held-out", "0.3", "--cv", "2", "-q")[0] == 0
