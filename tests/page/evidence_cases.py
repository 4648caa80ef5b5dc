"""Models with their training rows, and the obvious ways to look at them."""

import json

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import silva
from silva.inspect.subject import subject_of
from silva.page.payload.evidence import evidence


def mixed(seed=0, n_rows=300):
    """Numbers, categories and missing values; a class and a number that depend on them."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "x": rng.integers(0, 30, n_rows) * 1.0,
            "z": rng.normal(size=n_rows),
            "kind": rng.choice(["a", "b", "c", "d"], n_rows),
        }
    )
    table.loc[rng.random(n_rows) < 0.1, ["x", "kind"]] = None
    signal = table["x"].fillna(9).to_numpy() / 4 + 3 * (table["kind"] == "a") + 2 * table["z"]
    signal = signal.to_numpy() + rng.normal(size=n_rows)
    labels = np.array(["low", "middle", "high"])[np.digitize(signal, [3.0, 7.0])]
    return table, labels, signal, rng


def numbers(seed=0, n_rows=200):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n_rows) > 0).astype(int)


def no_few_rows():
    """A column of four numbers and two classes: at least ten rows of each class in every leaf."""
    counts = [[40, 12], [15, 50], [60, 20], [11, 33]]
    code, label = np.indices((4, 2)).reshape(2, -1)
    rows = np.repeat(np.arange(8), np.ravel(counts))
    return code[rows, None] * 1.0, label[rows]


def case(name):
    """A fitted model, its rows, targets and weights."""
    table, labels, signal, rng = mixed()
    X, y = numbers()
    weights = rng.integers(0, 4, len(table)) * 0.5
    match name:
        case "classes":
            return silva.TreeClassifier(max_depth=5).fit(table, labels), table, labels, None
        case "numbers":
            model = silva.TreeRegressor(min_samples_leaf=8).fit(table, signal)
            return model, table, signal, None
        case "weights":
            model = silva.TreeClassifier(max_depth=4).fit(table, labels, weights)
            return model, table, labels, weights
        case "stops":
            model = silva.TreeClassifier(max_depth=4, missing="stop").fit(table, labels)
            return model, table, labels, None
        case "multiway":
            model = silva.TreeClassifier(splits="multiway", missing="own_branch", max_depth=4)
            return model.fit(table, labels), table, labels, None
        case "pruned":
            model = silva.TreeClassifier(prune="reduced_error", random_state=0)
            return model.fit(table, labels), table, labels, None
        case "optimal":
            return silva.OptimalTreeClassifier(max_depth=2).fit(X, y), X, y, None
        case "oblique":
            model = silva.TreeClassifier(splits=silva.ObliqueSplits(), max_depth=3)
            return model.fit(X, y), X, y, None
        case "pipeline":
            model = make_pipeline(StandardScaler(), silva.TreeClassifier(max_depth=4))
            return model.fit(X, y), X, y, None
        case "forest":
            model = silva.ForestClassifier(25, oob_score=True, random_state=0, max_depth=4)
            return model.fit(table, labels), table, labels, None
        case "forest of numbers":
            model = silva.ForestRegressor(25, random_state=0, max_depth=4)
            return model.fit(table, signal), table, signal, None
        case "boosted":
            model = silva.AdaBoostClassifier(n_estimators=6, random_state=0)
            return model.fit(X, y), X, y, None
    raise KeyError(name)


CASES = [
    *("classes", "numbers", "weights", "stops", "multiway", "pruned", "optimal", "oblique"),
    *("pipeline", "forest", "forest of numbers", "boosted"),
]
ONE_TREE = [name for name in CASES if not name.startswith(("forest", "boosted"))]


def sections(model, X=None, y=None, weights=None, **more):
    """All sections, after a trip through JSON."""
    subject = subject_of(model)
    trees = more.pop("trees", None) or [subject.tree()]
    found = evidence(model, subject, trees, X, y, sample_weight=weights, **more)
    return json.loads(json.dumps(found, allow_nan=False))


def passes(model, X):
    """Which rows pass which node of the first tree: bool (rows, nodes), by walking the tree."""
    subject = subject_of(model)
    tree, inner = subject.tree(), model
    if hasattr(model, "steps"):
        X, inner = model[:-1].transform(X), model[-1]
    inner = inner.estimators_[0] if isinstance(inner, silva.AdaBoostClassifier) else inner
    ends = inner.apply(X)
    ends = ends if ends.ndim == 1 else ends[:, 0]
    parents = [-1] * tree.n_nodes
    for node in range(tree.n_nodes):
        for child in tree.child[tree.child_start[node] : tree.child_start[node + 1]]:
            parents[child] = node
    found = np.zeros((len(ends), tree.n_nodes), dtype=bool)
    for row, end in enumerate(ends.tolist()):
        while end >= 0:
            found[row, end] = True
            end = parents[end]
    return found
