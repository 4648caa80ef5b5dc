"""The rules that the page shows are those of `silva.rules`, in words and figures."""

import json

import pytest
from hypothesis import given, settings

import silva
from silva.inspect.rules.conditions import Regions, taken
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.rules.words import condition_words, conjunction
from silva.page.payload.document import document
from silva.tree import stats
from silva.tree.splits import split_of
from tests.page.dialog_bridge import node_page
from tests.page.dialog_models import MODELS, table
from tests.tree.tree_samples import SAMPLES, chain, trees


@pytest.fixture(scope="module")
def page():
    yield from node_page()


def compare(page, model, tree):
    found = page.ask("rules", document=json.loads(json.dumps(document(model), allow_nan=False)))
    listed = silva.rules(model, order="tree", digits=None)
    assert [one["node"] for one in found["rules"]] == [rule.nodes[0] for rule in listed]
    for told, rule in zip(found["rules"], listed, strict=True):
        assert (told["when"], told["then"], told["stops"]) == (rule.when, rule.then, rule.stops)
        same_figures(told, rule.training)
    lexicon = Lexicon(tree.schema, None)
    regions = Regions(tree)
    for node in range(tree.n_nodes):
        assert found["when"][node] == conjunction(regions.of_node(node), lexicon)
        assert found["path"][node] == way(tree, lexicon, node)


def same_figures(told, known):
    assert (told["rows"], told["coverage"]) == (known.rows, known.coverage)
    assert (told["share"], told["lift"]) == (known.precision, known.lift)
    assert (told["mean"], told["deviation"]) == (known.mean, known.deviation)
    is_known = known.low is not None and known.high is not None
    assert told["interval"] == ([known.low, known.high] if is_known else None)


def way(tree, lexicon, node):
    """The conditions of the splits above a node, each in words."""
    above = stats.parent(tree).tolist()
    told = []
    while node:
        children = tree.child[tree.child_start[above[node]] : tree.child_start[above[node] + 1]]
        split, place = split_of(tree, above[node]), children.tolist().index(node)
        told.append(condition_words(taken(split, place, tree.schema.columns), lexicon))
        node = above[node]
    return told[::-1]


@pytest.mark.parametrize("make", SAMPLES, ids=lambda make: make.__name__)
def test_samples(page, make):
    compare(page, make(), make())


@settings(max_examples=40)
@given(trees())
def test_any_tree(page, tree):
    compare(page, tree, tree)


@pytest.mark.parametrize("name", MODELS)
def test_fitted_models(page, name):
    model = MODELS[name](*table(3))
    compare(page, model, model.grown_tree_)


def test_many_leaves_are_listed(page):
    tree = chain(300)
    found = page.ask("rules", document=json.loads(json.dumps(document(tree), allow_nan=False)))
    assert len(found["rules"]) == tree.n_leaves
