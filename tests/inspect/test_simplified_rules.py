"""Rules simplified without loss: the same as by the slow form, which asks the whole tree anew."""

import numpy as np
import pytest
from hypothesis import given

import silva
from silva.inspect.rules.conditions import is_empty, is_everything, key_of, meet, taken
from silva.inspect.rules.simplified import _one_limit_less, _predictions, simplified
from silva.inspect.rules.source import Ends
from silva.tree import stats
from silva.tree.splits import STOP, split_of
from tests.tree.tree_samples import trees


def slow_rules(ends):
    """Conditions, ends and prediction of each rule: every condition left out is a walk from the
    root, every end is compared with every rule before it."""
    predictions = _predictions(ends)
    found = []
    for place in np.argsort(-ends.training.rows, kind="stable").tolist():
        own = {key_of(one): one for one in ends.conditions(int(ends.nodes[place]))}
        prediction = predictions[place]
        for number, (conditions, places, other) in enumerate(found):
            if other == prediction and holds(conditions, own):
                found[number] = conditions, (*places, place), other
                break
        else:
            wide = slow_widened(ends, own, predictions, prediction)
            found.append((tuple(wide.values()), (place,), prediction))
    return found


def holds(conditions, region):
    known = [(one, region.get(key_of(one))) for one in conditions]
    return all(own is not None and meet(own, one) == own for one, own in known)


def slow_widened(ends, region, predictions, prediction):
    of_node = dict(zip(ends.nodes.tolist(), predictions, strict=True))
    for key in list(region):
        without = {other: one for other, one in region.items() if other != key}
        if reached(ends.tree, without, of_node) <= {prediction}:
            region = without
    for key, condition in list(region.items()):
        for wider in _one_limit_less(condition):
            if reached(ends.tree, {**region, key: wider}, of_node) <= {prediction}:
                region = {**region, key: wider}
                break
    columns = ends.tree.schema.columns
    return {key: one for key, one in region.items() if not is_everything(one, columns)}


def reached(tree, region, of_node):
    """The predictions of all ends that rows of the region reach."""
    found, waiting = set(), [(0, region)]
    while waiting:
        node, limits = waiting.pop()
        split = split_of(tree, node)
        if split is None:
            found.add(of_node.get(node))
            continue
        children = tree.child[tree.child_start[node] : tree.child_start[node + 1]].tolist()
        for number, below in [*enumerate(children), (STOP, STOP)]:
            condition = taken(split, number, tree.schema.columns)
            key = key_of(condition)
            both = meet(limits[key], condition) if key in limits else condition
            if is_empty(both):
                continue
            if below != STOP:
                waiting.append((below, {**limits, key: both}))
            elif node in of_node:
                found.add(of_node[node])
    return found


def check(tree):
    ends = Ends(tree)
    fast = [(one.conditions, one.places, one.prediction) for one in simplified(ends)]
    assert fast == slow_rules(ends)


@given(trees())
def test_trees_of_every_kind_of_split_give_the_rules_of_the_slow_form(tree):
    check(tree)


def one_against_the_rest(n):
    return np.eye(n)[:, : n - 1], np.arange(n) % 2


def alternating(n):
    return np.arange(n)[:, None], np.arange(n) % 2


def noisy(n):
    rng = np.random.default_rng(n)
    X = rng.integers(0, 4, (n, 5)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, (np.nan_to_num(X).sum(axis=1) + rng.integers(0, 3, n) > 8) * 1


@pytest.mark.parametrize("rows", [one_against_the_rest, alternating, noisy])
@pytest.mark.parametrize("missing", ["learn", "stop", "own_branch"])
def test_grown_trees_give_the_rules_of_the_slow_form(rows, missing):
    X, y = rows(40)
    model = silva.TreeClassifier(missing=missing).fit(X, y)
    check(model.grown_tree_)
    check(silva.TreeRegressor(missing=missing).fit(X, y).grown_tree_)


def test_a_long_chain_takes_steps_by_the_square_of_its_length(monkeypatch):
    """Twice the leaves, each under twice the conditions: 4 times the steps, not 8."""
    from silva.inspect.rules import simplified as module

    def steps(n):
        count = 0

        def counting(*conditions):
            nonlocal count
            count += 1
            return meet(*conditions)

        ends = Ends(silva.TreeClassifier().fit(*one_against_the_rest(n)).grown_tree_)
        monkeypatch.setattr(module, "meet", counting)
        assert len(simplified(ends)) == len(ends.nodes) == stats.leaf_number(ends.tree).max() + 1
        return count

    assert 3 * steps(120) < steps(240) < 5 * steps(120)
