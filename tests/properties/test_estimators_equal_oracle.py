"""What the estimators grow is the oracle's tree, so nothing is lost between them and the core."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from silva import TreeClassifier, TreeRegressor
from silva.data.large import LARGEST_TARGET
from tests.oracle_compare import arrays_of_tree, assert_same_tree
from tests.oracle_policies import POLICIES, Ask
from tests.oracle_units import CATEGORICAL, CONTINUOUS, ORDINAL, Rules
from tests.oracle_walk import check_tree
from tests.properties.cases import Case
from tests.properties.random_cases import CATEGORY_GAINS, random_case


def fitted(case: Case, table) -> TreeClassifier | TreeRegressor:
    rules = {name: value for name, value in vars(case.rules).items() if value}
    model = TreeClassifier if case.n_classes else TreeRegressor
    grower = model(**rules, splits="onevsrest")
    return grower.fit(table, case.target, sample_weight=case.weights)


def estimator_case(rng: np.random.Generator) -> Case:
    """A random case whose classes all occur and whose rules the estimators accept."""
    case = random_case(rng)
    if case.weights is not None and not case.weights.all():
        case = replace(case, weights=None)
    if case.n_classes:
        classes, target = np.unique(case.target, return_inverse=True)
        case = replace(case, target=target.astype(np.int32), n_classes=len(classes))
    elif not case.target.any():
        case = case.with_rules(criterion="squared_error")
    elif np.abs(case.target).max() > LARGEST_TARGET:
        case = replace(case, target=case.target / 2.0**40)
    limit = case.rules.max_leaf_nodes
    return case.with_rules(max_leaf_nodes=limit if limit > 1 else 0)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_numpy_tables(dtype: str):
    for number in range(60):
        rng = np.random.default_rng([number, 31])
        case = estimator_case(rng)
        table = (rng.normal(size=(case.n_rows, 3)) * 10).astype(dtype)
        case = replace(case, columns=list(table.T), kinds=[CONTINUOUS] * 3, n_levels=[0] * 3)
        model = fitted(case, table)
        assert_same_tree(case.by_oracle(), arrays_of_tree(model.grown_tree_))


def test_frames_with_missing_values_and_categories():
    for number in range(60):
        rng = np.random.default_rng([number, 32])
        case = estimator_case(rng)
        numbers = np.where(rng.random(case.n_rows) < 0.2, np.nan, rng.normal(size=case.n_rows))
        codes = rng.integers(-1, 4, case.n_rows).astype(np.int32)
        words = pd.Categorical.from_codes(codes, categories=["south", "east", "north", "west"])
        codes, n_levels = sorted_codes(words)
        kinds = [CONTINUOUS, CATEGORICAL]
        case = replace(case, columns=[numbers, codes], kinds=kinds, n_levels=[0, n_levels])
        model = fitted(case, pd.DataFrame({"number": numbers, "word": words}))
        assert_same_tree(case.by_oracle(), arrays_of_tree(model.grown_tree_))


def test_predictions_are_those_of_the_oracle_s_leaves():
    rng = np.random.default_rng(33)
    table = rng.normal(size=(120, 3))
    target = np.rint(table[:, 0] * 3 + rng.normal(size=120))
    columns, kinds = list(table.T), [CONTINUOUS] * 3
    case = Case(columns, kinds, [0] * 3, target, 0, None, Rules("squared_error", max_depth=4))
    predicted = fitted(case, table).predict(table)
    stack = [case.by_oracle().root]
    while stack:
        node = stack.pop()
        stack += node.children
        if not node.children:
            assert np.all(predicted[node.rows] == np.mean(target[node.rows]))


def chosen(rng: np.random.Generator, kind: int, has_missing: bool) -> Ask:
    """Any form and policies that the estimators accept for such a column."""
    forms = {CONTINUOUS: ("threshold",), ORDINAL: ("threshold",)}
    policies = ("learn", "majority", "own_branch", "stop", *(() if has_missing else ("error",)))
    form = str(rng.choice(forms.get(kind, ("subset", "onevsrest", "multiway"))))
    return Ask(form, str(rng.choice(policies)), str(rng.choice(POLICIES)))


def sorted_codes(words: pd.Categorical) -> tuple[np.ndarray, int]:
    """Codes into the levels that occur, sorted, and how many they are."""
    codes, levels = pd.factorize(np.asarray(words, dtype=object), sort=True)
    return codes.astype(np.int32), len(levels)


def mixed_frame(
    rng: np.random.Generator, n_rows: int
) -> tuple[pd.DataFrame, list[np.ndarray], list[int]]:
    """A number, an ordered size and two words, with missing values in the first and the third.

    The columns as the core sees them, and the numbers of their levels.
    """
    number = np.where(rng.random(n_rows) < 0.2, np.nan, np.rint(rng.normal(size=n_rows) * 3))
    size, place, shade = (rng.integers(low, 4, n_rows).astype(np.int32) for low in (0, -1, 0))
    sizes = pd.Categorical.from_codes(size, categories=["S", "M", "L", "XL"], ordered=True)
    places = pd.Categorical.from_codes(place, categories=["north", "east", "south", "west"])
    shades = pd.Categorical.from_codes(shade, categories=["dark", "pale", "plain", "bright"])
    frame = pd.DataFrame({"number": number, "size": sizes, "place": places, "shade": shades})
    (place, n_places), (shade, n_shades) = sorted_codes(places), sorted_codes(shades)
    return frame, [number, size, place, shade], [0, 4, n_places, n_shades]


def test_forms_and_policies_reach_the_core():
    """Choices by column name, as a user writes them; the tree is judged by the walk."""
    for number in range(80):
        rng = np.random.default_rng([number, 34])
        case = estimator_case(rng)
        frame, columns, n_levels = mixed_frame(rng, case.n_rows)
        kinds = [CONTINUOUS, ORDINAL, CATEGORICAL, CATEGORICAL]
        asks = [
            chosen(rng, kind, has_missing)
            for kind, has_missing in zip(kinds, (True, False, True, False), strict=True)
        ]
        case = replace(case, columns=columns, kinds=kinds, n_levels=n_levels, asks=asks)
        category_gain = CATEGORY_GAINS[number % 2]
        case = case.with_rules(breakpoints=number % 4 == 0, category_gain=category_gain)
        if case.n_classes and number % 3 == 0:
            case = case.with_rules(criterion="gain_ratio")
        tree = fitted_by_name(case, frame).grown_tree_
        check_tree(case.bound(), arrays_of_tree(tree))


def fitted_by_name(case: Case, frame: pd.DataFrame) -> TreeClassifier | TreeRegressor:
    rules = {name: value for name, value in vars(case.rules).items() if value}
    rules["thresholds"] = "breakpoints" if rules.pop("breakpoints", False) else "all"
    names = list(frame.columns)
    splits = {name: ask.form for name, ask in zip(names, case.all_asks, strict=True)}
    missing = {name: ask.missing for name, ask in zip(names, case.all_asks, strict=True)}
    unseen = {name: ask.unseen for name, ask in zip(names, case.all_asks, strict=True)}
    model = TreeClassifier if case.n_classes else TreeRegressor
    grower = model(**rules, splits=splits, missing=missing, unseen=unseen)
    return grower.fit(frame, case.target, sample_weight=case.weights)


def test_the_default_is_the_best_subset_by_fair_gains():
    rng = np.random.default_rng(35)
    frame, columns, n_levels = mixed_frame(rng, 200)
    target = rng.integers(0, 3, 200).astype(np.int32)
    kinds = [CONTINUOUS, ORDINAL, CATEGORICAL, CATEGORICAL]
    asks = [Ask("threshold" if kind != CATEGORICAL else "subset") for kind in kinds]
    rules = Rules(category_gain="fair")
    case = Case(columns, kinds, n_levels, target, 3, None, rules, asks)
    model = TreeClassifier().fit(frame, target)
    check_tree(case.bound(), arrays_of_tree(model.grown_tree_))
