"""The tools of the page in Chromium: ask me, what if, surface, export, sign-off, print."""

import json
import re
import xml.etree.ElementTree as ElementTree
from html import escape
from urllib.parse import quote

import numpy as np
import pandas as pd
import pytest

import silva
from silva.errors import DataError
from silva.inspect.dialog import Dialog
from silva.page.explorer import SANDBOX
from silva.page.report import html

TOOLS = ("ask", "whatif", "surface", "export", "about")
HOSTILE = ("</script><img src=x onerror=alert(1)>", "عمود عربي", "🍎 " + "x" * 300)
SVG = "{http://www.w3.org/2000/svg}"


def loan_table(n=400):
    """Numbers, levels, ordered levels, dates and missing values."""
    rng = np.random.default_rng(0)
    days = pd.to_timedelta(rng.integers(0, 700, n), unit="D")
    table = pd.DataFrame(
        {
            "income": rng.normal(40, 15, n).round(1),
            "colour": rng.choice(["red", "green", "dark blue"], n),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
            "when": pd.Timestamp("2020-01-01") + days,
        }
    )
    table.loc[::9, "income"] = np.nan
    table.loc[::11, "colour"] = None
    score = table["income"].fillna(20) / 15 + (table["colour"] == "red") * 1.5
    score += (table["size"] == "L") + (table["when"] > "2021-01-01") + rng.normal(size=n) / 2
    return table, np.where(score > 4, "good", np.where(score > 3, "fair", "bad"))


@pytest.fixture(scope="module")
def loans():
    return silva.TreeClassifier(max_depth=4).fit(*loan_table())


@pytest.fixture(scope="module")
def numbers():
    """A regression on two numbers."""
    X = np.random.default_rng(1).uniform(0, 10, size=(300, 2)).round(2)
    table = pd.DataFrame(X, columns=["width", "height"])
    return silva.TreeRegressor(max_leaf_nodes=8).fit(table, np.floor(X[:, 0]) + 9 * (X[:, 1] > 4))


@pytest.fixture(scope="module")
def hostile():
    rng = np.random.default_rng(2)
    table = pd.DataFrame({HOSTILE[0]: rng.normal(size=300)})
    table[HOSTILE[1]] = rng.choice([*HOSTILE, "<b>bold</b>"], 300)
    table[HOSTILE[2]] = rng.normal(size=300)
    label = np.where(table[HOSTILE[0]] > 0.2, HOSTILE[0], HOSTILE[1])
    label = np.where((table[HOSTILE[2]] > 0) & (table[HOSTILE[1]] == HOSTILE[1]), HOSTILE[2], label)
    return silva.TreeClassifier(max_depth=4).fit(table, label)


def linked(view, **state):
    """The text after "#" of a link."""
    told = {name: quote(json.dumps(value)) for name, value in state.items()}
    return "&".join([f"view={view}", *(f"{name}={value}" for name, value in told.items())])


def state_of(page):
    """What the link keeps, by name."""
    found = page.evaluate("Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")
    return {name: json.loads(text) if text[0] in "[{" else text for name, text in found.items()}


def ask(page):
    return page.locator("#panel-ask")


def what_if(page):
    return page.locator("#panel-whatif")


# Ask me


@pytest.mark.parametrize("choice", [0, 1, -1])
def test_dialog_asks_what_python_asks_and_ends_with_its_prediction(open_page, loans, choice):
    page, state = open_page(loans, link="view=ask"), Dialog(loans)
    while not state.finished:
        options = state.question.options
        assert ask(page).locator(".asked").inner_text() == state.question.text
        assert ask(page).locator(".option > span").all_inner_texts() == [
            one.words for one in options
        ]
        ask(page).locator(".option").nth(choice % len(options)).click()
        state = state.answer(options[choice])
    assert ask(page).locator(".predicted").inner_text() == state.result.prediction
    assert state.result.path in ask(page).inner_text()
    assert ask(page).locator(".asked-rule").inner_text() == state.result.rule
    assert f"Rests on {state.result.evidence.rows} training row" in ask(page).inner_text()


def test_dialog_says_what_becomes_of_unknown_values(open_page, loans):
    page = open_page(loans, link="view=ask")
    option = Dialog(loans).question.options[-1]
    unknown = ask(page).get_by_role("button", name="I do not know")
    assert option.leads_to in unknown.inner_text()


def test_typed_answers_are_read_or_refused_beside_the_input(open_page, loans):
    page, state = open_page(loans, link="view=ask"), Dialog(loans)
    box = ask(page).locator(".typed input")
    box.fill("a lot")
    box.press("Enter")
    with pytest.raises(DataError) as error:
        state.answer("a lot")
    problem = page.locator(f"#{box.get_attribute('aria-describedby')}")
    assert problem.inner_text().lower() == f"{error.value}.".lower()
    assert box.get_attribute("aria-invalid") == "true"
    box.fill("1000")
    box.press("Enter")
    assert state.answer("1000").note in ask(page).inner_text()
    assert state_of(page)["answers"] == ["1000"]


def test_dialog_moves_focus_goes_back_and_starts_again(open_page, loans):
    page = open_page(loans, link="view=ask")
    first = ask(page).locator(".asked").inner_text()
    ask(page).locator(".option").first.click()
    ask(page).locator(".option").first.click()
    focused = page.evaluate("document.activeElement.textContent")
    assert focused == ask(page).locator("h2").inner_text()
    assert focused in page.locator(".spoken[role=status]").inner_text()
    ask(page).get_by_role("button", name="Back").click()
    assert len(state_of(page)["answers"]) == 1
    ask(page).get_by_role("button", name="Start again").click()
    assert ask(page).locator(".asked").inner_text() == first
    assert "answers" not in state_of(page)


def test_dialog_opens_at_the_answers_of_a_link(open_page, loans):
    state = Dialog(loans).answer("b")
    page = open_page(loans, link=linked("ask", answers=["b", "not possible"]))
    assert ask(page).locator(".asked").inner_text() == state.question.text
    assert ask(page).locator(".answers li").all_inner_texts() == [
        f"{one.name}\n{one.words}" for one in state.answers
    ]
    ask(page).get_by_text("Why this question?").click()
    told = ask(page).locator(".why bdi").inner_text()
    assert told.split() == str(state.why()).split()


def test_result_is_shown_in_the_tree_and_copied(open_page, loans):
    page, state = open_page(loans, link="view=ask"), Dialog(loans)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    while not state.finished:
        ask(page).locator(".option").first.click()
        state = state.answer(state.question.options[0])
    ask(page).get_by_role("button", name="Copy as text").click()
    assert page.evaluate("navigator.clipboard.readText()") == f"{state.result.words}\n"
    ask(page).get_by_role("button", name="Show in the tree").click()
    assert state_of(page).get("view", "tree") == "tree"
    assert page.locator("#tree-picture .node.selected.on-path").count() == 1


# What if


def test_what_if_follows_the_controls_as_predict_does(open_page, numbers):
    page = open_page(numbers, link="view=whatif")
    for width, height in [(0.5, 1), (3.25, 9), (9.99, 4)]:
        for name, value in (("width", width), ("height", height)):
            what_if(page).get_by_label(name, exact=True).fill(str(value))
        expected = numbers.predict(pd.DataFrame({"width": [width], "height": [height]}))[0]
        shown = what_if(page).locator(".predicted").inner_text()
        assert float(shown) == pytest.approx(expected, rel=1e-5)
        assert state_of(page)["row"] == {"0": width, "1": height}


def test_what_if_takes_levels_dates_and_missing_values(open_page, loans):
    page = open_page(loans, link=linked("whatif", row={"0": 30, "1": 2, "2": 0, "3": 10}))
    panel = what_if(page)
    panel.get_by_label("when", exact=True).fill("2021-06-01")
    panel.get_by_label("colour", exact=True).select_option("missing")
    panel.locator("fieldset", has_text="income").get_by_role("checkbox").check()
    values = {"income": np.nan, "colour": None, "size": "S", "when": pd.Timestamp("2021-06-01")}
    table = loan_table()[0].iloc[:1].copy()
    for name, value in values.items():
        table[name] = pd.Series([value], index=table.index).astype(table[name].dtype)
    assert panel.locator(".predicted").inner_text() == loans.predict(table)[0]
    panel.get_by_label("when", exact=True).fill("June")
    assert "Type a datetime such as" in panel.locator(".problem").all_inner_texts()[-1]


def test_smallest_change_is_that_of_python_and_applies(open_page, loans):
    table, _ = loan_table()
    row = {"0": 30.0, "1": 1, "2": 1, "3": 100.0}
    page = open_page(loans, link=linked("whatif", row=row))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    panel = what_if(page)
    before = panel.locator(".predicted").inner_text()
    best = panel.locator(".flips tbody tr.best td").all_inner_texts()
    panel.get_by_role("button", name="Copy as JSON").click()
    told = json.loads(page.evaluate("navigator.clipboard.readText()"))
    given = table.iloc[:1].copy()
    for name, value in told["values"].items():
        given[name] = pd.Series([value], index=given.index).astype(given[name].dtype)
    flips = silva.inspect.flips(loans, given)
    assert before == flips.prediction == told["prediction"]
    assert best[:2] == [flips.best.words, flips.best.prediction]
    panel.locator(".flips tbody tr.best button").click()
    assert panel.locator(".predicted").inner_text() == flips.best.prediction


def test_path_is_marked_in_the_tree(open_page, loans):
    page = open_page(loans, link="view=whatif")
    steps = what_if(page).locator(".path-list li").count()
    what_if(page).get_by_role("button", name="Show in the tree").click()
    assert page.locator("#tree-picture .node.on-path").count() == steps + 1


def test_refused_values_cannot_be_chosen(open_page, loans):
    table, label = loan_table()
    model = silva.TreeClassifier(max_depth=3, missing="error", unseen="error")
    model.fit(table.ffill().bfill(), label)
    page = open_page(model, link="view=whatif")
    assert "refuses rows in which this is missing" in what_if(page).inner_text()
    assert what_if(page).get_by_role("checkbox").first.is_disabled()
    page = open_page(model, link=linked("whatif", row={"0": None}))
    assert "The model refuses this row: missing income" in what_if(page).inner_text()


def test_oblique_trees_say_why_there_is_no_smallest_change(open_page):
    X = np.random.default_rng(0).normal(size=(200, 2))
    model = silva.TreeClassifier(splits="oblique", max_depth=2).fit(X, X.sum(axis=1) > 0)
    page = open_page(model, link="view=whatif")
    assert "splits of several columns" in what_if(page).locator(".flips").inner_text()


# Surface


def test_surface_tells_what_predict_tells(open_page, numbers):
    page = open_page(numbers, link=linked("surface", surface=[0, 1]))
    picture = page.locator(".surface-picture")
    box = picture.bounding_box()
    seen = set()
    for x, y in [(0.3, 0.3), (0.5, 0.7), (0.8, 0.2)]:
        picture.click(position={"x": box["width"] * x, "y": box["height"] * y})
        words = page.locator(".surface-said bdi").inner_text()
        width, height, value, node = re.match(
            r"width (\S+), height (\S+): (\S+), node (\d+)", words
        ).groups()
        table = pd.DataFrame({"width": [float(width)], "height": [float(height)]})
        assert float(value) == pytest.approx(numbers.predict(table)[0], rel=1e-5)
        assert int(state_of(page).get("node", 0)) == int(node) == numbers.apply(table)[0]
        seen.add(node)
    assert len(seen) > 1
    assert page.locator(".colour-key li").count() == 6


def test_surface_by_keyboard(open_page, loans):
    page = open_page(loans, link=linked("surface", surface=[0, 1]))
    page.locator(".surface-picture").focus()
    before = page.locator(".surface-said bdi").inner_text()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    after = page.locator(".surface-said bdi").inner_text()
    assert before != after == page.locator(".spoken[role=status]").inner_text()
    page.keyboard.press("Enter")
    assert page.locator("#panel-tree").is_visible()


def test_surface_of_one_column_and_of_grids(open_page, loans, numbers):
    page = open_page(loans, link=linked("surface", surface=[0]))
    assert page.locator(".surface-picture .curve").count() == 3
    page.get_by_label("Column upwards").select_option("1")
    assert state_of(page)["surface"] == [0, 1]
    texts = page.locator(".surface-picture text").all_text_contents()
    assert {"red", "green", "dark blue", "income", "colour"} <= set(texts)
    page = open_page(numbers, link=linked("surface", surface=[1]))
    assert page.locator(".surface-picture .curve").count() == 1
    X = np.random.default_rng(0).normal(size=(200, 2))
    model = silva.TreeClassifier(splits="oblique", max_depth=2).fit(X, X.sum(axis=1) > 0)
    page = open_page(model, link="view=surface")
    assert page.locator(".surface-picture .cell").count() > 20
    assert "Drawn on a grid" in page.locator("#panel-surface").inner_text()


def test_one_leaf_has_tools_that_say_so(open_page):
    model = silva.TreeClassifier().fit([[1.0], [2.0]], ["same", "same"])
    for view, words in [
        ("ask", "No question was needed"),
        ("whatif", "no value changes its prediction"),
        ("surface", "the same everywhere"),
    ]:
        page = open_page(model, link=f"view={view}")
        assert words in page.locator(f"#panel-{view}").inner_text()


# Export


def downloaded(page, name):
    with page.expect_download() as waited:
        page.locator("#panel-export").get_by_role("button", name=name).click()
    return waited.value.suggested_filename, waited.value.path().read_bytes()


def test_texts_are_those_of_python(open_page, loans):
    page = open_page(loans, link="view=export")
    file, content = downloaded(page, "Save text as tree.txt")
    assert file == "tree.txt"
    assert content.decode() == silva.to_text(loans) + "\n"
    shown = page.locator("#panel-export li", has_text="tree.txt")
    shown.get_by_role("button", name="Show").click()
    shown.locator("pre").wait_for()
    assert silva.to_text(loans).splitlines()[1] in shown.locator("pre").inner_text()


@pytest.mark.parametrize("part", ["drawn", "whole"])
def test_svg_stands_alone(open_page, browser, loans, part):
    page = open_page(loans, link="view=export", scheme="dark")
    page.get_by_label("Part of the tree").select_option(part)
    file, content = downloaded(page, "Save SVG")
    root = ElementTree.fromstring(content)
    assert file == "tree.svg"
    assert root.tag == f"{SVG}svg"
    assert b"var(" not in content
    assert b"class=" not in content
    assert b" style=" not in content
    texts = ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]
    assert sum("rows" in text or "row" in text for text in texts) >= 5
    sheet = next(root.iter(f"{SVG}rect"))
    assert sheet.get("fill") == "rgb(255, 255, 255)"
    assert page.evaluate("document.documentElement.dataset.theme") == "auto"
    assert page.locator("#panel-export").is_visible()


def test_whole_svg_has_every_node_of_a_folded_tree(open_page):
    X = np.random.default_rng(0).normal(size=(4000, 5))
    model = silva.TreeClassifier(max_leaf_nodes=150).fit(X, X[:, 0] * X[:, 1] + X[:, 2] ** 2 > 0.5)
    page = open_page(model, link="view=export")
    counts = {}
    for part in ("drawn", "whole"):
        page.get_by_label("Part of the tree").select_option(part)
        root = ElementTree.fromstring(downloaded(page, "Save SVG")[1])
        counts[part] = sum(one.get("id", "").startswith("node-") for one in root.iter(f"{SVG}g"))
    assert counts["drawn"] < 150 < counts["whole"] == 299


def test_png_is_twice_the_size_on_chosen_paper(open_page, numbers):
    page = open_page(numbers, link="view=export")
    page.get_by_label("Paper").select_option("dark")
    root = ElementTree.fromstring(downloaded(page, "Save SVG")[1])
    file, content = downloaded(page, "Save PNG")
    assert file == "tree.png"
    assert content.startswith(b"\x89PNG")
    size = [int.from_bytes(content[at : at + 4], "big") for at in (16, 20)]
    assert size == [2 * int(root.get(name)) for name in ("width", "height")]
    assert next(root.iter(f"{SVG}rect")).get("fill") != "rgb(255, 255, 255)"


def test_link_opens_the_chosen_view(open_page, numbers):
    page = open_page(numbers, link=linked("export", row={"0": 3, "1": 4}))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_label("View that the link opens").select_option("whatif")
    page.get_by_role("button", name="Copy link to this view").click()
    page.get_by_text("The link is copied.").wait_for()
    page.goto(page.evaluate("navigator.clipboard.readText()"))
    page.reload()
    assert what_if(page).get_by_label("width", exact=True).input_value() == "3"


# Notes, sign-off, paper


def test_notes_are_saved_loaded_and_refused(open_page, loans, tmp_path):
    table, label = loan_table()
    page = open_page(loans, link="view=about", X=table, y=label)
    panel = page.locator("#panel-about")
    assert "not saved in the page" in panel.inner_text()
    panel.get_by_label("Notes").fill("Looks right.\n</script>")
    panel.get_by_label("Reviewer").fill("Ada")
    panel.get_by_label("Decision").select_option("approved with changes")
    with page.expect_download() as waited:
        panel.get_by_role("button", name="Save notes").click()
    saved = json.loads(waited.value.path().read_bytes())
    assert saved["reviewer"] == "Ada"
    assert saved["decision"] == "approved with changes"
    assert len(saved["about"]["Data fingerprint (SHA-256)"]) == 64
    other = open_page(loans, link="view=about", X=table, y=label)
    other.locator("#panel-about input[type=file]").set_input_files(waited.value.path())
    other.get_by_text("The notes are loaded.").wait_for()
    assert other.get_by_label("Notes").input_value() == "Looks right.\n</script>"
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    other.locator("#panel-about input[type=file]").set_input_files(bad)
    other.get_by_text("This file is not JSON").wait_for()
    assert other.get_by_label("Reviewer").input_value() == "Ada"


def test_paper_has_tree_result_notes_and_lines_to_sign(open_page, loans):
    page = open_page(loans, link="view=about", scheme="dark")
    page.get_by_label("Notes").fill("Checked by hand.")
    page.locator("#tab-ask").click()
    while ask(page).locator(".option").count():
        ask(page).locator(".option").first.click()
    page.emulate_media(media="print")
    page.locator(".paper-tree svg").wait_for()
    shown = page.locator("body").inner_text()
    for words in ("TreeClassifier", "Checked by hand.", "Signature", "Prediction", "Reviewer"):
        assert words in shown
    assert page.locator("button:visible, select:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(27, 34, 43)"
    page.emulate_media(media="screen")
    page.wait_for_selector("html[data-theme=auto]", state="attached")
    assert ask(page).is_visible()
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")


def test_paper_of_a_node_has_its_details(open_page, loans):
    page = open_page(loans, link="view=tree&node=1")
    page.emulate_media(media="print")
    page.locator(".paper-tree svg").wait_for()
    assert page.locator(".details").is_visible()
    assert page.locator("#panel-tree").bounding_box()["height"] == 0


# For all tools


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", TOOLS)
def test_tools_pass_axe(open_page, axe, loans, view, scheme):
    page = open_page(loans, link=f"view={view}", scheme=scheme)
    assert axe(page, f"#panel-{view}") == []


@pytest.mark.parametrize("view", TOOLS)
def test_hostile_names_are_text_and_stay_inside_the_page(open_page, hostile, view):
    page = open_page(hostile, link=f"view={view}", width=390, height=844)
    page.on("dialog", lambda _: pytest.fail("a name was run as a script"))
    panel = page.locator(f"#panel-{view}")
    assert panel.locator("img, b").count() == 0
    assert panel.evaluate("one => one.scrollWidth <= one.clientWidth + 1")
    if view == "ask":
        while panel.locator(".option").count():
            panel.locator(".option").first.click()
        assert panel.locator(".predicted").inner_text() in HOSTILE


def test_tools_work_in_a_notebook_frame(open_page, numbers):
    frame = f'<iframe sandbox="{SANDBOX}" width="1000" height="800" srcdoc="{{}}"></iframe>'
    page = open_page(f"<html data-ready=true>{frame.format(escape(html(numbers)))}</html>")
    inside = page.frame_locator("iframe")
    inside.locator("#tab-ask").click()
    inside.locator(".option").first.click()
    inside.locator("#tab-whatif").click()
    inside.locator("#panel-whatif").get_by_label("width", exact=True).fill("2")
    inside.get_by_role("button", name="Copy as JSON").click()
    assert '"width": 2' in inside.locator(".copy-box textarea").input_value()
    inside.locator(".copy-box button").click()
    inside.locator("#tab-surface").click()
    assert inside.locator(".surface-picture .cell").count() > 1
    inside.locator("#tab-export").click()
    for name, file in [("Save SVG", "tree.svg"), ("Save PNG", "tree.png")]:
        with page.expect_download() as waited:
            inside.get_by_role("button", name=name).click()
        assert waited.value.suggested_filename == file


def test_forests_say_which_tree_answers(open_page, loans):
    X = np.random.default_rng(0).normal(size=(200, 3))
    forest = silva.ForestClassifier(5, max_depth=3, random_state=0).fit(X, X[:, 0] > 0)
    for view in ("ask", "whatif", "surface"):
        page = open_page(forest, link=f"view={view}")
        assert "not the whole model" in page.locator(f"#panel-{view}").inner_text()


@pytest.mark.parametrize("view", ["ask", "whatif", "surface"])
def test_links_that_make_no_sense_do_no_harm(open_page, loans, view):
    nonsense = {"answers": {"a": 1}, "row": ["x", -5, {}, 1e300], "surface": [77, "b", None]}
    page = open_page(loans, link=linked(view, **nonsense))
    assert len(page.locator(f"#panel-{view}").inner_text()) > 50


@pytest.mark.parametrize("view", ["ask", "whatif", "surface"])
def test_hidden_counts_stay_hidden(open_page, loans, numbers, view):
    for model in (loans, numbers):
        page = open_page(model, link=f"view={view}", min_cell=100)
        panel = page.locator(f"#panel-{view}")
        while panel.locator(".option").count():
            panel.locator(".option").first.click()
        for count in re.findall(r"(\d+) training rows?", panel.inner_text()):
            assert int(count) >= 100
