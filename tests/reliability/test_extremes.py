"""Values at the ends of what is possible: right answers, finite figures, nothing lost."""

import copy
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import silva
from silva import DataWarning, StumpRegressor, TreeClassifier, TreeRegressor
from silva.tree.tree import same

COLUMN = np.arange(6.0)[:, None]
SHAPE = np.array([0.0, 1.0, 0.0, 1.0, -1.0, 0.5])
CLASSES = np.array([0, 1, 0, 1, 1, 0])


@pytest.fixture(autouse=True)
def _no_numerical_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e-12, 1e150, 1e200, 9e288])
def test_targets_of_any_size(scale, tmp_path):
    target = SHAPE * scale
    model = TreeRegressor().fit(COLUMN, target, X_val=COLUMN, y_val=target / 2)
    assert np.array_equal(model.predict(COLUMN), target)
    assert model.summary_.train.tree == 0.0
    assert model.summary_.train.baseline >= model.summary_.train.tree
    assert not math.isnan(model.summary_.held_out.tree)
    assert np.isfinite(model.feature_importances_).all()
    path = model.cost_complexity_pruning_path(COLUMN, target)
    assert not np.isnan(path.impurities).any()
    silva.save(model, tmp_path / "model.silva")
    loaded = silva.load(tmp_path / "model.silva")
    assert loaded.summary_ == model.summary_
    assert np.array_equal(loaded.predict(COLUMN), target)
    assert silva.to_text(loaded) == silva.to_text(model)


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e200, 9e288])
def test_counts_of_any_size(scale):
    counts = np.abs(SHAPE) * scale
    model = TreeRegressor(criterion="poisson").fit(COLUMN, counts)
    assert ((model.predict(COLUMN) >= 0) & (model.predict(COLUMN) <= counts.max())).all()
    path = model.cost_complexity_pruning_path(COLUMN, counts)
    assert np.isfinite(path.impurities).all()
    assert (np.diff(path.impurities) >= 0).all()


def test_a_large_offset_loses_nothing():
    column = np.arange(200.0)[:, None]
    target = 1e9 + 1e-3 * np.random.default_rng(0).normal(size=200)
    model = TreeRegressor().fit(column, target)
    assert np.array_equal(model.predict(column), target)
    step = 1e9 + 1e-3 * (column[:, 0] >= 77)
    assert StumpRegressor().fit(column, step).grown_tree_.thresholds.threshold.tolist() == [76.5]


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 2.0**-50, 2.0**50, 1e300])
@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
def test_weights_of_any_size_are_as_good_as_ones(scale, kind):
    held_out = {"X_val": COLUMN, "y_val": CLASSES[::-1]}
    plain = kind(max_depth=2).fit(COLUMN, CLASSES, **held_out)
    weights = np.full(6, scale)
    scaled = kind(max_depth=2).fit(
        COLUMN, CLASSES, sample_weight=weights, sample_weight_val=weights, **held_out
    )
    assert np.array_equal(scaled.apply(COLUMN), plain.apply(COLUMN))
    assert np.array_equal(scaled.predict(COLUMN), plain.predict(COLUMN))
    assert np.array_equal(scaled.feature_importances_, plain.feature_importances_)
    for part in ("train", "held_out"):
        figures, wanted = (getattr(model.summary_, part) for model in (scaled, plain))
        assert (figures.tree, figures.baseline) == pytest.approx((wanted.tree, wanted.baseline))


def test_weights_of_both_sizes_at_once():
    weights = [1e-300, 1e300, 1.0, 1.0, 1.0, 1.0]
    for kind in (TreeClassifier, TreeRegressor):
        model = kind().fit(COLUMN, CLASSES, weights)
        assert np.array_equal(model.predict(COLUMN), CLASSES)


def test_columns_at_the_ends_of_float64():
    values = np.array([-np.inf, -1.7e308, -1.0, -5e-324, 0.0, 5e-324, 1.0, np.nextafter(1.0, 2.0)])
    values = np.append(values, [1.7e308, np.inf])[:, None]
    model = TreeClassifier().fit(values, np.arange(10))
    assert model.predict(values).tolist() == list(range(10))
    assert model.predict([[-0.0]]).tolist() == [4]


@pytest.mark.parametrize(
    "choice",
    [
        {"max_depth": 10**18},
        {"max_depth": 10**30},
        {"max_leaf_nodes": 10**30},
        {"max_depth": 10**30, "max_leaf_nodes": 2**63},
        {"max_features": 10**30},
        {"n_jobs": 10**30},
        {"n_jobs": -(10**30)},
    ],
)
def test_absurdly_large_limits_limit_nothing(choice):
    model = TreeClassifier(**choice).fit(COLUMN, CLASSES)
    assert np.array_equal(model.predict(COLUMN), CLASSES)


@pytest.mark.parametrize("name", ["min_samples_split", "min_samples_leaf"])
@pytest.mark.parametrize("value", [7, 10**9, 2**62, 2**63, 10**30])
def test_absurdly_large_minima_leave_one_leaf(name, value):
    assert TreeClassifier(**{name: value}).fit(COLUMN, CLASSES).get_n_leaves() == 1


def test_limits_hold_together_however_they_contradict_each_other():
    model = TreeClassifier(max_depth=1, max_leaf_nodes=100).fit(COLUMN, CLASSES)
    assert model.get_n_leaves() == 2
    model = TreeClassifier(min_samples_split=2, min_samples_leaf=3).fit(COLUMN, CLASSES)
    assert (np.bincount(model.apply(COLUMN))[model.grown_tree_.is_leaf] >= 3).all()
    model = TreeClassifier(min_gain=10.0, min_samples_leaf=1).fit(COLUMN, CLASSES)
    assert model.get_n_leaves() == 1


@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
@pytest.mark.parametrize("data", [[[1.0]], [[np.nan]], [[None]], [["only"]]])
def test_one_row(kind, data):
    model = kind().fit(data, [3])
    assert model.predict(data).tolist() == [3]
    assert str(model.summary_).startswith("1 leaf, depth 0;")
    assert model.feature_importances_.tolist() == [0.0]
    assert model.feature_importances_.dtype == np.float64


@pytest.mark.parametrize("weights", [[0, 0, 1, 0, 0, 0], [0, 0, 0.25, 0, 0, 0]])
def test_one_row_that_has_a_weight(weights):
    model = TreeClassifier().fit(COLUMN, CLASSES, weights)
    assert model.classes_.tolist() == [0, 1]
    assert model.predict_proba(COLUMN).tolist() == [[1.0, 0.0]] * 6


@pytest.mark.parametrize("missing", [np.full(6, np.nan), [None] * 6, ["same"] * 6, np.ones(6)])
def test_a_column_that_says_nothing_changes_nothing(missing):
    alone = TreeClassifier().fit(pd.DataFrame({"a": COLUMN[:, 0]}), CLASSES)
    frame = pd.DataFrame({"a": COLUMN[:, 0], "b": missing})
    model = TreeClassifier().fit(frame, CLASSES)
    assert (
        silva.to_text(model, ascii_only=True).splitlines()[:-2]
        == (silva.to_text(alone, ascii_only=True).splitlines()[:-2])
    )
    assert model.feature_importances_.tolist() == [1.0, 0.0]
    assert np.array_equal(model.predict(frame.assign(b=missing)), CLASSES)


@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
def test_a_table_without_a_known_value(kind):
    for data in (np.full((6, 2), np.nan), [[None, None]] * 6):
        model = kind().fit(data, CLASSES)
        assert model.get_n_leaves() == 1
        assert len(model.predict(COLUMN @ np.ones((1, 2)))) == 6


def test_no_rows_at_predict():
    model = TreeClassifier().fit(COLUMN, CLASSES)
    regression = TreeRegressor().fit(COLUMN, CLASSES)
    for none in (COLUMN[:0], COLUMN[:0].astype(int), sparse.csr_array((0, 1))):
        assert model.predict(none).dtype == model.classes_.dtype
        assert model.predict_proba(none).shape == (0, 2)
        assert model.apply(none).shape == (0,)
        assert model.decision_path(none).shape == (0, model.grown_tree_.n_nodes)
        assert regression.predict(none).dtype == np.float64


CHAIN = 3_000


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        (TreeClassifier, np.arange(CHAIN) % 2),
        (TreeRegressor, (-1.0) ** np.arange(CHAIN) * np.arange(CHAIN)),
    ],
)
def test_a_chain_of_thousands_of_levels(kind, target, tmp_path):
    """Nothing recurses: far more levels than Python's stack would take."""
    column = np.arange(float(CHAIN))[:, None]
    model = kind().fit(column, target)
    assert model.get_depth() > 2_500
    assert np.array_equal(model.predict(column), target)
    assert model.decision_path(column[-1:]).nnz <= model.get_depth() + 1
    assert len(str(model.grown_tree_).splitlines()) < 300
    assert len(silva.to_text(model).splitlines()) == model.grown_tree_.n_nodes + 3
    silva.save(model, tmp_path / "model.silva")
    for twin in (
        silva.load(tmp_path / "model.silva"),
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
    ):
        assert same(twin.grown_tree_, model.grown_tree_)
        assert np.array_equal(twin.predict(column), target)
    alphas = model.cost_complexity_pruning_path(column, target).ccp_alphas
    assert kind(ccp_alpha=alphas[-1]).fit(column, target).get_n_leaves() == 1
    assert kind(max_leaf_nodes=2_500).fit(column, target).get_n_leaves() == 2_500
    assert len(model.tree_.impurity) == len(model.tree_.children_left) == 2 * CHAIN - 1


def test_powers_of_two_on_a_sorted_column():
    """Each target outweighs all before it; 2,000 of them span nearly all of float64."""
    column = np.arange(2_000.0)[:, None]
    target = np.ldexp(1.0, np.arange(2_000) - 1_060)
    model = TreeRegressor().fit(column, target)
    guesses = model.predict(column)
    assert np.array_equal(guesses[-30:], target[-30:])
    assert (guesses <= target.max()).all()
    assert (guesses >= target.min()).all()


def test_as_many_classes_as_rows(tmp_path):
    rng = np.random.default_rng(0)
    table, target = rng.normal(size=(5_000, 3)), rng.permutation(5_000)
    for criterion in ("gini", "entropy", "error"):
        model = TreeClassifier(criterion=criterion, max_leaf_nodes=50).fit(table, target)
        assert model.get_n_leaves() == 50
        assert model.predict_proba(table[:3]).shape == (3, 5_000)
        assert model.predict_proba(table[:3]).sum(axis=1) == pytest.approx(1.0)
    full = TreeClassifier().fit(table, target)
    assert np.array_equal(full.predict(table), target)
    silva.save(full, tmp_path / "model.silva")
    assert same(silva.load(tmp_path / "model.silva").grown_tree_, full.grown_tree_)


def test_labels_that_are_hard_to_write(tmp_path):
    labels = ["😀", "a\0b", "", "x\ny", "é", "e\u0301"]
    model = TreeClassifier().fit(COLUMN, labels)
    silva.save(model, tmp_path / "model.silva")
    for one in (model, silva.load(tmp_path / "model.silva"), pickle.loads(pickle.dumps(model))):
        assert one.predict(COLUMN).tolist() == labels
    assert len(str(model.grown_tree_).splitlines()) == model.grown_tree_.n_nodes + 3


@pytest.mark.parametrize("zeros", [[-0.0, 0.0], [0.0, -0.0]])
def test_minus_zero_is_the_class_zero(zeros):
    classes = TreeClassifier().fit(COLUMN[:4], [*zeros, 1.0, 1.0]).classes_
    assert [math.copysign(1.0, label) for label in classes] == [1.0, 1.0]
    assert classes.tolist() == [0.0, 1.0]


def test_a_hundred_thousand_levels(tmp_path):
    rng = np.random.default_rng(0)
    levels = [f"level {i}" for i in range(100_000)]
    codes = rng.integers(0, 100_000, 150_000)
    frame = pd.DataFrame({"level": pd.Categorical.from_codes(codes, levels)})
    target = codes == codes[0]
    with pytest.warns(DataWarning, match="identifiers: 'level' .77,696 different values"):
        model = TreeClassifier().fit(frame, target)
    assert model.get_n_leaves() == 2
    assert model.score(frame, target) == 1.0
    assert f"level = {levels[codes[0]]}" in str(model.grown_tree_)
    text = frame[:1000].assign(level=frame["level"][:1000].astype(str))
    assert np.array_equal(model.predict(text), target[:1000])
    assert model.predict(pd.DataFrame({"level": ["another", None]})).tolist() == [False, False]
    silva.save(model, tmp_path / "model.silva")
    assert same(silva.load(tmp_path / "model.silva").grown_tree_, model.grown_tree_)


def test_categories_are_matched_by_value_whatever_their_order():
    frame = pd.DataFrame({"c": pd.Categorical(list("xyzxyz"))})
    model = TreeClassifier().fit(frame, [0, 1, 0, 0, 1, 0])
    for categories in (list("zyx"), list("qzyx"), list("yxzq")):
        other = pd.DataFrame({"c": pd.Categorical(list("xyz"), categories=categories)})
        assert model.predict(other).tolist() == [0, 1, 0]
    assert model.predict(np.array([["z"], ["y"], ["x"]], object)).tolist() == [0, 1, 0]
    assert model.predict([["new"], [None]]).tolist() == [0, 0]


def laid_out(table):
    """The same numbers in memory of every sort."""
    read_only = table.copy()
    read_only.setflags(write=False)
    wide = np.zeros((2 * len(table), 2 * table.shape[1]))
    wide[::2, ::2] = table
    shifted = np.empty(table.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(table.shape)
    shifted[:] = table
    return {
        "read-only": read_only,
        "Fortran order": np.asfortranarray(table),
        "reversed": table[::-1, ::-1].copy()[::-1, ::-1],
        "strided": wide[::2, ::2],
        "not aligned": shifted,
        "big-endian": table.astype(">f8"),
        "little-endian": table.astype("<f8"),
        "half precision": table.astype(np.float16),
        "long double": table.astype(np.longdouble),
        "objects": table.astype(object),
        "a matrix with zeros left out": sparse.csc_array(table),
        "rows": table.tolist(),
    }


TABLE = np.random.default_rng(0).integers(-8, 8, (60, 3)) / 4.0
LAID_OUT = laid_out(TABLE)


@pytest.mark.parametrize("name", LAID_OUT)
def test_memory_of_every_sort(name):
    target = np.random.default_rng(1).integers(0, 3, 60)
    plain = TreeClassifier().fit(TABLE, target)
    other = TreeClassifier().fit(LAID_OUT[name], target)
    assert same(other.grown_tree_, plain.grown_tree_)
    assert np.array_equal(plain.apply(LAID_OUT[name]), plain.apply(TABLE))


def test_memory_mapped_files(tmp_path):
    np.save(tmp_path / "table.npy", TABLE)
    target = np.random.default_rng(1).normal(size=60)
    mapped = np.load(tmp_path / "table.npy", mmap_mode="r")
    model = TreeRegressor().fit(mapped, target)
    assert same(model.grown_tree_, TreeRegressor().fit(TABLE, target).grown_tree_)
    assert np.array_equal(model.predict(mapped), model.predict(TABLE))


def test_targets_and_weights_in_memory_of_every_sort():
    target, weights = np.arange(60.0) % 7, np.arange(60.0) % 3
    wanted = TreeRegressor().fit(TABLE, target, weights).grown_tree_
    for change in (
        lambda values: values[::-1].copy()[::-1],
        lambda values: np.repeat(values, 2)[::2],
        lambda values: values.astype(">f4"),
        lambda values: values.astype(object),
        lambda values: np.broadcast_to(values[:, None], (60, 1))[:, 0],
        list,
    ):
        assert same(TreeRegressor().fit(TABLE, change(target), change(weights)).grown_tree_, wanted)
