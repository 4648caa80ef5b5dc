"""What the page tells of given rows, against a walk of every row and plain counting."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss, mean_squared_error
from sklearn.model_selection import GridSearchCV

import silva
from silva import edit
from silva.inspect.subject import subject_of
from silva.page.payload import competing as competing_module
from silva.page.payload import histograms as histogram_module
from silva.page.payload import targets as targets_module
from silva.page.payload.histograms import round_edges
from silva.tree.splits import Threshold, split_of
from silva.tree.words import value
from tests.page.evidence_cases import CASES, ONE_TREE, case, mixed, numbers, passes, sections


def counted_rows(weights, n_rows):
    return np.ones(n_rows, dtype=bool) if weights is None else weights > 0


@pytest.mark.parametrize("name", CASES)
def test_rows_of_nodes_are_those_that_walk_through_them(name):
    model, X, y, weights = case(name)
    found = sections(model, X, y, weights, cv=None)["given"]
    passed = passes(model, X)[counted_rows(weights, len(X))]
    kept = np.asarray(y)[counted_rows(weights, len(X))]
    assert found["rows"] == len(kept)
    assert found["nodes"]["rows"] == passed.sum(axis=0).tolist()
    classes = subject_of(model).classes
    if classes is None:
        means = [kept[column].mean() if column.any() else None for column in passed.T]
        assert found["nodes"]["counts"] is None
        assert found["nodes"]["mean"] == pytest.approx(means)
    else:
        wanted = [[int((kept[column] == one).sum()) for one in classes] for column in passed.T]
        assert found["nodes"]["counts"] == wanted
        assert found["nodes"]["mean"] is None


@pytest.mark.parametrize("name", CASES)
def test_training_rows_are_known(name):
    model, X, y, weights = case(name)
    found = sections(model, X, y, weights, cv=None)["given"]
    assert found["are_training"]
    assert found["name"] == "training rows"
    assert "fitted to these rows" in found["note"]
    other = sections(model, X[:-20], y[:-20], None if weights is None else weights[:-20])["given"]
    assert not other["are_training"]
    assert other["name"] == "given rows"


def test_rows_of_categories_alone_are_told_apart_by_their_leaves():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({name: rng.choice(["p", "q", "r"], 400) for name in "abc"})
    y = (table["a"] == table["b"]).astype(int).to_numpy()
    half, other = slice(0, 200), slice(200, 400)
    model = silva.TreeClassifier().fit(table[half], y[half])
    assert sections(model, table[half], y[half])["given"]["are_training"]
    assert not sections(model, table[other], y[other])["given"]["are_training"]


def test_the_container_does_not_matter():
    table, labels, _, _ = mixed()
    model = silva.TreeClassifier(max_depth=4).fit(table, labels)
    frame = pl.from_pandas(table)
    assert sections(model, frame, labels)["given"]["are_training"]
    assert sections(model, frame.to_arrow(), labels)["given"]["are_training"]


def test_weights_of_the_fit_are_asked_for():
    model, table, labels, weights = case("weights")
    assert sections(model, table, labels, weights)["given"]["are_training"]
    model = silva.TreeClassifier(max_depth=4).fit(table, labels, weights + 1.0)
    found = sections(model, table, labels)
    assert not found["given"]["are_training"]
    assert "give the same sample_weight" in found["given"]["note"]


def test_a_bare_tree_does_not_know_its_rows():
    X, y = numbers()
    tree = silva.TreeClassifier(max_depth=3).fit(X, y).grown_tree_
    found = sections(tree, X, y)
    assert not found["given"]["are_training"]
    assert "not known whether" in found["given"]["note"]
    assert any("Whether the given rows are new" in one for one in found["about"]["unknown"])
    assert found["given"]["competing"] == {}


def test_edited_models_know_the_rows_of_their_edit():
    X, y = numbers()
    model = edit.collapse(silva.TreeClassifier(max_depth=4).fit(X, y), 1, X, y)
    assert sections(model, X, y)["given"]["are_training"]


def test_a_search_is_the_model_that_it_found():
    X, y = numbers()
    search = GridSearchCV(silva.TreeClassifier(), {"max_depth": [2, 3]}).fit(X, y)
    found = sections(search, X, y)
    assert found["given"]["are_training"]
    assert found["given"]["figures"][0]["value"] == pytest.approx(search.score(X, y))


@pytest.mark.parametrize("name", CASES)
def test_histograms_count_the_values_of_the_split_column(name):
    model, X, y, weights = case(name)
    found = sections(model, X, y, weights, cv=None)["given"]["histograms"]
    subject = subject_of(model)
    tree = subject.tree()
    passed = passes(model, X) & counted_rows(weights, len(X))[:, None]
    table = subject.table(X)
    asked = {
        node: split
        for node in range(tree.n_nodes)
        if (split := split_of(tree, node)) is not None
        and hasattr(split, "column")
        and passed[:, node].any()
    }
    assert {int(node) for node in found} == set(asked)
    for node, one in found.items():
        split = asked[int(node)]
        rows = passed[:, int(node)]
        values, truth = table.columns[split.column][rows], np.asarray(y)[rows]
        classes = [None] if subject.classes is None else subject.classes.tolist()
        groups = [np.ones(len(truth), bool) if c is None else truth == c for c in classes]
        if subject.schema.columns[split.column].levels is None:
            check_numbers(one, values.astype(float), groups, split)
        else:
            check_levels(one, values.astype(int), groups)


@pytest.mark.parametrize("name", CASES)
def test_targets_of_nodes_are_counted_as_numpy_does(name):
    model, X, y, weights = case(name)
    found = sections(model, X, y, weights, cv=None)["given"]["targets"]
    if subject_of(model).classes is not None:
        assert found is None
        return
    passed, ends = passes(model, X), (found["low"], found["high"])
    assert ends[0] <= y.min() <= y.max() < ends[1]
    assert set(found["nodes"]) == {str(node) for node in np.flatnonzero(passed.any(axis=0))}
    for node, counts in found["nodes"].items():
        assert counts == np.histogram(y[passed[:, int(node)]], 16, ends)[0].tolist()


def test_targets_are_of_rows_with_a_weight_at_the_nodes_with_the_most(monkeypatch):
    table, _, signal, rng = mixed()
    weights = rng.integers(0, 3, len(table)) * 1.0
    model = silva.TreeRegressor(max_depth=4).fit(table, signal, weights)
    monkeypatch.setattr(targets_module, "MOST_NODES", 6)
    given = sections(model, table, signal, weights, cv=None)["given"]
    found, rows = given["targets"]["nodes"], np.array(given["nodes"]["rows"])
    assert [sum(counts) for counts in found.values()] == np.sort(rows)[::-1][:6].tolist()
    assert sum(found["0"]) == np.count_nonzero(weights)


def check_numbers(one, values, groups, split):
    wanted = [
        [int((group & (values >= low) & (values < high)).sum()) for group in groups]
        for low, high in zip(one["edges"][:-1], one["edges"][1:], strict=True)
    ]
    bins = [line if isinstance(line, list) else [line] for line in one["bins"]]
    assert bins == wanted
    assert len(wanted) <= 20
    assert one["missing"] == int(np.isnan(values).sum())
    assert (one["low"], one["high"]) == (one["edges"][0], one["edges"][-1])
    assert isinstance(split, Threshold)
    assert one["cut"] == (split.threshold if np.isfinite(split.threshold) else None)


def check_levels(one, codes, groups):
    assert one["levels"] == sorted(set(codes[codes >= 0].tolist()))
    bins = [line if isinstance(line, list) else [line] for line in one["bins"]]
    assert bins == [[int((g & (codes == code)).sum()) for g in groups] for code in one["levels"]]
    assert one["missing"] == int((codes == -1).sum())
    assert one["unseen"] == int((codes == -2).sum())
    assert one["others"] == 0


def test_unseen_levels_and_classes_are_counted():
    table, labels, _, _ = mixed()
    model = silva.TreeClassifier(max_depth=2).fit(table[["kind"]], labels)
    new, truth = table[["kind"]].copy(), labels.copy().astype(object)
    new.loc[:9, "kind"] = "new"
    truth[10:30] = "never"
    found = sections(model, new, truth)["given"]
    assert found["histograms"]["0"]["unseen"] == 10
    assert sum(map(sum, found["histograms"]["0"]["bins"])) + 10 <= 300
    assert found["confusion"]["labels"][-1] == "other classes"
    assert sum(found["confusion"]["counts"][-1]) == 20


def test_many_levels_are_summed_up():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"city": rng.choice([f"c{one:03}" for one in range(80)], 3000)})
    y = table["city"].str[-1].astype(int).to_numpy() % 2
    model = silva.TreeClassifier(max_depth=3).fit(table, y)
    one = sections(model, table, y, cv=None)["given"]["histograms"]["0"]
    assert len(one["levels"]) == histogram_module.MOST_LEVELS
    assert sum(map(sum, one["bins"])) + one["others"] == 3000
    frequent = table["city"].value_counts()
    limit = frequent.iloc[histogram_module.MOST_LEVELS - 1]
    levels = sorted(frequent.index)
    assert all(frequent[levels[code]] >= limit for code in one["levels"])


def test_dates_have_words():
    rng = np.random.default_rng(1)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 200), unit="D")
    table = pd.DataFrame({"day": days})
    y = (days > "2021-03-01").astype(int)
    model = silva.TreeClassifier().fit(table, y)
    one = sections(model, table, y, cv=None)["given"]["histograms"]["0"]
    assert len(one["words"]) == len(one["edges"])
    assert one["words"][0].startswith("20")


@pytest.mark.parametrize("seed", range(200))
def test_round_edges_hold_everything(seed):
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.integers(-12, 13)
    low, high = np.sort(rng.normal(size=2) * size + rng.integers(-3, 4) * 100 * size)
    edges = round_edges(float(low), float(high))
    assert edges[0] <= low
    assert high < edges[-1]
    assert 2 <= len(edges) <= 21
    steps = np.diff(edges)
    assert steps == pytest.approx(steps[0])
    assert f"{steps[0]:.0e}"[0] in "125"


def test_round_edges_of_one_value_and_of_extremes():
    for value_of in (0.0, 7.0, -0.25, 1e9):
        edges = round_edges(value_of, value_of)
        assert edges[0] <= value_of < edges[-1]
    assert round_edges(-1.7e308, 1.7e308) is None
    assert round_edges(1e300, float(np.nextafter(1e300, 2e300))) is None


def test_infinite_values_are_in_the_bins_at_the_ends():
    X = np.array([[-np.inf], [0.0], [1.0], [2.0], [np.inf], [np.nan]])
    model = silva.TreeClassifier().fit(X, [0, 0, 0, 1, 1, 1])
    one = sections(model, X, [0, 0, 0, 1, 1, 1], cv=None)["given"]["histograms"]["0"]
    assert sum(map(sum, one["bins"])) == 5
    assert one["missing"] == 1


@pytest.mark.parametrize("name", ["classes", "numbers", "weights", "stops", "pipeline", "optimal"])
def test_competing_splits_are_those_of_the_editor(name):
    model, X, y, weights = case(name)
    found = sections(model, X, y, weights, cv=None)["given"]["competing"]
    inner, rows = (model[-1], model[:-1].transform(X)) if name == "pipeline" else (model, X)
    tree = subject_of(model).tree()
    assert set(found) == {str(node) for node in np.flatnonzero(~tree.is_leaf)}
    for node, listed in found.items():
        wanted = edit.competing_splits(inner, int(node), rows, y, sample_weight=weights)
        assert [one["gain"] for one in listed] == [one.gain for one in wanted]
        assert [one["current"] for one in listed] == [one.is_current for one in wanted]
        assert sum(one["current"] for one in listed) == 1
        if name != "pipeline":
            assert [one["question"] for one in listed] == [one.words for one in wanted]


def test_new_rows_have_no_competing_splits_and_many_nodes_few(monkeypatch):
    X, y = numbers(0, 600)
    model = silva.TreeClassifier().fit(X, y)
    new, new_y = numbers(1)
    assert sections(model, new, new_y)["given"]["competing"] == {}
    monkeypatch.setattr(competing_module, "MOST_NODES", 7)
    monkeypatch.setattr(histogram_module, "MOST_NODES", 5)
    found = sections(model, X, y, cv=None)["given"]
    rows = np.array(found["nodes"]["rows"])
    inner = np.flatnonzero(~model.grown_tree_.is_leaf)
    biggest = np.sort(rows[inner])[::-1]
    assert sorted(rows[[int(node) for node in found["competing"]]])[::-1] == biggest[:7].tolist()
    assert sorted(rows[[int(node) for node in found["histograms"]]])[::-1] == biggest[:5].tolist()
    monkeypatch.setattr(competing_module, "MOST_CELLS", 5000)
    few = sections(model, X, y, cv=None)["given"]["competing"]
    assert len(few) == np.count_nonzero(np.cumsum(biggest) * 4 <= 5000)


@pytest.mark.parametrize(
    "name", ["classes", "weights", "optimal", "pipeline", "forest", "boosted", "stops"]
)
def test_figures_and_confusion_of_classes(name):
    model, X, y, weights = case(name)
    found = sections(model, X, y, weights, cv=None)["given"]
    told, shares = model.predict(X), model.predict_proba(X)
    figures = {one["name"]: one for one in found["figures"]}
    assert figures["accuracy"]["value"] == pytest.approx(
        accuracy_score(y, told, sample_weight=weights)
    )
    assert figures["accuracy"]["low"] < figures["accuracy"]["value"] < figures["accuracy"]["high"]
    if np.isfinite(float(figures["log loss"]["value"])):
        wanted = log_loss(y, np.clip(shares, 1e-15, 1), sample_weight=weights)
        assert figures["log loss"]["value"] == pytest.approx(wanted)
    wanted = confusion_matrix(y, told, labels=model.classes_, sample_weight=weights)
    assert np.array(found["confusion"]["counts"]) == pytest.approx(wanted)
    assert found["confusion"]["labels"] == [value(one) for one in model.classes_.tolist()]


@pytest.mark.parametrize("name", ["classes", "weights", "pipeline", "forest", "boosted"])
def test_calibration_of_each_class_against_the_rest(name):
    model, X, y, weights = case(name)
    kept = counted_rows(weights, len(X))
    shares, truth = model.predict_proba(X)[kept], np.asarray(y)[kept]
    found = sections(model, X, y, weights, cv=None)["given"]["calibration"]
    assert [one["class"] for one in found] == [value(one) for one in model.classes_.tolist()]
    for code, label in enumerate(model.classes_):
        frame = pd.DataFrame({"share": shares[:, code], "right": truth == label})
        frame["weight"] = 1.0 if weights is None else weights[kept]
        frame["bin"] = np.minimum(np.floor(frame["share"] * 10), 9)
        wanted = pd.DataFrame(
            {
                one: {
                    "mean": np.average(part["share"], weights=part["weight"]),
                    "share": np.average(part["right"], weights=part["weight"]),
                    "rows": len(part),
                }
                for one, part in frame.groupby("bin")
            }
        ).T
        bins = found[code]["bins"]
        assert [round(10 * one["low"]) for one in bins] == wanted.index.tolist()
        for name_of in ("mean", "share", "rows"):
            assert [one[name_of] for one in bins] == pytest.approx(wanted[name_of].tolist())


@pytest.mark.parametrize("name", ["numbers", "forest of numbers"])
def test_predicted_numbers_against_actual_ones(name):
    model, X, y, _ = case(name)
    found = sections(model, X, y, cv=None)["given"]
    told = model.predict(X)
    figures = {one["name"]: one["value"] for one in found["figures"]}
    assert figures["mean squared error"] == pytest.approx(mean_squared_error(y, told))
    assert found["confusion"] is found["calibration"] is None
    bins = found["predicted"]
    assert sum(one["rows"] for one in bins) == len(y)
    assert 2 <= len(bins) <= 10
    for one in bins:
        inside = (told >= one["low"]) & (told <= one["high"])
        assert inside.sum() == one["rows"]
        assert one["mean"] == pytest.approx(told[inside].mean())
        assert one["actual"] == pytest.approx(y[inside].mean())


def test_rows_without_targets_are_not_measured():
    X, y = numbers()
    model = silva.TreeClassifier(max_depth=3).fit(X, y)
    found = sections(model, X)
    assert found["given"] is None
    assert found["about"]["fingerprint"] is not None
    assert any("no targets" in one for one in found["about"]["unknown"])


@pytest.mark.parametrize("name", ONE_TREE)
def test_bad_rows_are_refused_in_words(name):
    model, X, y, _ = case(name)
    with pytest.raises(silva.DataError, match="X is missing"):
        sections(model, None, y)
    with pytest.raises(silva.DataError, match="X_val is missing"):
        sections(model, y_val=y)
    with pytest.raises(ValueError, match=r"no rows|0 sample"):
        sections(model, X[:0], y[:0])


def test_one_row_is_enough():
    X, y = numbers()
    model = silva.TreeClassifier(max_depth=3).fit(X, y)
    assert sections(model, X[:1], y[:1])["given"]["rows"] == 1
    model = silva.TreeRegressor(max_depth=3).fit(X, X[:, 0] + y)
    assert sections(model, X[:1], X[:1, 0])["given"]["rows"] == 1
    alone = silva.TreeRegressor().fit(X[:1], [3.0])
    assert sections(alone, X[:1], [3.0])["given"]["nodes"]["mean"] == [3.0]


def test_huge_numbers_stay_numbers():
    X, y = numbers()
    huge = (y + X[:, 0]) * 1e280
    model = silva.TreeRegressor(max_depth=2).fit(X / 1e-300, huge)
    found = sections(model, X / 1e-300, huge, cv=None)
    passed = passes(model, X / 1e-300)
    wanted = [(huge[column] / 1e280).mean() * 1e280 for column in passed.T]
    assert found["given"]["nodes"]["mean"] == pytest.approx(wanted)
