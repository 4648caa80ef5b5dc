"""The tree, the overview and the search of the page in Chromium."""

import json

import numpy as np
import pandas as pd
import pytest

import silva
from silva.page.report import html

HOSTILE = "</script><img src=x onerror=alert(1)>"
ARABIC = "عمر الراكب"
LONG = "k" * 300


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.integers(1, 80, 400).astype(float),
            "fare": rng.normal(30, 9, 400).round(2),
            "sex": pd.Categorical(rng.choice(["female", "male"], 400)),
        }
    )
    odds = (X["sex"] == "female") * 0.5 + (X["age"] < 20) * 0.3 + (X["fare"] > 35) * 0.15
    return X, np.where(rng.random(400) < odds, "survived", "died")


@pytest.fixture(scope="module")
def small(frame):
    model = silva.TreeClassifier(max_depth=4).fit(*frame)
    return html(model, *frame, cv=None)


@pytest.fixture(scope="module")
def big():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 10))
    y = X[:, 0] * X[:, 1] + rng.normal(size=20_000) * 0.5 > 0
    return html(silva.TreeClassifier(max_leaf_nodes=2000).fit(X, y))


@pytest.fixture(scope="module")
def regression(frame):
    X, _ = frame
    return html(silva.TreeRegressor(max_depth=5).fit(X, X["age"] * 2 + X["fare"]))


def items(page):
    return page.eval_on_selector_all(
        "[role=treeitem]", "all => all.map(one => Number(one.dataset.node))"
    )


def focused(page):
    return page.evaluate("Number(document.activeElement.dataset.node)")


def state(page):
    return page.evaluate("Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")


def settle(page):
    """Wait for what is drawn before the next frame."""
    frames = "requestAnimationFrame(() => requestAnimationFrame(done))"
    page.evaluate(f"new Promise(done => {frames})")


def camera(page):
    return page.get_attribute(".camera", "transform")


def start(page):
    page.focus("[role=treeitem][tabindex='0']")


def test_tree_pattern_has_one_tab_stop_and_full_attributes(open_page, small):
    page = open_page(small)
    assert page.locator("[role=tree]").count() == 1
    assert page.locator("[role=tree] [tabindex='0']").count() == 1
    root = page.locator("#node-0")
    assert root.get_attribute("aria-expanded") == "true"
    assert root.get_attribute("aria-selected") == "true"
    assert root.get_attribute("aria-label").startswith("Node 0, all rows, 400 rows, ")
    assert root.get_attribute("aria-label").endswith("2 children")
    child = page.locator("#node-1")
    facts = [child.get_attribute(f"aria-{name}") for name in ("level", "posinset", "setsize")]
    assert facts == ["2", "1", "2"]
    leaf = page.locator("[role=treeitem]:not([aria-expanded])").first
    assert leaf.get_attribute("aria-label").endswith("leaf")


def test_arrow_keys_walk_open_and_fold(open_page, small):
    page = open_page(small)
    everything = items(page)
    start(page)
    walked = []
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "End", "Home"):
        page.keyboard.press(key)
        walked.append(focused(page))
    assert walked == [1, 2, 1, everything[-1], 0]
    page.keyboard.press("ArrowRight")
    assert focused(page) == 1
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute("#node-1", "aria-expanded") == "false"
    assert focused(page) == 1
    page.keyboard.press("ArrowDown")
    beside = focused(page)
    assert beside > 2
    assert page.get_attribute(f"#node-{beside}", "aria-level") == "2"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    assert items(page) == everything
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert focused(page) == 0


def test_star_opens_siblings_and_enter_selects(open_page, small):
    page = open_page(small)
    everything = items(page)
    page.click("text=Fold all")
    assert items(page) == [0]
    start(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("*")
    siblings = page.locator("[aria-level='2'][aria-expanded]")
    assert set(siblings.evaluate_all("all => all.map(one => one.ariaExpanded)")) == {"true"}
    page.keyboard.press("Enter")
    assert state(page)["node"] == "1"
    assert page.get_attribute("#node-1", "aria-selected") == "true"
    assert page.locator("[aria-selected=true][role=treeitem]").count() == 1
    page.click("text=Open all")
    assert items(page) == everything


def test_type_ahead_goes_to_columns_and_classes(open_page, small):
    page = open_page(small)
    start(page)
    page.keyboard.type("surv")
    assert ", leaf" in page.get_attribute(f"#node-{focused(page)}", "aria-label")
    page.wait_for_timeout(800)
    page.keyboard.type("f")
    assert "asks fare" in page.get_attribute(f"#node-{focused(page)}", "aria-label")


def test_zoom_pan_and_fit(open_page, small):
    page = open_page(small)
    settle(page)
    first = camera(page)
    page.mouse.move(400, 400)
    page.mouse.wheel(0, -300)
    zoomed = camera(page)
    assert zoomed != first
    page.mouse.down()
    page.mouse.move(460, 430, steps=4)
    page.mouse.up()
    assert camera(page).partition("scale")[2] == zoomed.partition("scale")[2] != camera(page)
    assert "node" not in state(page)
    start(page)
    for key in ("+", "-", "Shift+ArrowRight"):
        before = camera(page)
        page.keyboard.press(key)
        assert camera(page) != before
    page.click("button:has-text('Fit')")
    inside = page.evaluate(
        """() => {
            const stage = document.querySelector('.tree-stage').getBoundingClientRect();
            return [...document.querySelectorAll('[role=treeitem] .box')].every((one) => {
                const box = one.getBoundingClientRect();
                return box.left >= stage.left && box.right <= stage.right
                    && box.top >= stage.top && box.bottom <= stage.bottom;
            });
        }"""
    )
    assert inside


def test_two_fingers_zoom(open_page, small):
    page = open_page(small)
    settle(page)
    before = camera(page)
    page.evaluate(
        """() => {
            const stage = document.querySelector('.tree-picture');
            stage.setPointerCapture = () => {};
            const touch = (type, pointerId, clientX) => stage.dispatchEvent(new PointerEvent(type,
                { pointerId, clientX, clientY: 400, pointerType: 'touch', bubbles: true }));
            touch('pointerdown', 11, 300);
            touch('pointerdown', 12, 400);
            touch('pointermove', 11, 250);
            touch('pointermove', 12, 450);
            touch('pointerup', 11, 250);
            touch('pointerup', 12, 450);
        }"""
    )
    scale = [float(one.partition("scale(")[2].rstrip(")")) for one in (before, camera(page))]
    assert scale[1] == pytest.approx(2 * scale[0])


def test_folding_keeps_the_node_in_its_place(open_page, small):
    page = open_page(small)
    settle(page)
    place = "document.querySelector('#node-1 .box').getBoundingClientRect().toJSON()"
    before = page.evaluate(place)
    page.click(".face[data-node='1'] .toggle")
    after = page.evaluate(place)
    assert page.get_attribute("#node-1", "aria-expanded") == "false"
    middle = [one["left"] + one["width"] / 2 for one in (before, after)]
    assert middle[1] == pytest.approx(middle[0], abs=0.5)
    assert after["top"] == pytest.approx(before["top"], abs=0.5)
    assert "more (" in page.text_content(".face[data-node='1'] .toggle text")


def test_first_view_of_a_big_tree_and_its_limits(open_page, big):
    page = open_page(big)
    assert 40 <= len(items(page)) <= 60
    assert page.inner_text(".count") == f"{len(items(page))} of 3,999 nodes drawn"
    settle(page)
    assert not page.locator(".minimap").evaluate("one => one.classList.contains('away')")
    page.click("text=Open 2,000")
    assert 1990 <= len(items(page)) <= 2000
    settle(page)
    assert 0 < page.locator(".face").count() < 60
    page.click("button:has-text('Fit')")
    settle(page)
    assert page.locator(".face").count() == 0
    page.click("text=First view")
    assert len(items(page)) <= 60


def test_minimap_moves_the_window(open_page, big):
    page = open_page(big)
    settle(page)
    before = camera(page)
    box = page.locator(".minimap").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.8)
    assert camera(page) != before


def test_a_pruned_node_is_a_leaf_with_its_prediction(open_page, small):
    page = open_page(small, link="step=1")
    whole = open_page(small)
    pruned = set(items(whole)) - set(items(page))
    assert pruned
    leaf = page.locator("[aria-label$='leaf at this pruning step']")
    assert leaf.count() >= 1
    node = int(leaf.first.get_attribute("data-node"))
    assert leaf.first.get_attribute("aria-expanded") is None
    texts = page.locator(f".face[data-node='{node}'] text").all_text_contents()
    assert {"died", "survived"} & set(texts)
    assert any(text.endswith("rows") for text in texts)


def test_a_page_that_begins_pruned_opens_when_the_whole_tree_comes_back(open_page, small):
    last = len(json_of(small)["pruning"]["alphas"]) - 1
    page = open_page(small, link=f"step={last}")
    page.fill(".prune input[type=range]", "0")
    assert len(items(page)) == json_of(small)["trees"][0]["n_nodes"]


def test_another_tree_of_a_forest(open_page, frame):
    forest = silva.ForestClassifier(n_estimators=3, max_depth=3, random_state=0).fit(*frame)
    page = open_page(forest)
    before = page.get_attribute("#node-1", "aria-label")
    page.select_option("[aria-label=Tree]", index=2)
    assert page.get_attribute("#node-1", "aria-label") != before
    assert focused_stop(page) == 0
    page.fill(".search input", "sex")
    page.keyboard.press("Enter")
    assert "sex" in page.get_attribute(f"#node-{focused(page)}", "aria-label")


def focused_stop(page):
    return int(page.get_attribute("[role=tree] [tabindex='0']", "data-node"))


def test_a_pruned_node_comes_back_when_it_is_revealed(open_page, small):
    last = len(json_of(small)["pruning"]["alphas"]) - 1
    page = open_page(small, link=f"step={last}")
    assert items(page) == [0]
    page.fill(".search input", "#3")
    page.keyboard.press("Enter")
    assert focused(page) == 3
    assert int(state(page).get("step", 0)) < last
    assert state(page)["node"] == "3"


def json_of(page):
    """The document of a page that is not packed."""
    return json.loads(page.partition('id="silva-data">')[2].partition("</script>")[0])


def test_a_link_to_a_folded_node_opens_what_is_above_it(open_page, big):
    page = open_page(big, link="node=900")
    assert 900 in items(page)
    box = page.locator("#node-900 .box").bounding_box()
    stage = page.locator(".tree-stage").bounding_box()
    assert stage["x"] <= box["x"]
    assert box["x"] + box["width"] <= stage["x"] + stage["width"]


def test_a_link_that_changes_is_checked_like_the_first_one(open_page, frame):
    """What a link leaves out has its first value: the node is one of the first tree."""
    X, y = frame
    forest = silva.ForestClassifier(n_estimators=2, max_depth=3, random_state=0).fit(X, y)
    page = open_page(forest, link="tree=1&node=2")
    before = page.get_attribute("#node-1", "aria-label")
    page.evaluate("location.hash = 'node=1&step=99&theme=purple'")
    page.wait_for_selector("#node-1[aria-selected=true]")
    assert state(page) == {"node": "1"}
    assert page.get_attribute("#node-1", "aria-label") != before
    page.evaluate("location.hash = 'node=100000'")
    page.wait_for_selector("#node-0[aria-selected=true]")


def test_the_path_of_a_row_is_marked(open_page, small):
    page = open_page(small)
    page.click("#tab-whatif")
    page.click("#tab-tree")
    marked = page.eval_on_selector_all(
        ".node.on-path", "all => all.map(one => Number(one.dataset.node))"
    )
    levels = [page.get_attribute(f"#node-{node}", "aria-level") for node in marked]
    assert levels == [str(level + 1) for level in range(len(marked))]
    assert len(marked) > 2
    assert page.locator("path.edge.on-path").count() == len(marked) - 1


def test_colours_by_the_share_of_a_class(open_page, small):
    page = open_page(small)
    settle(page)
    assert page.locator(".face[data-node='0'] .stripe").count() == 0
    page.select_option("#panel-tree [aria-label='Colour by']", label="share of survived")
    assert state(page)["target"] == "1"
    settle(page)
    assert "fill-shade" in page.locator(".face[data-node='0'] .stripe").get_attribute("class")
    assert "share of survived" in page.inner_text(".panel-tree .legend")


@pytest.mark.parametrize(
    ("query", "summary"),
    [
        ("age", "nodes ask about age"),
        ("female", "1 node asks for female"),
        ("surviv", "leaves predict survived"),
        ("#2", "node 2"),
        ("node 2", "node 2"),
        ("zzz", "nothing found for “zzz”"),
    ],
)
def test_search_counts_what_it_finds(open_page, small, query, summary):
    page = open_page(small)
    page.fill(".search input", query)
    page.wait_for_function("word => location.hash.includes('query')", arg=query)
    assert summary in page.inner_text(".found-summary")


def test_search_marks_lists_and_reveals(open_page, small):
    page = open_page(small)
    page.fill(".search input", "age")
    page.wait_for_selector(".results li")
    found = page.locator(".node.found").count()
    assert page.inner_text(".found-summary").startswith(str(found))
    assert page.get_attribute(".search input", "aria-expanded") == "true"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.get_attribute(".search input", "aria-activedescendant") == "result-1"
    node = int(page.inner_text("#result-1 .number-tag"))
    page.keyboard.press("Enter")
    assert focused(page) == node
    page.focus(".search input")
    page.keyboard.press("Escape")
    assert page.locator(".node.found").count() == 0
    assert "query" not in state(page)


def test_search_lists_at_most_fifty(open_page, big):
    page = open_page(big, link="query=x1")
    page.focus(".search input")
    assert page.locator(".results li[id]").count() == 50
    assert "more, with fewer rows" in page.inner_text(".results .more")


def test_overview_selects_zooms_and_leads_to_the_tree(open_page, big):
    page = open_page(big, link="view=overview")
    canvas = page.locator(".icicle")
    box = canvas.bounding_box()
    row = page.evaluate("document.querySelector('.icicle').clientHeight") / 35
    page.mouse.click(box["x"] + 10, box["y"] + 1.5 * row)
    assert state(page)["node"] == "1"
    page.mouse.move(box["x"] + 20, box["y"] + 1.5 * row)
    assert page.inner_text(".tip").startswith("Node 1, ")
    canvas.focus()
    page.keyboard.press("Enter")
    assert page.locator(".crumb").count() == 2
    page.keyboard.press("ArrowDown")
    assert state(page)["node"] == "2"
    page.keyboard.press("ArrowRight")
    beside = int(state(page)["node"])
    assert beside > 2
    page.keyboard.press("ArrowUp")
    assert state(page)["node"] == "1"
    page.keyboard.press("Backspace")
    assert page.locator(".crumb").count() == 1
    page.click("text=Show in the tree >> visible=true")
    assert focused(page) == 1


def test_overview_has_a_table_of_the_largest_nodes(open_page, regression):
    page = open_page(regression, link="view=overview")
    page.click(".largest summary")
    rows = page.locator(".largest tbody tr")
    rows.first.wait_for()
    assert rows.count() == 20
    assert "400 rows" in rows.first.inner_text()
    assert page.get_attribute(".icicle", "aria-label").startswith("Overview of ")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("link", ["query=age", "view=overview", "target=1&step=2"])
def test_axe_accepts_tree_overview_and_search(open_page, axe, small, scheme, link):
    page = open_page(small, scheme=scheme, link=link)
    page.focus(".search input")
    settle(page)
    shown = "#panel-overview" if "overview" in link else "#panel-tree"
    assert axe(page, shown) == []
    assert axe(page, ".search") == []


def test_hostile_names_are_only_text(open_page):
    rng = np.random.default_rng(0)
    kinds = pd.Categorical(rng.choice([HOSTILE, "אבג", LONG, "🎉"], 300))
    X = pd.DataFrame({HOSTILE: rng.normal(size=300), ARABIC: rng.normal(size=300), LONG: kinds})
    y = np.array([HOSTILE, ARABIC, LONG])[(X[HOSTILE] > 0) + (X[LONG] == HOSTILE) * 1]
    for width, link in ((1280, "query=script"), (390, "view=overview")):
        page = open_page(silva.TreeClassifier().fit(X, y), width=width, link=link)
        assert page.locator("img").count() == 0
        across = page.evaluate("document.documentElement.scrollWidth")
        assert across <= width


def test_hidden_numbers_are_not_needed(open_page, frame):
    X, y = frame
    for model in (
        silva.TreeClassifier().fit(X, y),
        silva.TreeRegressor().fit(X, X["age"] * X["fare"]),
    ):
        page = open_page(model, min_cell=10, link="step=3")
        page.click("text=Open all")
        page.click("#tab-overview")
        assert page.locator(".icicle").is_visible()


def test_one_leaf(open_page):
    page = open_page(silva.TreeClassifier().fit([[1.0], [2.0]], ["a", "a"]))
    assert items(page) == [0]
    start(page)
    page.keyboard.press("ArrowRight")
    page.click("#tab-overview")
    assert page.locator(".icicle").is_visible()


def test_phone(open_page, small):
    page = open_page(small, width=390, height=844)
    settle(page)
    assert page.locator(".face").count() > 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
