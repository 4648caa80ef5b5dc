"""What the parameters and attributes of the forests mean, told once for all of them."""

import inspect
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)

PARAMETERS = {
    "n_estimators": """int
        How many trees. Tree i is the same however many follow.""",
    "estimator": """silva tree estimator or None
        The tree to grow many times, such as TreeClassifier(max_depth=3); its own `random_state`
        and `n_jobs` are not used. None: a full tree.""",
    "criterion": """str
        What a split must decrease: "gini", "entropy" ("log_loss"), "error" or "gain_ratio" for
        classes, "squared_error" or "poisson" for numbers.""",
    "splitter": """{"best", "random"}
        `best` tries every threshold of a column, `random` one drawn at random.""",
    "max_depth": """int or None
        The longest path from the root, in splits. None: until leaves are pure or too small.""",
    "min_samples_split": """int or float
        A node with fewer different rows stays a leaf; a float is a fraction of those that the tree
        sees.""",
    "min_samples_leaf": """int or float
        Both sides of a split have at least this many different rows, or this fraction of them.""",
    "min_weight_fraction_leaf": """float
        Both sides of a split have at least this share of the tree's total weight.""",
    "max_features": """int, float, {"sqrt", "log2"} or None
        How many columns a node tries (drawn at random); a float is a fraction. None: all.""",
    "max_leaf_nodes": """int or None
        Grow the best node first and stop at this many leaves.""",
    "min_impurity_decrease": """float
        The least gain of a split, times the node's share of the weight.""",
    "min_gain": """float
        The least gain of a split, whatever the node's share of the weight.""",
    "bootstrap": """bool or "subsample"
        True: each tree sees rows drawn with replacement; "subsample": without; False: all rows.""",
    "max_samples": """int, float or None
        How many draws for each tree, or a fraction of the rows; with replacement, more than there
        are rows too. None: as many as there are rows with replacement, 63.2% of them without.""",
    "oob_score": """bool or callable
        Whether to predict each row by the trees that did not see it (the `oob_` attributes). A
        function `metric(y_true, y_pred)` replaces the usual score; larger is better.""",
    "vote": """{"soft", "hard"}
        `soft` averages the class probabilities of the trees, `hard` counts their majority classes.
        """,
    "early_stopping": """bool
        Stop before `n_estimators` when the out-of-bag score rises no more.""",
    "n_iter_no_change": """int
        How many trees without a better score `early_stopping` waits for.""",
    "tol": """float
        How much better a score must be to count as better.""",
    "on_interrupt": """{"raise", "keep"}
        What Ctrl-C does in `fit`: end it with KeyboardInterrupt and keep the trees that are
        finished in `partial_`, a fitted model; or return with these trees and a warning.
        """,
    "n_jobs": """int or None
        Threads: None is 1, -1 all usable CPUs (and never more). The result is always the same.""",
    "random_state": """int, RandomState or None
        Seeds the draws of rows and columns; the same number gives the same forest.""",
    "verbose": """int
        1 or more shows a progress bar on standard error.""",
    "warm_start": """bool
        Keep the trees of the last fit, which must have been of the same rows, and add those that
        are missing: the same forest as in one go.""",
    "class_weight": """dict, "balanced", "balanced_subsample" or None
        A weight for each class, multiplied into the row weights. `balanced` gives every class the
        same total, `balanced_subsample` the same total among the draws of each tree.""",
    "ccp_alpha": """non-negative float
        Minimal cost-complexity pruning of each tree.""",
    "prune": """str, pruner or None
        How each tree is pruned once it is grown, as the single trees take it. None does what the
        plan says, `none` does not prune. Not together with `ccp_alpha`.""",
    "validation_fraction": """float
        The share of a tree's rows that a pruner gets which needs validation rows.""",
    "categorical_features": """"from_dtype", None, list or mapping
        Columns to treat as categories besides those whose type says so, as `TreeClassifier` takes
        them.""",
    "splits": """str, mapping, ObliqueSplits, DistanceSplits, list of these or None
        The questions that nodes ask, as `TreeClassifier` takes them.""",
    "missing": """str or mapping
        What becomes of missing values: "learn", "majority", "own_branch", "stop" or "error", for
        all columns or by column.""",
    "unseen": """str or mapping
        The same for categories that a node has not seen in training.""",
    "thresholds": """{"all", "breakpoints"}
        Which thresholds of numbers are tried.""",
    "category_gain": """{"fair", "plain"}
        How sets of categories compete with other columns, as `TreeClassifier` takes it.""",
    "leaf": """str, MEstimate, LinearLeaf or None
        What leaves answer, as the single trees take it.""",
    "plan": """str, Plan or None
        All of the growth at once, such as "C45" or a silva.Plan. The forest still draws its rows,
        the columns of each node (`max_features`) and, in extra-trees, the thresholds; a plan that
        has its own `max_features` or `splitter` keeps it unless the forest's differs from its
        default. All other parameters that a plan decides must be at their defaults.""",
}

BAGGING_PARAMETERS = {
    "bootstrap": """bool or "subsample"
        True: each tree sees rows drawn with replacement; "subsample": without; False: all rows,
        or `max_samples` of them drawn without replacement.""",
    "bootstrap_features": """bool
        Whether columns are drawn with replacement. A column that is drawn twice counts once, so
        each tree has fewer of them.""",
    "max_features": """int or float
        How many columns each tree may ask about (drawn at random); a float is a fraction.""",
}

ATTRIBUTES = {
    "estimator_": """silva tree estimator
        The tree that is grown many times, not fitted.""",
    "estimators_": """sequence of silva tree estimators
        The trees as fitted estimators, each made when it is asked for; `len(model)`, `model[0]`
        and iteration read it.""",
    "estimators_samples_": """list of ndarray
        The rows that each tree saw, each as often as it was drawn, ascending.""",
    "n_features_in_": """int
        The number of columns in `fit`.""",
    "feature_names_in_": """ndarray of shape (n_features_in_,)
        Their names, when the table had names.""",
    "n_outputs_": """int
        Always 1.""",
    "max_features_": """int
        How many columns a node tried.""",
    "column_facts_": """silva.data.column_facts.ColumnFacts or None
        Range, mean, spread and missing values of each training column, in arrays `low`, `high`,
        `mean`, `deviation` and `missing`; None in models of older files.""",
    "forest_": """silva.ensemble.forest.Forest
        The trees and how their answers become one.""",
    "trees_": """sequence of silva.Tree
        The trees; `print(model.trees_[0])` shows the first.""",
    "feature_importances_": """ndarray of shape (n_features_in_,)
        Each column's share of the gain on training rows, the mean over the trees.""",
    "summary_": """silva.inspect.forest_summary.ForestSummary
        Size of the forest, and its figures on out-of-bag and held-out rows.""",
    "oob_score_": """float
        {score} of the out-of-bag predictions, rows counting by their weights, or what the function
        given as `oob_score` returns.""",
    "oob_curve_": """silva.ensemble.oob.Curve
        That score after every 10 trees: arrays `trees` and `score`.""",
    "oob_votes_": """ndarray of shape (n_samples,)
        How many trees did not see each row.""",
}

CLASS_ATTRIBUTES = {
    "classes_": """ndarray
        The class labels, sorted.""",
    "n_classes_": """int
        How many they are.""",
    "oob_decision_function_": """ndarray of shape (n_samples, n_classes_)
        Class probabilities by the trees that did not see the row; NaN where all did.""",
    "oob_confidence_": """ndarray of shape (n_samples,)
        The probability of each row's likeliest class among these.""",
}

BAGGING_ATTRIBUTES = {
    "estimators_features_": """list of ndarray
        The columns of each tree, ascending; its member of `estimators_` takes `X[:, columns]`.""",
}

NUMBER_ATTRIBUTES = {
    "oob_prediction_": """ndarray of shape (n_samples,)
        The answer of the trees that did not see the row; NaN where all did.""",
}


def described(kind: Kind) -> Kind:
    """The class with its parameters and attributes written between its words and its example."""
    is_classifier = kind._task == "classification"  # type: ignore[attr-defined]
    texts = PARAMETERS | (BAGGING_PARAMETERS if kind._bags else {})  # type: ignore[attr-defined]
    own = CLASS_ATTRIBUTES if is_classifier else NUMBER_ATTRIBUTES
    own = own | (BAGGING_ATTRIBUTES if kind._bags else {})  # type: ignore[attr-defined]
    words, example = inspect.cleandoc(kind.__doc__ or "").split("Examples\n", 1)
    parts = [
        words.rstrip(),
        _section("Parameters", _parameters(kind, texts)),
        _section("Attributes", list((ATTRIBUTES | own).items())),
        f"Examples\n{example}",
    ]
    text = "\n\n".join(parts).replace("{score}", "Accuracy" if is_classifier else "R²")
    kind.__doc__ = text
    return kind


def _parameters(kind: Any, texts: dict[str, str]) -> list[tuple[str, str]]:
    found = inspect.signature(kind.__init__).parameters
    parts = []
    for name, parameter in list(found.items())[1:]:
        head, body = texts[name].split("\n", 1)
        parts.append((name, f"{head}, default={parameter.default!r}\n{body}"))
    return parts


def _section(title: str, entries: list[tuple[str, str]]) -> str:
    lines = [title, "-" * len(title)]
    for name, text in entries:
        head, body = text.split("\n", 1)
        lines += [f"{name} : {head}", *(f"    {line.strip()}" for line in body.strip().split("\n"))]
    return "\n".join(lines)
