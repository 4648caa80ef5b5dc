"""The page's question dialog says what Python's says, answer by answer."""

import json
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import silva
from silva.errors import DataError
from silva.inspect.dialog import Dialog
from silva.page import assemble
from silva.page.payload.document import document
from silva.tree.words import quantity
from tests.page.dialog_bridge import as_page_reads, node_page
from tests.page.dialog_models import MODELS, table
from tests.tree.tree_samples import SAMPLES, trees


@pytest.fixture(scope="module")
def page():
    yield from node_page()


USED = {
    "tree": "decodeDocument, decoded",
    "dialog": "answer, back, replay, why",
    "rules": "rulesOf, whenWords, pathWords",
    "reading": "AnswerError",
}


@pytest.fixture(scope="module")
def joined(tmp_path_factory):
    """The modules as the page has them: joined into one script with short names."""
    lines = [f'import {{ {names} }} from "./model/{name}.js";' for name, names in USED.items()]
    kept = (f"{name}: {{ {names} }}" for name, names in USED.items())
    entry = "\n".join([*lines, f"window.modules = {{ {', '.join(kept)} }};"])
    script, read = tmp_path_factory.mktemp("page") / "script.js", assemble._read
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assemble, "_read", lambda name: entry if name == "test.js" else read(name))
        script.write_text(assemble._joined("test.js"), encoding="utf-8")
    yield from node_page(script)


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

    def __init__(self, model, seed, length=LONGEST_WALK):
        self.rng, self.state = random.Random(seed), Dialog(model)
        self.actions, self.told = [], []
        self._note("look", None, lambda: self.state)
        for _ in range(length):
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
            self.answer(self._typed())
        self.actions.append({"do": "why"})
        self.told.append(self.state.why().to_dict())

    def answer(self, value):
        self._note("answer", value, lambda: self.state.answer(value))

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


@pytest.mark.parametrize("make", SAMPLES, ids=lambda make: make.__name__)
def test_the_joined_script(joined, make):
    compare(joined, make(), range(5))
    assert len(joined.ask("rules", document=as_page_reads(document(make())))["rules"])


@settings(max_examples=30)
@given(trees(), st.integers(0, 2**32))
def test_any_tree(page, tree, seed):
    compare(page, tree, [seed, seed + 1])


@pytest.mark.parametrize("name", MODELS)
def test_fitted_models(page, name):
    compare(page, MODELS[name](*table(3)), range(6))


@pytest.mark.parametrize("name", ["classes", "numbers", "laplace", "linear"])
def test_counts_that_the_page_withholds(page, name):
    """Without leaf statistics and small counts the dialog predicts the same and says so."""
    model = MODELS[name](*table(3))
    doc = json.loads(json.dumps(document(model), allow_nan=False))
    tree = doc["trees"][0]
    nodes, few = tree["nodes"], [rows < 40 for rows in tree["nodes"]["rows"]]
    tree["stats"] = None
    for key in ("rows", "shares", "deviation", "interval"):
        if key in nodes:
            pairs = zip(nodes[key], few, strict=True)
            nodes[key] = [None if is_few else one for one, is_few in pairs]
    walks = [Walk(model, seed) for seed in range(4)]
    found = page.ask("walks", document=doc, walks=[walk.actions for walk in walks])
    results = 0
    for walk, told in zip(walks, found, strict=True):
        for expected, one in zip(walk.told, told, strict=True):
            if one.get("result"):
                results += 1
                assert one["result"]["prediction"] == expected["result"]["prediction"]
                is_few = expected["result"]["evidence"]["rows"] < 40
                assert one["result"]["evidence"]["rows"] is None or not is_few
                assert not is_few or "withheld" in one["result"]["words"]
    assert results
    rules = page.ask("rules", document=doc)["rules"]
    assert all((rule["rows"] is None) == few[int(rule["node"])] for rule in rules)
    assert all(rule["share"] is None for rule in rules if rule["rows"] is None)


def test_a_date_may_be_typed_in_iso_form(page):
    frame, signal = table(5)
    model = silva.TreeRegressor(max_depth=3).fit(frame[["when"]], signal)
    typed = [
        "2024-01-05",
        "2024-01-05T12:30",
        "2024-01-05 12:30:00.25",
        "2024-01-05T12:30Z",
        "5 May",
    ]
    typed += ["2024-01-05T12:30:00+01:00", "2023-12-31", "today", "\u0662024-01-05"]
    walks = []
    for text in typed:
        walks.append(Walk(model, 0, length=0))
        walks[-1].answer(text)
    doc = json.loads(json.dumps(document(model), allow_nan=False))
    found = page.ask("walks", document=doc, walks=[walk.actions for walk in walks])
    for walk, told in zip(walks, found, strict=True):
        same(told[1], as_page_reads(walk.told[1]), walk.actions[1], model)
    assert sum("error" in walk.told[1] for walk in walks) == 4
