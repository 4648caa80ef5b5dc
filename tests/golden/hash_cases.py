"""The models of `model_hashes`: every criterion, policy, kind of column and size of node."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import silva
from tests.golden import hash_tables as tables

EXACT = ("gini", "error", "squared_error")
LARGE, LARGER = 36_000, 66_000
CATEGORICAL = {"categorical_features": list(range(len(tables.CATEGORIES)))}
POLICIES = ("learn", "majority", "own_branch", "stop")
NUMBERS = "numbers"


class Case(NamedTuple):
    """A model to fit. `exact`: only IEEE arithmetic decides it, so every platform agrees."""

    name: str
    model: Any
    table: tables.Sample
    target: np.ndarray
    weights: np.ndarray | None
    exact: bool


def case(
    name: str,
    model: Any,
    table: tables.Sample,
    target: int | str,
    weighted: bool = False,
    exact: bool | None = None,
) -> Case:
    """`target`: the number of classes, or which numbers."""
    weights = table.weights if weighted else None
    if exact is None:
        exact = getattr(model, "criterion", None) in EXACT
    return Case(name, model, table, target_of(table, model, target), weights, exact)


def target_of(table: tables.Sample, model: Any, target: int | str) -> np.ndarray:
    if isinstance(target, int):
        return table.classes(target)
    poisson = getattr(model, "criterion", "") == "poisson"
    return table.counts() if poisson else table.signal


def cases() -> Iterator[Case]:
    """All of them, each with a name of its own."""
    for group in (
        *(criteria, limits, missing_values, categories, large_nodes, projections, leaves),
        *(forests, odd_forests, extra_trees, baggings, boosting),
    ):
        yield from group()


def criteria() -> Iterator[Case]:
    """Each criterion on continuous and on tied columns, of both widths, weighted and not."""
    kinds = {
        "float64": tables.numbers(2500, 6, "float64"),
        "float32": tables.numbers(2500, 6, "float32"),
        "ties": tables.ties(3000, 9, "float64"),
        "ties32": tables.ties(3000, 9, "float32"),
        "small": tables.ties(40, 4, "float64", 3),
        "tiny": tables.numbers(5, 4, "float64"),
    }
    for kind, table in kinds.items():
        yield from of_criteria(f"tree {kind}", table, False)
        if kind != "float32":
            yield from of_criteria(f"tree {kind} weighted", table, True)


def of_criteria(name: str, table: tables.Sample, weighted: bool) -> Iterator[Case]:
    for criterion in ("gini", "entropy", "error", "gain_ratio"):
        for n_classes in (2, 5):
            model = silva.TreeClassifier(criterion=criterion)
            yield case(f"{name} {criterion} {n_classes}", model, table, n_classes, weighted)
    for criterion in ("squared_error", "poisson"):
        model = silva.TreeRegressor(criterion=criterion)
        yield case(f"{name} {criterion}", model, table, NUMBERS, weighted)


def limits() -> Iterator[Case]:
    """What stops growth, many classes, stumps, random thresholds, class weights."""
    table = tables.ties(3000, 9, "float64")
    choices: dict[str, dict[str, Any]] = {
        "depth 6": {"max_depth": 6},
        "best first": {"max_leaf_nodes": 40},
        "leaf 20": {"min_samples_leaf": 20},
        "leaf weight": {"min_weight_fraction_leaf": 0.01},
        "min gain": {"min_gain": 0.01},
        "pruned": {"ccp_alpha": 0.002},
        "random": {"splitter": "random", "random_state": 3},
        "sqrt": {"max_features": "sqrt", "random_state": 3},
        "breakpoints": {"thresholds": "breakpoints"},
    }
    for name, choice in choices.items():
        for n_classes in (2, 5):
            model = silva.TreeClassifier(**choice)
            yield case(f"tree {name} {n_classes}", model, table, n_classes)
        weighted = name == "leaf weight"
        yield case(f"tree {name} numbers", silva.TreeRegressor(**choice), table, NUMBERS, weighted)
    for n_classes in (20, 300):
        yield case(f"tree {n_classes}", silva.TreeClassifier(), table, n_classes)
        model = silva.TreeClassifier(criterion="entropy")
        yield case(f"tree entropy {n_classes}", model, table, n_classes)
    yield case("tree balanced 5", silva.TreeClassifier(class_weight="balanced"), table, 5)
    for n_classes in (2, 5):
        yield case(f"stump {n_classes}", silva.StumpClassifier(), table, n_classes)
    yield case("stump numbers", silva.StumpRegressor(), table, NUMBERS)


def missing_values() -> Iterator[Case]:
    for dtype in ("float64", "float32"):
        table = tables.holes(3000, 9, dtype)
        for policy in POLICIES:
            name = f"tree missing {policy} {dtype}"
            for n_classes in (2, 5):
                model = silva.TreeClassifier(missing=policy)
                yield case(f"{name} {n_classes}", model, table, n_classes)
            yield case(f"{name} numbers", silva.TreeRegressor(missing=policy), table, NUMBERS)
    for criterion in ("entropy", "error", "gain_ratio"):
        model = silva.TreeClassifier(criterion=criterion)
        yield case(f"tree missing {criterion} 5", model, tables.holes(3000, 9, "float64"), 5)
    model = silva.TreeClassifier(missing="learn")
    yield case("tree missing weighted 2", model, tables.holes(3000, 9, "float64"), 2, True)


def categories() -> Iterator[Case]:
    for share, name in ((0.0, "full"), (0.1, "holes")):
        table = tables.codes(3000, share)
        for form in ("subset", "onevsrest", "multiway"):
            for n_classes in (2, 5, 20):
                model = silva.TreeClassifier(splits=form, **CATEGORICAL)
                yield case(f"tree {form} {name} {n_classes}", model, table, n_classes)
            model = silva.TreeRegressor(splits=form, **CATEGORICAL)
            yield case(f"tree {form} {name} numbers", model, table, NUMBERS, form == "subset")
        for policy in ("own_branch", "stop"):
            model = silva.TreeClassifier(missing=policy, unseen="stop", **CATEGORICAL)
            yield case(f"tree categories {policy} {name} 5", model, table, 5)
    table = tables.codes(3000)
    for criterion in ("entropy", "error", "gain_ratio"):
        model = silva.TreeClassifier(criterion=criterion, category_gain="plain", **CATEGORICAL)
        yield case(f"tree categories {criterion} 5", model, table, 5)
    for criterion in ("gini", "gain_ratio"):
        drawn: dict[str, Any] = {"max_features": 2, "random_state": 3}
        model = silva.TreeClassifier(criterion=criterion, **drawn, **CATEGORICAL)
        yield case(f"tree drawn categories {criterion} 5", model, table, 5)


def large_nodes() -> Iterator[Case]:
    """More rows than 15 and 16 bits number."""
    for dtype in ("float64", "float32"):
        table = tables.numbers(LARGE, 4, dtype)
        for n_classes in (2, 5):
            yield case(f"tree large {dtype} {n_classes}", silva.TreeClassifier(), table, n_classes)
        yield case(f"tree large {dtype} numbers", silva.TreeRegressor(), table, NUMBERS)
    tied = tables.ties(LARGER, 4, "float32", 50)
    yield case("tree larger weighted 2", silva.TreeClassifier(max_depth=8), tied, 2, True)
    model = silva.TreeClassifier(criterion="error", max_depth=6)
    yield case("tree larger error 20", model, tied, 20)
    yield case("tree larger weighted", silva.TreeRegressor(max_depth=8), tied, NUMBERS, True)
    model = silva.TreeClassifier(criterion="entropy", max_depth=8)
    yield case("tree larger entropy 5", model, tied, 5)
    model = silva.TreeRegressor(criterion="poisson", max_depth=8)
    yield case("tree larger poisson", model, tied, NUMBERS)
    table = tables.holes(LARGE, 5, "float32", 0.02)
    for n_classes in (2, 5):
        yield case(f"tree large missing {n_classes}", silva.TreeClassifier(), table, n_classes)
    yield case("tree large missing numbers", silva.TreeRegressor(max_depth=9), table, NUMBERS)
    model = silva.TreeClassifier(max_depth=8, **CATEGORICAL)
    yield case("tree large categories 5", model, tables.codes(LARGE), 5)


def projections() -> Iterator[Case]:
    """Weighted sums call libm in their logistic regression; distances do not."""
    table = tables.numbers(700, 4, "float64")
    for words, exact in (("oblique", False), ("distance", True)):
        for n_classes in (2, 5):
            model = silva.TreeClassifier(splits=words, max_depth=4)
            yield case(f"tree {words} {n_classes}", model, table, n_classes, exact=exact)
        model = silva.TreeRegressor(splits=words, max_depth=4)
        yield case(f"tree {words} numbers", model, table, NUMBERS, exact=exact)
    metrics = ("manhattan", "cosine", "mahalanobis")
    model = silva.TreeClassifier(splits=silva.DistanceSplits(metric=metrics), max_depth=4)
    yield case("tree metrics 2", model, tables.holes(1500, 5, "float64", 0.02), 2)


def leaves() -> Iterator[Case]:
    """Models in the leaves are fitted with libm and LAPACK."""
    table = tables.numbers(2500, 6, "float64")
    for n_classes in (2, 5):
        model = silva.TreeClassifier(leaf="linear", max_leaf_nodes=6)
        yield case(f"tree logistic leaves {n_classes}", model, table, n_classes, exact=False)
    model = silva.TreeRegressor(leaf="linear", max_leaf_nodes=6)
    yield case("tree ridge leaves", model, table, NUMBERS, exact=False)
    yield case("tree laplace 5", silva.TreeClassifier(leaf="laplace"), table, 5)


def forests() -> Iterator[Case]:
    for bootstrap in (True, False, "subsample"):
        name = {True: "forest", False: "forest of all rows"}.get(bootstrap, "forest of some rows")
        more = {"max_samples": 0.5} if bootstrap == "subsample" else {}
        yield from ensembles(
            name, silva.ForestClassifier, silva.ForestRegressor, bootstrap=bootstrap, **more
        )


def extra_trees() -> Iterator[Case]:
    for bootstrap in (False, True):
        name = "extra-trees bootstrap" if bootstrap else "extra-trees"
        kinds = silva.ExtraTreesClassifier, silva.ExtraTreesRegressor
        yield from ensembles(name, *kinds, bootstrap=bootstrap)


def ensembles(name: str, classifier: Any, regressor: Any, **choices: Any) -> Iterator[Case]:
    """Numbers of classes that have finders of their own, holes, ties, both widths."""
    kinds = {
        "float64": tables.numbers(2500, 6, "float64"),
        "float32": tables.numbers(2500, 6, "float32"),
        "ties": tables.ties(3000, 9, "float32"),
        "missing": tables.holes(3000, 9, "float32"),
    }
    choices |= {"n_estimators": 5, "random_state": 1}
    for kind, table in kinds.items():
        for n_classes in (2, 5, 30):
            model = classifier(**choices)
            yield case(f"{name} {kind} {n_classes}", model, table, n_classes)
        yield case(f"{name} {kind} numbers", regressor(**choices), table, NUMBERS)
    yield case(f"{name} weighted 2", classifier(**choices), kinds["ties"], 2, True)
    yield case(f"{name} weighted", regressor(**choices), kinds["ties"], NUMBERS, True)
    table = tables.codes(2000, 0.05)
    for n_classes in (2, 5):
        model = classifier(**choices, **CATEGORICAL)
        yield case(f"{name} categories {n_classes}", model, table, n_classes)
    yield case(f"{name} categories", regressor(**choices, **CATEGORICAL), table, NUMBERS)


def odd_forests() -> Iterator[Case]:
    """Large tables, many columns, other criteria and limits, out-of-bag sums, hard votes."""
    few = {"n_estimators": 2, "random_state": 2}
    large, tied = tables.numbers(LARGE, 4, "float32"), tables.ties(LARGER, 4, "float32", 50)
    wide = tables.ties(300, 400, "float32")
    wider = tables.ties(400, 900, "float64")  # nodes copy their columns
    for n_classes in (2, 5):
        for maker, name in (
            (silva.ForestClassifier, "forest"),
            (silva.ExtraTreesClassifier, "extra-trees"),
        ):
            yield case(f"{name} large {n_classes}", maker(**few), large, n_classes)
            yield case(f"{name} larger {n_classes}", maker(max_depth=9, **few), tied, n_classes)
            yield case(f"{name} wide {n_classes}", maker(20, random_state=2), wide, n_classes)
            yield case(f"{name} wider {n_classes}", maker(8, random_state=2), wider, n_classes)
    for maker, name in (
        (silva.ForestRegressor, "forest"),
        (silva.ExtraTreesRegressor, "extra-trees"),
    ):
        yield case(f"{name} large numbers", maker(**few), large, NUMBERS)
        yield case(f"{name} wider numbers", maker(max_features="sqrt", **few), wider, NUMBERS)
        yield case(f"{name} poisson", maker(criterion="poisson", **few), wide, NUMBERS)
    table = tables.ties(3000, 9, "float64")
    choices: dict[str, dict[str, Any]] = {
        "entropy": {"criterion": "entropy"},
        "error": {"criterion": "error"},
        "best first": {"max_leaf_nodes": 30},
        "leaf 10": {"min_samples_leaf": 10},
        "all columns": {"max_features": None},
        "hard votes": {"vote": "hard", "oob_score": True, "n_estimators": 20},
        "weighted classes": {"class_weight": "balanced_subsample"},
        "pair of threads": {"n_jobs": 2},
    }
    for name, choice in choices.items():
        for n_classes in (2, 5):
            model = silva.ForestClassifier(**{"n_estimators": 4, "random_state": 0} | choice)
            yield case(f"forest {name} {n_classes}", model, table, n_classes)
    model = silva.ForestClassifier(4, missing="stop", random_state=0)
    yield case("forest stop 2", model, tables.holes(3000, 9, "float64"), 2)


def baggings() -> Iterator[Case]:
    table = tables.holes(3000, 9, "float64")
    few = {"n_estimators": 4, "max_features": 0.5, "random_state": 0}
    for n_classes in (2, 5):
        model = silva.BaggingClassifier(**few)
        yield case(f"bagging {n_classes}", model, table, n_classes, exact=True)
    yield case("bagging numbers", silva.BaggingRegressor(**few), table, NUMBERS, exact=True)


def boosting() -> Iterator[Case]:
    """The votes of the trees are logarithms."""
    tied, large = tables.ties(3000, 9, "float64"), tables.numbers(LARGE, 4, "float32")
    deeper = silva.TreeClassifier(max_depth=3)
    for n_classes in (2, 5):
        model = silva.AdaBoostClassifier(n_estimators=20)
        yield case(f"boosted stumps {n_classes}", model, tied, n_classes)
        model = silva.AdaBoostClassifier(deeper, n_estimators=10)
        yield case(f"boosted trees {n_classes}", model, tables.holes(3000, 9, "float64"), n_classes)
    yield case("boosted large 2", silva.AdaBoostClassifier(n_estimators=8), large, 2)
