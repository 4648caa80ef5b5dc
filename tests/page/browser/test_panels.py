"""The panels in Chromium: selected node, pruning, rules, quality, columns, forest."""

import base64
import gzip
import json

import numpy as np
import pandas as pd
import pytest

import silva
from silva.inspect.evaluation import evaluate

HOSTILE = "</script><img src=x onerror=alert(1)>"
ARABIC = "العمر بالسنوات"
LONG = "F" * 300
VIEWS = ("tree", "rules", "quality", "columns")


def table_of(n_rows=400, seed=0, **names):
    """Numbers, levels and missing values; the class follows them with some noise."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 80, n_rows).astype(float)
    fare = rng.gamma(2.0, 15.0, n_rows).round(2)
    town = rng.choice(["Cork", "Oslo", "Rome"], n_rows)
    score = (age < 20) + 0.8 * (fare > 40) - 0.7 * (town == "Oslo") + rng.normal(0, 0.5, n_rows)
    age[rng.random(n_rows) < 0.1] = np.nan
    X = pd.DataFrame({"age": age, "fare": fare, "town": town}).rename(columns=names)
    return X, pd.Series(np.where(score > 0.6, "yes", "no"), name="y"), score


@pytest.fixture(scope="module")
def data():
    return table_of()


@pytest.fixture(scope="module")
def tree(data):
    X, y, _ = data
    return silva.TreeClassifier(max_depth=5).fit(X, y)


@pytest.fixture(scope="module")
def hostile():
    X, y, _ = table_of(age=ARABIC, fare=LONG, town=HOSTILE)
    y = y.map({"no": f"<b>no</b>{'x' * 300}", "yes": "نعم"})
    return silva.TreeClassifier(max_depth=4).fit(X, y), X, y


def catch_copies(page):
    """Keeps what is copied in `copied`."""
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', {configurable: true, value:"
        " {writeText: async (text) => { window.copied = text; }}})"
    )


def panel(page):
    return page.locator("aside.details")


def state(page):
    return page.evaluate("location.hash")


def record(page):
    """The document of the page."""
    data = page.locator("#silva-data")
    packed, text = data.get_attribute("data-encoding"), data.text_content()
    return json.loads(gzip.decompress(base64.b64decode(text)) if packed else text)


# The selected node


def test_details_tell_node_path_rule_and_classes(open_page, data, tree):
    X, y, _ = data
    page = open_page(tree, X=X, y=y, link="node=1")
    text = panel(page).inner_text()
    nodes = record(page)["trees"][0]["nodes"]
    assert f"Node 1 of {len(nodes['end'])}, question" in text
    assert f"{nodes['rows'][1]} rows" in text
    assert "From the root: " in text
    assert nodes["edge"][1].split(" or ")[0] in text
    own = y[tree.decision_path(X)[:, [1]].toarray()[:, 0].astype(bool)].value_counts()
    for label, count in own.items():
        line = panel(page).locator("tr", has_text=label).first.inner_text()
        assert str(count) in line.split()
    assert "Missing values go to node" in text


def test_details_follow_parent_and_children(open_page, tree):
    page = open_page(tree, link="node=1")
    assert "No rows are in this page" in panel(page).inner_text()
    panel(page).get_by_role("button", name="Parent: node 0").click()
    assert "Node 0 of" in panel(page).inner_text()
    assert "This is the root" in panel(page).inner_text()
    panel(page).get_by_role("button", name="Child: node 1").click()
    assert "node=1" in state(page)


def test_rule_is_copied_as_python_writes_it(open_page, tree):
    rule = max(silva.rules(tree, digits=None), key=lambda one: one.training.rows)
    page = open_page(tree, link=f"node={rule.nodes[0]}")
    catch_copies(page)
    panel(page).get_by_role("button", name="Copy rule").click()
    assert page.evaluate("copied") == f"if {rule.when} then {rule.then}"


def test_where_copying_is_blocked_the_text_is_shown(open_page, tree):
    page = open_page(tree)
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    panel(page).get_by_role("button", name="Copy rule").click()
    assert page.locator("dialog textarea").input_value().startswith("if all rows then")


def test_few_rows_are_warned_of(open_page, tree):
    page = open_page(tree)
    rows = record(page)["trees"][0]["nodes"]["rows"]
    few = next(node for node, count in enumerate(rows) if count < 10)
    many = next(node for node, count in enumerate(rows) if count >= 10)
    for node, is_warned in ((few, True), (many, False)):
        page.evaluate(f"location.hash = 'node={node}'")
        panel(page).locator("h2", has_text=f"Node {node} of").wait_for()
        assert panel(page).locator(".few-rows").count() == is_warned


def test_values_of_the_column_are_drawn_with_the_cut(open_page, data, tree):
    X, y, _ = data
    page = open_page(tree, X=X, y=y)
    found = record(page)
    for node, one in found["given"]["histograms"].items():
        page.evaluate(f"location.hash = 'node={node}'")
        panel(page).locator("h2", has_text=f"Node {node} of").wait_for()
        if one.get("levels"):
            rows = panel(page).locator(".bar-table tr", has_text="node")
            assert rows.count() == len(one["levels"])
        else:
            chart = panel(page).locator("svg.chart")
            assert chart.locator("title").first.text_content().startswith("Values of ")
            assert chart.locator("line.cut").count() == (one["cut"] is not None)
            drawn = chart.locator("rect:not(.over)").count()
            assert drawn == sum(count > 0 for line in one["bins"] for count in line)
        if one["missing"]:
            assert f"{one['missing']} row" in panel(page).inner_text()


def test_competing_questions_mark_the_one_in_use(open_page, data, tree):
    X, y, _ = data
    page = open_page(tree, X=X, y=y)
    found = record(page)["given"]["competing"]["0"]
    rows = panel(page).locator(".competing tbody tr")
    assert rows.count() == len(found)
    used = [one["question"] for one in found if one["current"]]
    assert panel(page).locator(".competing tr", has_text="used").inner_text().startswith(used[0])


def test_other_rows_stand_beside_those_of_training(open_page, data, tree):
    X, y, _ = table_of(seed=1)
    page = open_page(tree, X=X, y=y)
    text = panel(page).inner_text()
    assert "given rows" in text
    assert f"{(y == 'no').sum()} (" in text


def test_regression_tells_mean_deviation_and_interval(open_page, data):
    X, _, score = data
    model = silva.TreeRegressor(max_depth=3).fit(X, score)
    page = open_page(model, X=X, y=score)
    text = panel(page).inner_text()
    assert "95% interval of the mean" in text
    assert "Standard deviation" in text
    assert f"{score.mean():.6g}" in text


def test_targets_at_a_node_are_drawn_with_their_mean(open_page, data):
    X, _, score = data
    model = silva.TreeRegressor(max_depth=3).fit(X, score)
    page = open_page(model, X=X, y=score, link="node=1")
    given = record(page)["given"]
    chart = panel(page).locator("svg.chart", has_text="Targets of the training rows")
    assert chart.locator("rect").count() == sum(n > 0 for n in given["targets"]["nodes"]["1"])
    assert f"mean {given['nodes']['mean'][1]:.4g}" in chart.text_content()


def test_hidden_counts_are_called_withheld(open_page, data, tree):
    X, y, _ = data
    page = open_page(tree, X=X, y=y, min_cell=20)
    rows = record(page)["trees"][0]["nodes"]["rows"]
    page.evaluate(f"location.hash = 'node={rows.index(None)}'")
    panel(page).get_by_text("withheld").first.wait_for()
    assert "withheld (hides counts below 20)" in panel(page).inner_text()
    page.get_by_role("tab", name="Rules").click()
    assert "withheld (hides counts below 20)" in page.locator("table.rules").inner_text()


def test_a_hidden_table_is_not_called_one_of_too_many_classes(open_page, data, tree):
    X, y, _ = data
    page = open_page(tree, X=X, y=y, min_cell=100_000, link="view=quality")
    text = page.locator("#panel-quality").inner_text()
    assert "fewer than 100,000" in text
    assert "too many classes" not in text
    page.get_by_role("tab", name="Columns").click()
    assert "withheld" in page.locator("tr", has_text="fare").inner_text()


def test_missing_values_say_learned_only_where_that_is_not_the_larger_branch(open_page, data):
    X, y, _ = data
    model = silva.TreeClassifier(max_depth=3).fit(X[["fare", "town"]], y)
    page = open_page(model, link="node=0")
    assert "(the larger branch)" in panel(page).inner_text()
    assert "(learned" not in panel(page).inner_text()


# Pruning


def test_every_step_is_the_refitted_tree(open_page, data, tree):
    X, y, _ = data
    page = open_page(tree, X=X, y=y, cv=3)
    catch_copies(page)
    slider = page.get_by_role("slider", name="Pruning step")
    slider.focus()
    pruning = record(page)["pruning"]
    for step, alpha in enumerate(pruning["alphas"][1:4], 1):
        page.keyboard.press("ArrowRight")
        refit = silva.TreeClassifier(max_depth=5, ccp_alpha=alpha).fit(X, y)
        leaves = refit.get_n_leaves()
        assert f"{leaves} leaves, depth {refit.get_depth()}" in slider.get_attribute(
            "aria-valuetext"
        )
        assert f"step={step}" in state(page)
        page.get_by_role("button", name="Copy parameters").click()
        assert page.evaluate("copied") == f"ccp_alpha={alpha!r}"
        slider.focus()


def test_jumps_to_the_least_error_and_one_standard_error(open_page, data, tree):
    X, y, _ = data
    page = open_page(tree, X=X, y=y, cv=3)
    pruning = record(page)["pruning"]
    for name, step in (("Least error", "best"), ("One standard error", "one_se")):
        page.get_by_role("button", name=name).click()
        assert (
            page.locator(".now-words")
            .inner_text()
            .startswith(f"{pruning['leaves'][pruning[step]]} lea")
        )
    page.get_by_role("button", name="Whole tree").click()
    assert page.locator(".now-words").inner_text().startswith(f"{pruning['leaves'][0]} leaves")
    assert page.locator(".prune .curve").count() == 2
    assert {"training", "cross-validated"} <= set(
        page.locator(".prune .tick.strong").all_text_contents()
    )


def test_a_click_on_the_chart_chooses_the_step(open_page, data, tree):
    X, y, _ = data
    page = open_page(tree, X=X, y=y, cv=3)
    chart = page.locator(".prune svg.chart")
    box = chart.bounding_box()
    chart.click(position={"x": box["width"] - 52, "y": 60})
    assert page.locator(".now-words").inner_text().startswith("1 leaf,")
    assert "Pruned at this step" in panel(page).inner_text()


def test_why_there_is_no_slider(open_page):
    X, y, _ = table_of(50)
    page = open_page(silva.TreeClassifier(max_depth=1, min_samples_leaf=50).fit(X, y))
    assert "there is nothing to prune" in page.locator(".prune").inner_text()


def test_node_below_a_pruned_one_names_the_leaf_above(open_page, data, tree):
    X, y, _ = data
    page = open_page(tree, X=X, y=y, cv=None, link="node=1")
    page.get_by_role("slider", name="Pruning step").press("End")
    assert "Not in the pruned tree: its rows end at node 0." in panel(page).inner_text()
    panel(page).get_by_role("button", name="node 0", exact=True).click()
    assert "root, leaf" in panel(page).locator("h2").inner_text()


# Rules


def shown_rules(page):
    rows = page.locator("table.rules tbody tr")
    return [
        (row.locator(".when bdi").text_content(), row.locator(".number").first.inner_text())
        for row in rows.all()
    ]


def test_rules_are_those_of_python(open_page, tree):
    page = open_page(tree, link="view=rules")
    expected = [(one.when, str(one.training.rows)) for one in silva.rules(tree, digits=None)]
    assert sorted(shown_rules(page)) == sorted(expected)


def test_rules_of_a_pruned_tree_are_those_of_the_refit(open_page, data, tree):
    X, y, _ = data
    page = open_page(tree, X=X, y=y, cv=None, link="view=rules&step=3")
    alpha = record(page)["pruning"]["alphas"][3]
    refit = silva.TreeClassifier(max_depth=5, ccp_alpha=alpha).fit(X, y)
    assert sorted(shown_rules(page)) == sorted(
        (one.when, str(one.training.rows)) for one in silva.rules(refit, digits=None)
    )


def test_rules_that_stop_at_a_question_are_listed(open_page, data):
    X, y, _ = data
    model = silva.TreeClassifier(max_depth=3, missing="stop", unseen="stop").fit(X, y)
    page = open_page(model, link="view=rules")
    assert sorted(one for one, _ in shown_rules(page)) == sorted(
        one.when for one in silva.rules(model, digits=None)
    )
    assert "rows that stop at this question" in page.locator("table.rules").inner_text()


def test_rules_sort_by_every_column(open_page, tree):
    page = open_page(tree, link="view=rules")
    for name in ("node", "when", "then", "share", "lift", "rows"):
        head = page.locator("table.rules thead th", has=page.locator(f"#sort-{name}"))
        orders = []
        for _ in range(2):
            head.get_by_role("button").click()
            orders.append(head.get_attribute("aria-sort"))
            assert (
                page.locator(
                    "table.rules th[aria-sort=ascending], table.rules th[aria-sort=descending]"
                ).count()
                == 1
            )
        assert sorted(orders) == ["ascending", "descending"]
    page.locator("#sort-rows").click()
    counts = [int(count) for _, count in shown_rules(page)]
    assert counts == sorted(counts, reverse=True)


def test_rules_filter_by_class_and_text(open_page, tree):
    page = open_page(tree, link="view=rules")
    every = silva.rules(tree, digits=None)
    page.get_by_label("Filter by predicted class").select_option("yes")
    assert len(shown_rules(page)) == sum(one.then == "yes" for one in every)
    page.get_by_label("Filter by predicted class").select_option("every class")
    page.get_by_label("Filter the rules by text").fill("OSLO")
    found = [one for one in every if "Oslo" in one.when]
    assert len(shown_rules(page)) == len(found)
    assert page.locator(".count").inner_text() == f"{len(found)} of {len(every)} rules"


def test_a_rule_leads_to_its_node(open_page, tree):
    page = open_page(tree, link="view=rules")
    row = page.locator("table.rules tbody tr").nth(2)
    node = row.get_attribute("data-node")
    row.locator(".when").click()
    assert panel(page).locator("h2").inner_text().startswith(f"Node {node} of")
    assert "chosen" in row.get_attribute("class")
    row.get_by_role("button", name=f"Show node {node} in the tree").click()
    assert page.get_by_role("tab", name="Tree").get_attribute("aria-selected") == "true"


def test_details_stay_in_sight_below_a_long_table(open_page, tree):
    page = open_page(tree, link="view=rules", height=400)
    page.locator("table.rules tbody tr").last.locator(".when").click()
    assert 0 <= panel(page).locator("h2").bounding_box()["y"] < 200


def test_on_a_phone_the_number_of_a_rule_leads_to_its_details(open_page, tree):
    page = open_page(tree, link="view=rules", width=390, height=844)
    page.locator("table.rules tbody tr").first.locator(".places button").first.click()
    assert 0 <= panel(page).locator("h2").bounding_box()["y"] < 844


def test_2000_rules_come_a_hundred_at_a_time(open_page):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12_000, 6))
    y = X[:, 0] * X[:, 1] + rng.normal(size=12_000) > 0
    page = open_page(silva.TreeClassifier(max_leaf_nodes=2_000).fit(X, y), link="view=rules")
    rows = page.locator("table.rules tbody tr")
    assert rows.count() == 100
    assert page.locator(".count").inner_text() == "2,000 rules"
    page.get_by_role("button", name="Show 100 more of 1,900").click()
    assert rows.count() == 200


# Quality


def test_confusion_and_figures_are_those_of_evaluate(open_page, data, tree):
    X, y, _ = data
    page = open_page(tree, X=X, y=y, link="view=quality")
    found = evaluate(tree, X, y)
    cells = [one.inner_text() for one in page.locator(".matrix tbody td strong").all()]
    assert cells == [f"{count:,.0f}" for count in found.confusion.ravel()]
    text = page.locator("#panel-quality").inner_text()
    assert "On the training rows: optimistic (400 rows)" in text
    share = f"{100 * found.figure('accuracy').model:.1f}".removesuffix(".0")
    assert f"{share}%" in page.locator(".figures tr", has_text="Accuracy").inner_text()
    assert page.locator("svg.chart .dot").count() == len(
        record(page)["given"]["calibration"][1]["bins"]
    )


def test_given_rows_are_called_so(open_page, tree):
    X, y, _ = table_of(seed=1)
    page = open_page(tree, X=X, y=y, link="view=quality")
    assert "On the given rows (400 rows)" in page.locator("#panel-quality").inner_text()
    page.get_by_label("Class whose probabilities are checked").select_option("no")
    assert "Calibration of no" in page.locator("svg.chart title").first.text_content()


def test_without_rows_the_page_says_what_to_give(open_page, tree):
    page = open_page(tree, link="view=quality")
    assert "silva.report(model, X, y)" in page.locator("#panel-quality").inner_text()


def test_quality_of_a_regression(open_page, data):
    X, _, score = data
    model = silva.TreeRegressor(max_depth=4).fit(X, score)
    page = open_page(model, X=X, y=score, link="view=quality")
    bins = record(page)["given"]["predicted"]
    assert page.locator("svg.chart .dot").count() == len(bins)
    assert "Mean squared error" in page.locator("#panel-quality").inner_text()


def test_stability_is_told(open_page, data, tree):
    X, y, _ = data
    found = silva.stability(silva.TreeClassifier(max_depth=5), X, y, samples=5)
    page = open_page(tree, X=X, y=y, stability=found, link="view=quality")
    text = page.locator("#panel-quality").inner_text()
    assert f"5 trees were grown, each on {found.n_kept} rows (90% of all)." in text
    assert "Rows by disagreement" in text


# Columns and forests


def test_columns_tell_importance_and_lead_to_the_search(open_page, tree):
    page = open_page(tree, link="view=columns")
    rows = page.locator("table.column-table tbody tr")
    names = np.array(["age", "fare", "town"])[np.argsort(-tree.feature_importances_)]
    assert [row.locator("th").inner_text() for row in rows.all()] == names.tolist()
    assert f"{tree.feature_importances_.max():.3g}" in rows.first.inner_text()
    assert "3 levels: Cork, Oslo, Rome" in page.locator("table.column-table").inner_text()
    rows.nth(1).get_by_role("button").click()
    assert f"query={names[1]}" in state(page)
    assert page.get_by_role("tab", name="Tree").get_attribute("aria-selected") == "true"


def test_columns_shorten_ranges_that_are_not_whole(open_page):
    X = np.random.default_rng(0).normal(size=(60, 1))
    page = open_page(silva.TreeClassifier(max_depth=1).fit(X, X[:, 0] > 0), link="view=columns")
    assert f"{X.min():.6g} to {X.max():.6g}" in page.locator("table.column-table").inner_text()


def test_forest_offers_its_trees_and_the_one_for_all(open_page, data, tree):
    X, y, _ = data
    model = silva.ForestClassifier(n_estimators=40, max_depth=4, oob_score=True).fit(X, y)
    page = open_page(model, X=X, y=y, link="view=forest")
    text = page.locator("#panel-forest").inner_text()
    assert "40 trees" in text
    assert f"Out-of-bag score: {model.oob_score_:.4g}" in text
    assert "It predicts as the forest does for" in text
    trees = record(page)["trees"]
    assert page.locator("#panel-forest table").first.locator("tbody tr").count() == len(trees)
    page.locator("#panel-forest").get_by_role("button", name=trees[2]["title"], exact=True).click()
    assert f"Node 0 of {trees[2]['n_nodes']}" in panel(page).inner_text()
    assert open_page(tree).get_by_role("tab", name="Forest").count() == 0


# All of them


def test_hostile_names_are_only_text(open_page, hostile):
    model, X, y = hostile
    page = open_page(model, X=X, y=y, title=HOSTILE)
    for view in VIEWS:
        page.evaluate(f"location.hash = 'view={view}&node=2'")
        page.wait_for_selector(f"#panel-{view}:not([hidden])")
        assert page.locator("img, b").count() == 0
    assert HOSTILE in page.locator("table.column-table").inner_text()
    assert LONG in page.locator("table.column-table").text_content()


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_is_wider_than_a_phone(open_page, hostile, view):
    model, X, y = hostile
    page = open_page(model, X=X, y=y, width=390, height=844, link=f"view={view}&node=2")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing(open_page, axe, data, tree, scheme, view):
    X, y, _ = data
    page = open_page(tree, X=X, y=y, cv=3, scheme=scheme, link=f"view={view}&node=1")
    assert axe(page, f"#panel-{view}") == []
    if view == "tree":
        assert axe(page, "aside.details") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_forests(open_page, axe, data, scheme):
    X, y, _ = data
    model = silva.ForestClassifier(n_estimators=12, max_depth=3).fit(X, y)
    page = open_page(model, X=X, y=y, scheme=scheme, link="view=forest")
    assert axe(page, "#panel-forest") == []
