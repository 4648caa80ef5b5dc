"""The presets on the tables of the textbooks: the published trees, node by node."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import silva
from silva import TreeClassifier
from silva.grow.criteria import entropy
from tests.golden.tables import course_table, play_tennis
from tests.golden.tree_shape import nested

TENNIS = (
    "Outlook",
    {
        "Overcast": {"Yes": 4},
        "Rain": ("Wind", {"Strong": {"No": 2}, "Weak": {"Yes": 3}}),
        "Sunny": ("Humidity", {"High": {"No": 3}, "Normal": {"Yes": 2}}),
    },
)
COURSE = (
    "Sys",
    {
        "no": {"yes": 10},
        "yes": (
            "AI",
            {
                "no": {"no": 6},
                "yes": (
                    "Thy",
                    {
                        "no": ("Easy", {"no": {"no": 1, "yes": 1}, "yes": {"no": 1}}),
                        "yes": {"yes": 1},
                    },
                ),
            },
        ),
    },
)
GREEDY_COURSE = (
    "Sys",
    {
        "no": {"yes": 10},
        "yes": (
            "Easy",
            {
                "no": ("AI", {"no": {"no": 3}, "yes": {"no": 1, "yes": 1}}),
                "yes": ("Thy", {"no": {"no": 4}, "yes": {"yes": 1}}),
            },
        ),
    },
)


def grown(plan: Any, table: pd.DataFrame, target: pd.Series) -> TreeClassifier:
    return TreeClassifier(plan=plan, prune="none").fit(table, target)


@pytest.mark.parametrize("plan", ["ID3", silva.ID3("gini"), "C45"])
def test_play_tennis(examples: Path, plan: Any):
    mornings, play = play_tennis(examples)
    assert nested(grown(plan, mornings, play).grown_tree_) == TENNIS


def test_the_gains_on_the_way(examples: Path):
    tree = grown("ID3", *play_tennis(examples)).grown_tree_
    inner = tree.gain[~tree.is_leaf]
    assert inner[0] == pytest.approx(0.2467, abs=5e-5)
    assert inner[1:] == pytest.approx(entropy([2, 3]), abs=1e-12)


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
def test_id3_on_the_course_table(examples: Path, criterion: str):
    assert nested(grown(silva.ID3(criterion), *course_table(examples)).grown_tree_) == COURSE


@pytest.mark.parametrize("plan", ["greedy_accuracy", silva.ID3("error")])
def test_greedy_accuracy_on_the_course_table(examples: Path, plan: Any):
    """18 of 20 right with Systems alone; then no answer of the others helps at once."""
    model = grown(plan, *course_table(examples))
    assert nested(model.grown_tree_) == GREEDY_COURSE
    assert model.grown_tree_.gain[0] == pytest.approx(6 / 20, abs=1e-12)


def test_each_column_once_on_a_path(examples: Path):
    def columns(shape: Any, above: tuple[str, ...] = ()) -> None:
        if isinstance(shape, tuple):
            assert shape[0] not in above
            for child in shape[1].values():
                columns(child, (*above, shape[0]))

    columns(nested(grown("ID3", *play_tennis(examples)).grown_tree_))
    columns(nested(grown("greedy_accuracy", *course_table(examples)).grown_tree_))


def test_a_value_that_a_node_has_not_seen_gets_the_nodes_majority(examples: Path):
    """Overcast mornings never reach the question about the wind; a new wind stops at it."""
    mornings, play = play_tennis(examples)
    model = grown("ID3", mornings, play)
    rain = mornings[3:4].assign(Wind="Stormy")
    assert model.predict(rain).tolist() == ["Yes"]
    assert model.predict_proba(rain).tolist() == [[2 / 5, 3 / 5]]
    fog = mornings[:1].assign(Outlook="Fog")
    assert model.apply(fog).tolist() == [0]
    assert model.predict_proba(fog).tolist() == [[5 / 14, 9 / 14]]


def test_cart_asks_binary_questions(examples: Path):
    mornings, play = play_tennis(examples)
    column, children = nested(grown("CART", mornings, play).grown_tree_)
    assert column == "Outlook"
    assert children[("Overcast",)] == {"Yes": 4}
