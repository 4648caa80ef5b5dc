"""The page's question dialog says what Python's says, answer by answer."""

import json
import math
import random

import pytest
from dialog_bridge import as_page_reads, node_page
from hypothesis import given, settings
from hypothesis import strategies as st
from js_models import MODELS, table
from tree_samples import SAMPLES, trees

from silva.errors import DataError
from silva.inspect.dialog import Dialog
from silva.page.payload.document import document
from silva.tree.words import quantity

page = pytest.fixture(scope="module")(node_page)

LONGEST_WALK = 10
BAD = [
    "",
    "  ",
    "abc",
    "nan",
    "1_0",
    "inf",
    "-1e400",
    "0x10",
    "\u0663",
    "yes",
    "N",
    "y",
    "True",
    "1",
]
BAD += [
    "2024-03-01",
    "2024-02-30",
    "12:30",
    "2 days",
    "'another value'",
    "known",
    "A",
    "q",
    "x" * 200,
]


class Walk:
    """A random way through Python's dialog: what was done, and what it said each time."""

    def __init__(self, model, seed):
        self.rng, self.state = random.Random(seed), Dialog(model)
        self.actions, self.told = [], []
        self._note("look", None, lambda: self.state)
        for _ in range(LONGEST_WALK):
            self._step()

    def _step(self):
        chance = self.rng.random()
        if chance < 0.15 or self.state.finished:
            self._note("back", None, self.state.back)
        elif chance < 0.5:
            place = self.rng.randrange(len(self.state.question.options))
            option = self.state.question.options[place]
            self._note("option", place, lambda: self.state.answer(option))
        else:
            value = self._typed()
            self._note("answer", value, lambda: self.state.answer(value))
        self.actions.append({"do": "why"})
        self.told.append(self.state.why().to_dict())

    def _note(self, what, value, make):
        self.actions.append({"do": what, "value": value})
        try:
            self.state = make()
            self.told.append(self.state.to_dict())
        except DataError as error:
            self.told.append({"error": str(error)})

    def _typed(self):
        """What a person may type: keys, words, values near thresholds, levels, nonsense."""
        question, rng = self.state.question, self.rng
        options = [one.key for one in question.options] + [one.words for one in question.options]
        said = [*options, None, rng.choice(BAD), *self._values()]
        said += [one.upper() for one in options] + [f' "{one}" ' for one in options]
        return rng.choice(said)

    def _values(self):
        source, number = self.state._source, self.state._place.column
        column = source.columns[number]
        if column.levels is not None:
            levels = [str(level) for level in column.levels]
            return [
                *levels,
                *source.lexicon.levels(number),
                *(one.swapcase() for one in levels),
            ] * 2
        limits = source.tree.thresholds.threshold[source.tree.thresholds.column == number].tolist()
        near = [math.nextafter(one, to) for one in limits for to in (-math.inf, math.inf)]
        found = [one for one in [0.5, -1.25, *limits, *near] if math.isfinite(one)]
        if column.time is not None:
            return [quantity(column, one) for one in found] * 3
        return [*map(repr, found), *(one for one in found if not one.is_integer())]


def compare(page, model, seeds):
    walks = [Walk(model, seed) for seed in seeds]
    found = page.ask(
        "walks",
        document=json.loads(json.dumps(document(model), allow_nan=False)),
        walks=[walk.actions for walk in walks],
    )
    for walk, told in zip(walks, found, strict=True):
        for action, expected, one in zip(walk.actions, walk.told, told, strict=True):
            same(one, as_page_reads(expected), action, model)


def same(found, expected, action, model):
    """Equal as JSON, but for what has no closed form: Student's quantile, logistic shares."""
    for record in (found, expected):
        record["loose"] = loose(record)
    assert {**found, "loose": 0} == {**expected, "loose": 0}, action
    size = max(map(abs, expected["loose"]), default=0.0)
    assert found["loose"] == pytest.approx(expected["loose"], rel=1e-13, abs=1e-13 * size), action


def loose(record):
    """Take out the numbers that are compared with a tolerance."""
    result = record.get("result") or record
    evidence, taken = result.get("evidence"), []
    if evidence and evidence["interval"] and evidence["mean"] is not None:
        taken += [one for one in evidence["interval"] if one is not None]
        evidence["interval"] = len(taken)
    if evidence and "shares" in result and result["shares"] != evidence["shares"]:
        taken += [share for _, share in result["shares"]]
        result["shares"] = [label for label, _ in result["shares"]]
    if evidence and isinstance(result.get("prediction"), float):
        taken.append(0.0)
    return taken


@pytest.mark.parametrize("make", SAMPLES, ids=lambda make: make.__name__)
def test_samples(page, make):
    compare(page, make(), range(15))


@settings(max_examples=50)
@given(trees(), st.integers(0, 2**32))
def test_any_tree(page, tree, seed):
    compare(page, tree, [seed, seed + 1])


@pytest.mark.parametrize("name", MODELS)
def test_fitted_models(page, name):
    compare(page, MODELS[name](*table(3)), range(6))
