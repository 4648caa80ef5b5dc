"""Targets of very many labels: taken up to a limit, refused at once beyond it, by everybody."""

import numpy as np
import pytest

import silva
from silva import DataError
from silva.data.bind import bind_classes
from silva.data.target import MOST_CLASSES

CLASSIFIERS = [
    silva.TreeClassifier,
    silva.StumpClassifier,
    silva.ForestClassifier,
    silva.ExtraTreesClassifier,
    silva.BaggingClassifier,
    silva.AdaBoostClassifier,
]
ROWS = np.zeros((MOST_CLASSES + 1, 1))


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_target_that_looks_like_an_identifier_is_refused(kind):
    with pytest.raises(DataError, match=r"131,073 different labels in 131,073 rows.*identifier"):
        kind().fit(ROWS, np.arange(len(ROWS)))


def test_labels_of_text_are_refused_too():
    labels = np.array([f"row{i}" for i in range(len(ROWS))])
    with pytest.raises(DataError, match=r"such as 'row0'; classifiers take at most 131,072"):
        bind_classes(labels, None, None, len(labels))


def test_so_many_are_taken():
    target = bind_classes(np.arange(MOST_CLASSES), None, None, MOST_CLASSES)
    assert len(target.classes) == MOST_CLASSES


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_class_for_each_of_twenty_thousand_rows(kind):
    """A table of rows by classes would be 3.2 GB; the votes of all rows are told all the same."""
    rng = np.random.default_rng(0)
    table, target = rng.normal(size=(20_000, 2)), rng.permutation(20_000)
    many = {} if kind in CLASSIFIERS[:2] else {"n_estimators": 2}
    model = kind(**many).fit(table, target)
    assert len(model.classes_) == 20_000
    assert np.isin(model.predict(table[:2_000]), target).all()
