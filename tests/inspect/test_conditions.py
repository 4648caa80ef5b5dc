"""Conditions of nodes: the rows that satisfy them are those that the tree routes there."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from silva.inspect.rules.conditions import Regions, ends, is_empty, merged
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.rules.matching import matching
from silva.inspect.rules.words import conjunction
from silva.tree import route
from tests.inspect.reason_cases import fuzzed_table
from tests.tree.tree_samples import animal_tree, patient_tree, trees


@given(trees(), st.integers(0, 2**31))
def test_rows_satisfy_the_conditions_of_the_node_they_end_at_and_of_no_other(tree, seed):
    table, regions = fuzzed_table(tree, seed), Regions(tree)
    nodes = route.leaves(tree, table)
    every = np.arange(table.n_rows)
    for node in ends(tree):
        found = matching(regions.of_end(node), table, every)
        assert found.tolist() == np.flatnonzero(nodes == node).tolist()


@given(trees(), st.integers(0, 2**31))
def test_only_places_where_rows_can_end_are_listed(tree, seed):
    reached = set(route.leaves(tree, fuzzed_table(tree, seed)).tolist())
    regions, found = Regions(tree), ends(tree)
    assert reached <= set(found)
    for node in found:
        conditions = regions.of_end(node)
        assert not any(is_empty(one) for one in conditions)
        assert merged(conditions, tree.schema.columns) == conditions
    for node in set(np.flatnonzero(tree.is_leaf).tolist()) - set(found):
        assert any(is_empty(one) for one in regions.of_end(node))


def words_of(tree):
    regions, lexicon = Regions(tree), Lexicon(tree.schema, tree.classes)
    return [conjunction(regions.of_end(node), lexicon) for node in ends(tree)]


def test_conditions_on_one_column_are_merged_and_missing_values_are_said():
    assert words_of(animal_tree()) == [
        "(weight < 40.5 or missing) and tame = no",
        "(weight < 40.5 or missing) and (tame = yes or missing or unseen) and"
        " (color != brown or unseen)",
        "(weight < 40.5 or missing) and (tame = yes or missing or unseen) and"
        " (color = brown or missing)",
        "weight >= 40.5 and (size < large or missing or unseen)",
        "weight >= 40.5 and size = large",
    ]


def test_every_kind_of_split_has_words():
    sum_ = "0.5*age - 1.2*bmi + 3*[sex = male] + [blood = AB]"
    told = words_of(patient_tree())
    assert told[:4] == [
        "blood = AB or unseen",
        f"blood = 0 and {sum_} < 12.25",
        f"blood = 0 and {sum_} >= 12.25",
        f"blood = 0 and {sum_} is missing",
    ]
    assert told[-4:] == [
        "blood is missing and pain is unseen",
        "blood is missing and pain < much",
        "blood is missing and pain = much",
        "blood is missing and pain is missing",
    ]
