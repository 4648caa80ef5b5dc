"""Trees whose arrays were changed by `dataclasses.replace`: used or refused, and never a crash."""

from dataclasses import replace

import numpy as np
import pytest

import silva
from silva.tree.tree import same
from tests.reliability.child_process import run

FUZZ = """
import random, warnings
from dataclasses import fields, is_dataclass, replace
import numpy as np, pandas as pd
import silva
from silva.data.bind import bind_prediction
from silva.tree import route
from silva.tree.view import TreeView

warnings.simplefilter("ignore")
chance, rng = random.Random(0), np.random.default_rng(0)
frame = pd.DataFrame({
    "a": rng.normal(size=90), "b": rng.normal(size=90), "c": rng.choice([*"pqrs"], 90),
    "d": pd.Categorical(rng.choice([*"LMS"], 90), [*"LMS"], ordered=True),
})
frame.loc[::9, "a"] = np.nan
classes, numbers = rng.integers(0, 3, 90), rng.normal(size=90)
plain = frame[["b", "a"]].fillna(0.0)
MODELS = [
    silva.TreeClassifier().fit(frame, classes),
    silva.TreeRegressor(splits="multiway").fit(frame, numbers),
    silva.TreeClassifier(splits="oblique", max_depth=3).fit(plain, classes),
    silva.TreeRegressor(splits="distance", max_depth=3).fit(plain, numbers),
    silva.TreeRegressor(leaf="linear", max_depth=3).fit(plain, numbers),
    silva.TreeClassifier(leaf="laplace").fit(frame, classes),
]

def damaged(held):
    # one array of a tree, or of a table of splits or statistics in it
    named = [f.name for f in fields(held)]
    parts = [n for n in named[1:] if is_dataclass(getattr(held, n)) and n != "smoothing"]
    arrays = [n for n in named if isinstance(getattr(held, n), np.ndarray) and n != "classes"]
    if parts and chance.random() < 0.5:
        name = chance.choice(parts)
        return replace(held, **{name: damaged(getattr(held, name))})
    name = chance.choice(arrays)
    array = getattr(held, name).copy()
    if chance.random() < 0.2 or not array.size:
        array = chance.choice([array[:-1], np.concatenate([array, array]), array.astype("f4")])
    else:
        with np.errstate(all="ignore"):
            place = chance.randrange(array.size)
            odd = chance.choice([-1, -2, 0, 1, 2, 3, 5, 100, 2**30, array.flat[0]])
            array.flat[place] = np.array(odd).astype(array.dtype)
    return replace(held, **{name: array})

def uses(model, tree, X, y):
    table = bind_prediction(X, tree.schema)
    put = type(model)(leaf=model.leaf).fit(X, y)
    put.grown_tree_ = tree
    yield lambda: route.leaves(tree, table)
    yield lambda: put.predict(X)
    yield lambda: put.apply(X)
    yield lambda: silva.rules(tree)
    yield lambda: silva.explain(tree, X[:2])
    yield lambda: silva.explain(put, X[:5]).to_frame()
    yield lambda: list(TreeView(tree))
    yield lambda: silva.to_text(tree)
    yield lambda: silva.to_svg(tree)
    yield lambda: silva.importance(put, X, y)
    yield lambda: silva.edit.collapse(tree, 0, X, y)
    yield lambda: silva.inspect.evaluate(put, X, y)
    yield lambda: silva.inspect.model_info(put)
    yield lambda: silva.inspect.flips(put, X[:2])
    yield lambda: silva.bounds(put)
    yield lambda: str(tree)

refused = used = 0
for _ in range(ROUNDS):
    number = chance.randrange(len(MODELS))
    model = MODELS[number]
    X, y = frame if number in (0, 1, 5) else plain, numbers if number in (1, 3, 4) else classes
    tree = damaged(model.grown_tree_)
    for use in uses(model, tree, X, y):
        try:
            use()
            used += 1
        except silva.SilvaError:
            refused += 1
print("refused" if refused > used else "used")
"""


@pytest.mark.parametrize("rounds", [150])
def test_damaged_trees_are_used_or_refused(rounds):
    assert run(FUZZ.replace("ROUNDS", str(rounds))) == ["refused"]


def test_a_damaged_tree_does_not_replace_a_good_file(tmp_path):
    path = tmp_path / "tree.silva"
    tree = silva.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"]).grown_tree_
    silva.save(tree, path)
    with pytest.raises(silva.ModelFormatError, match=r"child\[0\]"):
        silva.save(replace(tree, child=np.full_like(tree.child, 100)), path)
    assert same(silva.load(path), tree)
