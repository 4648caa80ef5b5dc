"""Rules of many levels: short wherever people read them, whole on request and for programs."""

import re

import numpy as np
import pandas as pd
import pytest

import silva
from silva import edit
from silva.cli.main import run
from silva.errors import PlanError
from silva.tree import words
from silva.tree.view import TreeView

N_LEVELS = 60
RNG = np.random.default_rng(2)
CODES = np.arange(600) % N_LEVELS
TOWNS = pd.DataFrame({"town": [f"t{code:02}" for code in CODES], "age": RNG.normal(size=600)})
RICH = np.where(CODES % 3 == 0, "yes", "no")
SHORT = "t00, t03, t06, t09, t12, t15, t18, t21, t24, t27 and 10 more"
WHOLE = ", ".join(f"t{code:02}" for code in range(0, N_LEVELS, 3))
LONG = "the engine rattles when it is cold, and again when it is warm"


@pytest.fixture(scope="module")
def model() -> silva.TreeClassifier:
    return silva.TreeClassifier(max_depth=1).fit(TOWNS, RICH)


def test_text_is_short_unless_all_is_asked_for(model):
    text = silva.to_text(model)
    assert f"town in {{{SHORT}}}" in text
    assert f"town not in {{{SHORT}}}" in text
    assert text == silva.to_text(model, max_listed=words.MAX_LISTED) == str(model.grown_tree_)
    assert "town in {t00, t03 and 18 more}" in silva.to_text(model, max_listed=2)
    whole = silva.to_text(model, max_listed=None)
    assert f"town in {{{WHOLE}}}" in whole
    assert " more" not in whole


def test_what_programs_read_is_whole(model):
    view = TreeView(model.grown_tree_)
    assert view[0].edges == (f"town not in {{{WHOLE}}}", f"town in {{{WHOLE}}}")
    assert view.edges(0) == view[0].edges
    assert view.edges(0, max_listed=2)[1] == "town in {t00, t03 and 18 more}"
    assert [one.edge for one in view] == ["", *view[0].edges]


def test_one_more_than_the_limit_is_listed(model):
    assert f"{{{WHOLE}}}" in silva.to_text(model, max_listed=19)
    assert " and 2 more}" in silva.to_text(model, max_listed=18)


@pytest.mark.parametrize("limit", [0, -1, 2.5, "all"])
def test_limits_that_are_none(model, limit):
    with pytest.raises(PlanError, match=r"max_listed=.*None or a whole number of at least 1"):
        silva.to_text(model, max_listed=limit)
    with pytest.raises(PlanError, match=r"max_listed=.*None or a whole number of at least 1"):
        edit.competing_splits(model, 0, TOWNS, RICH, max_listed=limit)


def test_competing_splits(model):
    first = edit.competing_splits(model, 0, TOWNS, RICH)[0]
    assert first.words == f"town in {{{SHORT}}}"
    assert len(first.split.codes) == 20
    first = edit.competing_splits(model, 0, TOWNS, RICH, max_listed=None)[0]
    assert first.words == f"town in {{{WHOLE}}}"


def test_stability():
    found = silva.stability(silva.TreeClassifier(max_depth=1), TOWNS, RICH, samples=2)
    assert found.cuts.cuts[0].words == f"town not in {{{WHOLE}}}"
    assert found.cuts.cuts[0].short_words == f"town not in {{{SHORT}}}"
    assert f"most often town not in {{{SHORT}}} (100%)" in str(found)


def test_long_levels_are_cut_where_lists_are(model):
    texts = pd.DataFrame({"note": [LONG + str(i % 3) for i in range(30)]})
    target = np.arange(30) % 3
    tree = silva.TreeClassifier(splits="multiway").fit(texts, [f"c{i % 2}" for i in target])
    cut = f"note = '{LONG[:37]}...'"
    assert silva.to_text(tree).count(cut) == 3
    assert f"note = '{LONG}2'" in silva.to_text(tree, max_listed=None)
    assert words.shortened("a" * 40, 1) == "a" * 40
    assert words.shortened("a" * 41, 1) == "a" * 37 + "..."
    assert words.shortened("a" * 41, None) == "a" * 41
    assert words.shortened(12345, 1) == 12345


def test_long_levels_of_ordered_and_two_valued_columns():
    levels = [f"{i} {LONG}" for i in range(4)]
    frame = pd.DataFrame({"size": pd.Categorical(levels * 10, levels, ordered=True)})
    ordered = silva.TreeRegressor(max_depth=1).fit(frame, [0.0, 0.0, 1.0, 1.0] * 10)
    cut = f"'2 {LONG[:35]}...'"
    assert f"size < {cut}" in silva.to_text(ordered)
    assert f"size < '{levels[2]}'" in silva.to_text(ordered, max_listed=None)
    assert TreeView(ordered.grown_tree_)[0].edges[0] == f"size < '{levels[2]}'"


def test_every_line_of_text_levels_stays_short():
    notes = pd.DataFrame({"note": [f"{i} {LONG * 5}" for i in range(300)]})
    with pytest.warns(silva.DataWarning, match="free text"):
        model = silva.TreeClassifier(category_gain="plain").fit(notes, np.arange(300) % 2)
    assert max(map(len, silva.to_text(model).splitlines())) < 600
    assert len(silva.to_text(model, max_listed=None)) > 40_000


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("short")
    TOWNS.assign(rich=RICH).to_csv(folder / "towns.csv", index=False)
    silva.save(silva.TreeClassifier(max_depth=1).fit(TOWNS, RICH), folder / "one.silva")
    forest = silva.ForestClassifier(2, max_features=None, max_depth=1).fit(TOWNS, RICH)
    silva.save(forest, folder / "many.silva")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ["fit", "towns.csv", "-t", "rich", "--set", "max_depth=1"],
        ["show", "one.silva"],
        ["show", "many.silva", "--tree", "1"],
    ],
)
def test_command_line(files, command, capsys, monkeypatch):
    monkeypatch.chdir(files)
    assert run(command) == 0
    assert re.search(r"town in \{(t\d\d, ){9}t\d\d and \d+ more\}", capsys.readouterr().out)
    assert run([*command, "--max-listed", "2"]) == 0
    assert re.search(r"town in \{t\d\d, t\d\d and \d+ more\}", capsys.readouterr().out)
    assert run([*command, "--max-listed", "all"]) == 0
    shown = capsys.readouterr().out
    assert "town in {" in shown
    assert " more}" not in shown
    for limit in ("0", "-3", "some", "1.5"):
        assert run([*command, "--max-listed", limit]) == 2
        assert f"'{limit}' is neither a whole number" in capsys.readouterr().err


def test_the_command_line_has_the_same_default(capsys):
    for verb in ("fit", "show"):
        assert run([verb, "--help"]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert f"all lists every one. [default: {words.MAX_LISTED}]" in shown
