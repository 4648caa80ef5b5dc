"""Laws that hold for every table: what may change, what must not, to the last bit."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle_compare import describe_arrays
from tests.oracle_units import CATEGORICAL, CONTINUOUS, Rules
from tests.properties.cases import Case, same_bytes
from tests.properties.random_cases import CLASS_CRITERIA, random_case
from tests.properties.strategies import classes, numbers, problems

some = settings(max_examples=60)
permutations = st.randoms(use_true_random=False)


def no_weights(n_rows: int) -> st.SearchStrategy:
    return st.none()


def small_weights(n_rows: int) -> st.SearchStrategy:
    """Integers of which one is odd, so that the unit is one."""
    return st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows).map(
        lambda weights: np.array([1, *weights[1:]], dtype=np.float64)
    )


@some
@given(problems(weights=small_weights, plain=True))
def test_weight_k_equals_k_copies(case: Case):
    copies = np.repeat(np.arange(case.n_rows), case.weights.astype(int))
    copied = replace(case.take(copies), weights=None)
    assert same_bytes(case.by_core(), copied.by_core(), ignore=("leaf_rows",))


@some
@given(problems())
def test_a_row_of_weight_zero_is_absent(case: Case):
    weights = np.ones(case.n_rows) if case.weights is None else case.weights.copy()
    weights[1::2] = 0.0
    weights[0] = 1.0
    case = replace(case, weights=weights)
    assert same_bytes(case.by_core(), case.take(weights > 0).by_core())


@some
@given(problems(), st.integers(-30, 30))
def test_weights_times_a_power_of_two_give_the_same_tree(case: Case, power: int):
    weights = np.ones(case.n_rows) if case.weights is None else case.weights
    weights = np.where(weights > 0, np.clip(weights, 1e-9, 1e9), 0.0)
    case = replace(case, weights=weights)
    scaled = replace(case, weights=np.ldexp(weights, power))
    one, other = case.by_core(), scaled.by_core()
    assert same_bytes(one, other, ignore=("weight_unit",))
    assert other["weight_unit"] == np.ldexp(one["weight_unit"], power)


@given(problems(), permutations)
def test_permuted_rows_give_the_same_bytes(case: Case, random):
    order = list(range(case.n_rows))
    random.shuffle(order)
    assert same_bytes(case.by_core(), case.take(np.array(order)).by_core())


@some
@given(problems())
def test_threads_give_the_same_bytes(case: Case):
    alone = case.by_core(threads=1)
    assert all(same_bytes(alone, case.by_core(threads=threads)) for threads in (2, 3, 7))


@some
@given(problems(), st.integers(1, 5))
def test_an_increasing_map_of_a_column_keeps_the_partition(case: Case, step: int):
    mapped = replace(case, columns=[ranked(*pair, step) for pair in columns_with_kinds(case)])
    one, other = case.by_core(), mapped.by_core()
    assert same_bytes(one, other, ignore=("threshold_value",))
    assert np.array_equal(case.routed(one)[case.kept], mapped.routed(other)[case.kept])


def columns_with_kinds(case: Case) -> list[tuple[np.ndarray, int]]:
    return list(zip(case.columns, case.kinds, strict=True))


def ranked(values: np.ndarray, kind: int, step: int) -> np.ndarray:
    """Continuous values replaced by an increasing function of their rank."""
    if kind != CONTINUOUS:
        return values
    known = ~np.isnan(values)
    result = np.full(len(values), np.nan)
    ranks = np.unique(values[known], return_inverse=True)[1]
    result[known] = ranks.astype(float) * step + ranks**2 - 7
    return result


@pytest.mark.parametrize("power", [-300, -1, 1, 40, 300])
def test_a_column_times_a_power_of_two_scales_its_thresholds(power: int):
    rng = np.random.default_rng(power % 97)
    for _ in range(20):
        case = random_case(rng)
        values = rng.normal(size=(2, case.n_rows))
        case = with_columns(case, list(values))
        scaled = replace(case, columns=[np.ldexp(values[0], power), values[1]])
        one, other = case.by_core(), scaled.by_core()
        assert same_bytes(one, other, ignore=("threshold_value",))
        expected = np.ldexp(
            one["threshold_value"], np.where(one["threshold_column"] == 0, power, 0)
        )
        assert np.array_equal(other["threshold_value"], expected)


def with_columns(case: Case, columns: list[np.ndarray]) -> Case:
    n_columns = len(columns)
    return replace(case, columns=columns, kinds=[CONTINUOUS] * n_columns, n_levels=[0] * n_columns)


def regression_cases(seed: int, n_cases: int):
    """Random tables of at least two rows, with tame targets and weights and without limits."""
    rng = np.random.default_rng(seed)
    while n_cases:
        case = random_case(rng)
        is_tame = case.weights is None or case.weights.max() < 1e6
        if is_tame and case.kept.sum() > 1:
            n_cases -= 1
            target = rng.normal(size=case.n_rows)
            yield replace(case, target=target, n_classes=0, rules=Rules("squared_error"))


@pytest.mark.parametrize("power", [-200, -3, 1, 200])
def test_targets_times_a_power_of_two_give_the_same_splits(power: int):
    scaled_names = ("gain", "moment_value", "center", "target_unit")
    for case in regression_cases(seed=1, n_cases=40):
        one = case.by_core()
        other = replace(case, target=np.ldexp(case.target, power)).by_core()
        assert same_bytes(one, other, ignore=scaled_names)
        assert np.array_equal(other["gain"], np.ldexp(one["gain"], 2 * power))
        for name in scaled_names[1:]:
            assert np.array_equal(other[name], np.ldexp(one[name], power))


def test_negated_targets_give_the_same_splits():
    mirrored = ("moment_value", "moment_sum", "center")
    for case in regression_cases(seed=2, n_cases=100):
        one, other = case.by_core(), replace(case, target=-case.target).by_core()
        assert same_bytes(one, other, ignore=mirrored)
        assert np.array_equal(one["moment_value"], -other["moment_value"])


def test_shifted_targets_give_the_same_splits():
    for case in regression_cases(seed=3, n_cases=100):
        case = replace(case, target=np.rint(case.target * 4))
        one, other = case.by_core(), replace(case, target=case.target + 2.0**30).by_core()
        assert same_bytes(one, other, ignore=("moment_value", "center"))
        assert np.allclose(one["moment_value"], other["moment_value"] - 2.0**30, atol=1e-6)


@some
@given(problems(target=classes, weights=no_weights), permutations)
def test_renamed_classes_give_the_same_tree(case: Case, random):
    """Not for entropy, whose terms are not whole numbers: their order moves the last bit."""
    names = list(range(case.n_classes))
    random.shuffle(names)
    renamed = replace(case, target=np.array(names, dtype=np.int32)[case.target])
    for criterion in ("gini", "error"):
        one = describe_arrays(case.with_rules(criterion=criterion).by_core())
        other = describe_arrays(renamed.with_rules(criterion=criterion).by_core())
        for record in one.values():
            if "classes" in record:
                record["classes"] = {names[code]: w for code, w in record["classes"].items()}
        assert one == other


@some
@given(problems(target=classes), st.sampled_from((2, 100, 20_000)))
def test_classes_that_never_occur_change_nothing(case: Case, step: int):
    sparse = replace(case, target=case.target * np.int32(step), n_classes=case.n_classes * step)
    one, other = case.by_core(), sparse.by_core()
    assert same_bytes(one, other, ignore=("class_code",))
    assert np.array_equal(one["class_code"] * step, other["class_code"])


@some
@given(problems(), st.sampled_from((0.0, 1.5, np.inf, np.nan)))
def test_a_column_of_one_value_changes_nothing(case: Case, value: float):
    added = np.full(case.n_rows, value)
    last = replace(
        case,
        columns=[*case.columns, added],
        kinds=[*case.kinds, CONTINUOUS],
        n_levels=[*case.n_levels, 0],
    )
    first = replace(
        case,
        columns=[added, *case.columns],
        kinds=[CONTINUOUS, *case.kinds],
        n_levels=[0, *case.n_levels],
    )
    alone, moved = case.by_core(), first.by_core()
    assert same_bytes(alone, last.by_core())
    assert same_bytes(alone, moved, ignore=("threshold_column", "subset_column"))
    for name in ("threshold_column", "subset_column"):
        assert np.array_equal(alone[name] + 1, moved[name])


@some
@given(problems())
def test_of_two_equal_columns_the_first_wins(case: Case):
    twice = replace(
        case,
        columns=case.columns + [column.copy() for column in case.columns],
        kinds=case.kinds * 2,
        n_levels=case.n_levels * 2,
    )
    assert same_bytes(case.by_core(), twice.by_core())


@some
@given(problems())
def test_a_level_that_never_occurs_changes_nothing(case: Case):
    wider = [n + (kind == CATEGORICAL) for n, kind in zip(case.n_levels, case.kinds, strict=True)]
    assert same_bytes(case.by_core(), replace(case, n_levels=wider).by_core())


def test_memory_layout_and_number_type_do_not_matter():
    rng = np.random.default_rng(11)
    for _ in range(40):
        case = random_case(rng)
        values = rng.integers(-60, 60, size=(case.n_rows, 3))
        layouts = [
            values.astype(np.float64),
            np.asfortranarray(values.astype(np.float64)),
            values.astype(np.float64)[::-1].copy()[::-1],
            np.repeat(values, 3, axis=0)[::3],
            *(values.astype(dtype) for dtype in ("f4", "i1", "i2", "i4", "i8")),
        ]
        for layout in layouts:
            layout.flags.writeable = False
        grown = [with_columns(case, list(layout.T)).by_core() for layout in layouts]
        assert all(same_bytes(grown[0], other) for other in grown[1:])


def test_single_precision_is_taken_as_its_exact_double():
    rng = np.random.default_rng(12)
    for _ in range(40):
        case = random_case(rng)
        singles = rng.normal(size=(3, case.n_rows)).astype(np.float32)
        doubles = singles.astype(np.float64)
        one, other = with_columns(case, list(singles)), with_columns(case, list(doubles))
        assert same_bytes(one.by_core(), other.by_core())


@some
@given(problems(plain=True))
def test_a_deeper_tree_refines_a_shallower_one(case: Case):
    shallow = describe_arrays(case.with_rules(max_depth=2).by_core())
    deep = describe_arrays(case.with_rules(max_depth=3).by_core())
    inner = {path: record for path, record in shallow.items() if record["split"]}
    assert all(deep[path] == record for path, record in inner.items())
    assert total_loss(case, deep) <= total_loss(case, shallow) * (1 + 1e-12)


@some
@given(problems(target=classes))
def test_one_leaf_more_refines_the_best_first_tree(case: Case):
    before = describe_arrays(case.with_rules(max_leaf_nodes=3).by_core())
    after = describe_arrays(case.with_rules(max_leaf_nodes=4).by_core())
    inner = {path: record for path, record in before.items() if record["split"]}
    assert all(after[path] == record for path, record in inner.items())
    assert len(after) - len(before) in (0, 2)
    assert total_loss(case, after) <= total_loss(case, before) * (1 + 1e-12)


def total_loss(case: Case, records: dict) -> float:
    """Weighted Gini impurity, error or squared error of the leaves, in units."""
    leaves = [record for record in records.values() if not record["split"]]
    if case.n_classes == 0:
        moments = [record["moments"] for record in leaves]
        return sum(squares - total * total / weight for weight, total, squares in moments)
    loss = error_loss if case.rules.criterion == "error" else gini_loss
    return sum(loss(list(record["classes"].values())) for record in leaves)


def gini_loss(weights: list[int]) -> float:
    return sum(weights) - sum(weight**2 for weight in weights) / sum(weights)


def error_loss(weights: list[int]) -> float:
    return sum(weights) - max(weights)


@given(problems())
def test_every_row_routes_to_the_leaf_that_counted_it(case: Case):
    arrays = case.by_core()
    node_of_row = case.routed(arrays)
    leaf_of_node = np.cumsum(arrays["split_kind"] == 0) - 1
    assert np.all(arrays["split_kind"][node_of_row] == 0)
    rows = np.bincount(leaf_of_node[node_of_row[case.kept]], minlength=len(arrays["leaf_rows"]))
    assert np.array_equal(rows, arrays["leaf_rows"])
    for threads in (2, 3, 7):
        assert np.array_equal(node_of_row, case.routed(arrays, threads))


@given(problems(target=numbers))
def test_predicted_numbers_stay_inside_the_range_of_the_target(case: Case):
    kept = case.target[case.kept]
    value = case.by_core()["moment_value"]
    assert kept.min() <= value.min()
    assert value.max() <= kept.max()


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
def test_growing_twice_gives_the_same_bytes(criterion: str):
    rng = np.random.default_rng(4)
    for _ in range(20):
        case = random_case(rng)
        if case.n_classes:
            case = case.with_rules(criterion=criterion)
            assert same_bytes(case.by_core(), case.by_core())
