"""The prune slider against refits, and against the size path."""

import numpy as np
import pytest
from sklearn.base import clone

import silva
from silva import edit
from silva.inspect.alpha_path import AlphaPath
from silva.inspect.subject import subject_of
from silva.page.payload import pruning
from silva.prune import cost_complexity
from silva.prune.cross_validation import Path
from silva.tree import stats
from silva.tree.collapse import collapse
from tests.page.evidence_cases import CASES, ONE_TREE, case, mixed, no_few_rows, numbers, sections

GROWN = [
    silva.TreeClassifier(),
    silva.TreeClassifier(criterion="entropy", missing="stop"),
    silva.TreeClassifier(splits="multiway", min_samples_leaf=3, class_weight="balanced"),
    silva.TreeClassifier(leaf="m_estimate", max_depth=4),
    silva.TreeRegressor(max_leaf_nodes=30),
]


def target_of(model, labels, signal):
    return signal if isinstance(model, silva.TreeRegressor) else labels


@pytest.mark.parametrize("model", GROWN, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_each_step_is_the_tree_that_a_refit_gives(model, weighted):
    table, labels, signal, rng = mixed(1)
    target = target_of(model, labels, signal)
    weights = rng.integers(0, 4, len(table)) * 0.5 if weighted else None
    fitted = clone(model).fit(table, target, weights)
    found = sections(fitted, table, target, weights, cv=None)["pruning"]
    for step, alpha in enumerate(found["alphas"]):
        refit = clone(model).set_params(ccp_alpha=alpha).fit(table, target, weights)
        assert (found["leaves"][step], found["depths"][step]) == (
            refit.get_n_leaves(),
            refit.get_depth(),
        )


@pytest.mark.parametrize("model", GROWN, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_curves_are_those_of_the_size_path(model, weighted):
    table, labels, signal, rng = mixed(2)
    target = target_of(model, labels, signal)
    weights = rng.integers(0, 4, len(table)) * 0.5 if weighted else None
    new, new_labels, new_signal, _ = mixed(3, 100)
    held_out = {"X_val": new, "y_val": target_of(model, new_labels, new_signal)}
    fitted = clone(model).fit(table, target, weights)
    found = sections(fitted, table, target, weights, cv=5, seed=7, **held_out)["pruning"]
    path = silva.size_path(model, table, target, 5, sample_weight=weights, seed=7, **held_out)
    for name in ("alphas", "leaves", "depths", "train", "validation", "cv", "cv_spread"):
        assert np.array_equal(found[name], getattr(path, name)), name
    assert (found["best"], found["one_se"], found["folds"]) == (path.best, path.one_se, 5)


def test_automatic_folds_are_ten():
    table, labels, _, _ = mixed(2)
    fitted = silva.TreeClassifier().fit(table, labels)
    found = sections(fitted, table, labels)["pruning"]
    assert found["folds"] == 10
    assert np.array_equal(found["cv"], silva.size_path(fitted, table, labels).cv)


def test_steps_of_a_pruned_model_continue_the_path_of_the_whole_one():
    table, labels, _, _ = mixed(4)
    whole = silva.size_path(silva.TreeClassifier(), table, labels, 10)
    start = len(whole.alphas) // 2
    pruned = silva.TreeClassifier(ccp_alpha=float(whole.alphas[start])).fit(table, labels)
    found = sections(pruned, table, labels, cv=10)["pruning"]
    assert found["leaves"] == whole.leaves[start:].tolist()
    assert found["alphas"] == pytest.approx([0.0, *whole.alphas[start + 1 :]], rel=1e-12)
    assert found["train"] == pytest.approx(whole.train[start:])
    assert found["cv"][1:] == pytest.approx(whole.cv[start + 1 :])


@pytest.mark.parametrize("name", ONE_TREE)
def test_own_statistics_give_the_errors_of_training_rows(name):
    model, X, y, weights = case(name)
    without = sections(model)["pruning"]
    given = sections(model, X, y, weights, cv=None)["pruning"]
    assert without["alphas"] == given["alphas"]
    if name != "stops":
        assert without["train"] == pytest.approx(given["train"], abs=1e-12)
    assert without["validation"] is without["cv"] is without["best"] is None
    assert "No rows are given" in without["note"]


@pytest.mark.parametrize("name", CASES)
def test_folds_tell_when_a_node_is_a_leaf(name):
    model = case(name)[0]
    tree = subject_of(model).tree()
    found = sections(model)["pruning"]
    order = cost_complexity.cuts(tree)
    for step, alpha in enumerate(found["alphas"]):
        cut = [node for node, at in zip(order.nodes, order.alphas, strict=True) if at <= alpha]
        cut = cut if alpha > 0 else []
        left = collapse(tree, [int(node) for node in cut])
        assert left.n_leaves == found["leaves"][step] == _leaves(tree, found["fold"], step)


def _leaves(tree, fold, step):
    """Leaves of a step, by a walk that ends where the page folds."""
    pending, count = [0], 0
    while pending:
        node = pending.pop()
        is_folded = fold[node] is not None and fold[node] <= step
        if tree.is_leaf[node] or is_folded:
            count += 1
            assert not tree.is_leaf[node] or fold[node] is None
        else:
            pending += tree.child[tree.child_start[node] : tree.child_start[node + 1]].tolist()
    return count


@pytest.mark.parametrize("name", CASES)
def test_a_fold_is_the_first_step_in_which_the_node_is_a_leaf(name):
    tree = subject_of(case(name)[0]).tree()
    path = AlphaPath(tree)
    parents, found = stats.parent(tree), path.leaf_from()
    last = {int(node): -1 for node in range(tree.n_nodes)}
    for node in range(tree.n_nodes):
        above, earliest = node, len(path.alphas)
        while (above := int(parents[above])) >= 0:
            if found[above] >= 0:
                earliest = min(earliest, int(found[above]))
        last[node] = earliest
    for node in np.flatnonzero(found >= 0).tolist():
        assert found[node] < last[node]


def test_new_rows_are_the_validation_curve():
    table, labels, _, _ = mixed(5)
    new, new_labels, _, _ = mixed(6, 150)
    model = silva.TreeClassifier().fit(table, labels)
    found = sections(model, new, new_labels)
    assert not found["given"]["are_training"]
    path = silva.size_path(model, table, labels, None, X_val=new, y_val=new_labels)
    assert found["pruning"]["validation"] == path.validation.tolist()
    assert found["pruning"]["best"] == path.best
    assert found["pruning"]["cv"] is None
    assert "not the rows that the model was fitted to" in found["pruning"]["note"]


def test_reasons_where_there_is_no_path():
    X, y = numbers()
    linear = silva.TreeClassifier(leaf="linear", max_depth=2).fit(X, y)
    assert "linear models" in sections(linear, X, y)["pruning"]["note"]
    alone = silva.TreeClassifier().fit(X, np.zeros(len(X)))
    assert sections(alone, X, np.zeros(len(X)))["pruning"] == {
        "note": "The tree has one leaf: there is nothing to prune."
    }


def test_reasons_where_there_is_no_cross_validation(monkeypatch):
    X, y = numbers()
    model = silva.TreeClassifier().fit(X, y)

    def note(model, *given, **more):
        found = sections(model, *given, **more)["pruning"]
        assert found["cv"] is None
        return found["note"]

    assert "give X and y" in note(model)
    assert "cv=10 does it" in note(model, X, y, cv=None)
    assert "keeps no facts" in note(model.grown_tree_, X, y)
    edited = edit.collapse(model, 1, X, y)
    assert "edited by hand" in note(edited, X, y)
    forest = silva.ForestClassifier(3, random_state=0).fit(X, y)
    assert "forest" in note(forest, X, y)
    exact = silva.OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert "exact search" in note(exact, X, y)
    monkeypatch.setattr(pruning, "AUTO_CELLS", 100)
    assert "200 rows and 4 columns may take long: cv=10" in note(model, X, y)


def test_pruned_models_are_cross_validated_with_their_pruning(monkeypatch):
    table, labels, _, _ = mixed(7)
    model = silva.TreeClassifier(prune="pessimistic").fit(table, labels)
    found = sections(model, table, labels, cv=4)["pruning"]
    told = np.empty(len(table), dtype=object)
    for _, rows in pruning.folds_of(4, model._bind_target(labels, None, len(table)), 0):
        kept = np.ones(len(table))
        kept[rows] = 0.0
        told[rows] = clone(model).fit(table, labels, kept).predict(table)[rows]
    assert found["cv"][0] == pytest.approx(np.mean(told != labels))
    monkeypatch.setattr(pruning, "PRUNED_CELLS", 10)
    assert "may take long" in sections(model, table, labels)["pruning"]["note"]


def test_a_pipeline_is_cross_validated_on_transformed_rows():
    model, X, y, _ = case("pipeline")
    found = sections(model, X, y, cv=5)["pruning"]
    path = silva.size_path(model[-1], model[:-1].transform(X), y, 5)
    assert found["cv"] == path.cv.tolist()
    new, new_y = numbers(9)
    found = sections(model, X, y, cv=None, X_val=new, y_val=new_y)["pruning"]
    assert found["validation"][0] == pytest.approx(np.mean(model.predict(new) != new_y))


def test_optimal_trees_can_be_cross_validated():
    model, X, y, _ = case("optimal")
    found = sections(model, X, y, cv=3)["pruning"]
    assert found["folds"] == 3
    assert len(found["cv"]) == len(found["alphas"])


def test_rounded_errors_show_no_few_rows():
    X, y = no_few_rows()
    model = silva.TreeClassifier().fit(X, y)
    plain = sections(model, X, y, cv=5)["pruning"]
    found = sections(model, X, y, cv=5, min_cell=10)["pruning"]
    steps = np.array(found["train"]) * len(X) / 10
    assert steps == pytest.approx(np.round(steps), abs=1e-9)
    assert np.abs(np.subtract(found["train"], plain["train"])).max() <= 5 / len(X) + 1e-12
    assert (found["best"], found["one_se"]) == (plain["best"], plain["one_se"])
    table, _, signal, _ = mixed(8)
    model = silva.TreeRegressor(max_leaf_nodes=9, min_samples_leaf=10).fit(table, signal)
    found = sections(model, table, signal, cv=5, min_cell=10)["pruning"]
    assert all(float(f"{one:.3g}") == one for one in found["train"] + found["cv"])


@pytest.mark.filterwarnings("error")
def test_few_rows_and_rare_classes_are_cross_validated_or_say_why():
    X, y = numbers(0, 40)
    for rows, classes, folds in ((40, y, 10), (3, np.arange(3), 0), (6, [0, 0, 1, 1, 2, 3], 2)):
        target = np.asarray(classes)[:rows]
        model = silva.TreeClassifier().fit(X[:rows], target)
        assert sections(model, X[:rows], target)["pruning"]["folds"] == folds
    rare = np.r_[y[:-1], 2]
    model = silva.TreeClassifier().fit(X, rare)
    assert sections(model, X, rare)["pruning"]["folds"] == 10


@pytest.mark.parametrize("bad", ["ten", 1, 1000, "Auto"])
def test_other_folds_are_refused(bad):
    X, y = numbers()
    model = silva.TreeClassifier(max_depth=3).fit(X, y)
    with pytest.raises(silva.PlanError, match="cv="):
        sections(model, X, y, cv=bad)


def test_a_node_that_falls_together_with_one_above_it_is_never_a_leaf(monkeypatch):
    """Rounding may give a cut the alpha of one inside it."""
    X, y = numbers()
    tree = silva.TreeClassifier(max_depth=2).fit(X, y).grown_tree_
    first, second = children = [1, int(tree.subtree_end[1])]
    assert not tree.is_leaf[children].any()
    nodes, alphas = np.array([second, first, 0]), np.array([0.1, 0.2, 0.2])
    made = Path(alphas, nodes, np.array([1, 1, 1]), np.zeros(3))
    monkeypatch.setattr(cost_complexity, "cuts", lambda tree: made)
    found = AlphaPath(tree)
    assert found.alphas.tolist() == [0.0, 0.1, 0.2]
    assert found.leaf_from()[[second, first, 0]].tolist() == [1, -1, 2]
