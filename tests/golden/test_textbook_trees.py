"""Textbook examples through real trees: the course table, play-tennis, and spambase."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from silva import StumpClassifier, TreeClassifier
from silva.grow.criteria import entropy, information_gain
from tests.golden.tables import course_table, play_tennis


@pytest.fixture(scope="module")
def course(examples: Path) -> tuple[pd.DataFrame, pd.Series]:
    return course_table(examples)


def test_the_course_table_is_the_published_one(examples: Path):
    table = pd.read_csv(examples / "course.csv")
    answers = table[["Easy", "AI", "Sys", "Thy", "Morning"]].apply(lambda c: c.str[0]).sum(axis=1)
    published = (
        "yynyn yynyn nynnn nnnyn nyyny yynnn yynyn nynyn nnnny ynnyy nynyn yyyyy"
        " yyyny nnyyn nnyny ynyny nnyyn nyyny ynynn ynyny"
    )
    ratings = [2] * 5 + [1] * 3 + [0] * 4 + [-1] * 4 + [-2] * 4
    assert list(answers) == published.split()
    assert list(table["rating"]) == ratings
    assert list(table["liked"] == "yes") == [rating >= 0 for rating in ratings]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
@pytest.mark.parametrize(("column", "accuracy"), [("AI", 15 / 20), ("Sys", 18 / 20)])
def test_stumps_on_the_course_table(course: tuple, column: str, accuracy: float, criterion: str):
    answers, liked = course
    stump = StumpClassifier(criterion=criterion).fit(answers[[column]], liked)
    assert stump.get_n_leaves() == 2
    assert stump.score(answers[[column]], liked) == pytest.approx(accuracy, abs=1e-12)
    assert stump.summary_.train.tree == pytest.approx(accuracy, abs=1e-12)
    assert stump.summary_.train.baseline == pytest.approx(0.60, abs=1e-12)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
def test_the_best_stump_of_the_course_table_asks_about_systems(course: tuple, criterion: str):
    answers, liked = course
    stump = StumpClassifier(criterion=criterion).fit(answers, liked)
    assert root_column(stump) == "Sys"
    assert stump.score(answers, liked) == pytest.approx(0.90, abs=1e-12)


def test_yes_goes_right(course: tuple):
    answers, liked = course
    stump = StumpClassifier().fit(answers[["Sys"]], liked)
    assert list(stump.apply(answers[["Sys"]])) == [2 if a == "yes" else 1 for a in answers["Sys"]]
    assert list(stump.predict(pd.DataFrame({"Sys": ["no", "yes"]}))) == ["yes", "no"]


def test_artificial_intelligence_under_systems(course: tuple):
    """Among the ten rows with Systems = yes, the question about AI is right for eight."""
    answers, liked = course
    under = answers["Sys"] == "yes"
    assert under.sum() == 10
    stump = StumpClassifier().fit(answers.loc[under, ["AI"]], liked[under])
    assert stump.score(answers.loc[under, ["AI"]], liked[under]) == pytest.approx(0.8, abs=1e-12)

    both = answers[["AI", "Sys"]]
    tree = TreeClassifier(max_depth=2).fit(both, liked)
    assert root_column(tree) == "Sys"
    assert tree.get_n_leaves() == 3
    assert tree.score(both[under], liked[under]) == pytest.approx(0.8, abs=1e-12)
    assert tree.score(both[~under], liked[~under]) == 1.0


def root_column(model: TreeClassifier) -> str:
    """The name of the column that the root asks about."""
    tree = model.grown_tree_
    table = tree.thresholds if tree.split_kind[0] == 1 else tree.subsets
    return tree.schema.names[table.column[tree.split_index[0]]]


def test_majority_vote_on_the_course_table(course: tuple):
    """Columns that say nothing leave a tree of one leaf: the majority vote."""
    answers, liked = course
    silent = answers[["Sys"]].assign(Sys="no")
    tree = TreeClassifier().fit(silent, liked)
    assert tree.get_n_leaves() == 1
    assert tree.score(silent, liked) == pytest.approx(0.60, abs=1e-12)


def test_dogs_lions_and_cats():
    animals = np.repeat(["dog", "lion", "cat"], [80, 15, 5])
    tree = TreeClassifier().fit(np.zeros((100, 1)), animals)
    assert tree.score(np.zeros((100, 1)), animals) == pytest.approx(0.80, abs=1e-12)
    assert list(tree.predict(np.zeros((1, 1)))) == ["dog"]
    shares = dict(zip(tree.classes_, tree.predict_proba(np.zeros((1, 1)))[0], strict=True))
    assert shares == pytest.approx({"dog": 0.80, "lion": 0.15, "cat": 0.05}, abs=1e-12)


def test_twelve_rows_split_by_the_gain_of_the_textbook():
    """A column that splits 6:6 into 5:1 and 1:5, and one that takes a single row away."""
    target = [0] * 6 + [1] * 6
    good = [0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1]
    poor = [0] * 11 + [1]
    for column, gain in ((good, 0.350), (poor, 0.0888)):
        stump = StumpClassifier(criterion="entropy").fit(np.array([column]).T, target)
        assert stump.grown_tree_.gain[0] == pytest.approx(gain, abs=5e-4)
    both = StumpClassifier(criterion="entropy").fit(np.array([poor, good]).T, target)
    assert root_column(both) == "x1"


@pytest.mark.parametrize(
    ("column", "gain"),
    [("Outlook", 0.2467), ("Humidity", 0.1518), ("Wind", 0.0481), ("Temperature", 0.0292)],
)
def test_information_gains_of_play_tennis(examples: Path, column: str, gain: float):
    mornings, play = play_tennis(examples)
    counts = pd.crosstab(mornings[column], play).to_numpy()
    assert entropy(counts.sum(axis=0)) == pytest.approx(0.940, abs=5e-4)
    assert information_gain(counts) == pytest.approx(gain, abs=5e-5)


def test_the_tree_of_play_tennis(examples: Path):
    """Overcast against the rest leaves 10/14 of a bit; the finished tree knows every morning."""
    mornings, play = play_tennis(examples)
    tree = TreeClassifier(criterion="entropy", category_gain="plain").fit(mornings, play)
    assert root_column(tree) == "Outlook"
    assert tree.grown_tree_.gain[0] == pytest.approx(0.9403 - 10 / 14, abs=5e-4)
    overcast = mornings["Outlook"] == "Overcast"
    assert set(tree.apply(mornings[overcast])) == {tree.grown_tree_.n_nodes - 1}
    assert tree.score(mornings, play) == 1.0


@pytest.mark.parametrize("criterion", ["gini"])
def test_spambase_with_seventeen_leaves(shared_data: Path, criterion: str):
    """The textbook's split of spambase: its pruned tree of 17 leaves errs on 9.3% of test rows."""
    table = pd.read_csv(shared_data / "spambase.csv.gz")
    is_test = pd.read_csv(shared_data / "spambase_traintest.csv")["is_test"].to_numpy() == 1
    assert is_test.sum() == 1536
    values, spam = table.drop(columns="spam"), table["spam"]
    tree = TreeClassifier(criterion=criterion, max_leaf_nodes=17)
    tree.fit(values[~is_test], spam[~is_test], X_val=values[is_test], y_val=spam[is_test])
    assert tree.get_n_leaves() == 17
    assert 1 - tree.score(values[is_test], spam[is_test]) <= 0.093
    assert 1 - tree.summary_.held_out.tree <= 0.093
