"""Fitted models of every kind, and rows that try every corner of them."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

import silva
from silva.data.table import Table
from silva.inspect.explain.measures import measure
from silva.inspect.explain.values import Row
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.subject import subject_of
from silva.leaf import answers
from silva.tree import route
from silva.tree.splits import DISTANCE, OBLIQUE, split_of
from tests.inspect.reason_cases import possible_values


def mixed_frame(n_rows=240, seed=0, missing=True):
    """Numbers, dates, categories, ordered levels and yes/no."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n_rows).astype(float),
            "income": np.round(rng.lognormal(8, 0.6, n_rows), 1),
            "town": rng.choice(["Aarhus", "Bergen", "Cork", "Derby", "Essen"], n_rows),
            "size": pd.Categorical(rng.choice([*"SML"], n_rows), [*"SML"], ordered=True),
            "member": rng.random(n_rows) < 0.4,
            "since": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 900, n_rows), "D"),
        }
    )
    score = frame["age"] / 30 + np.log(frame["income"]) + (frame["town"] == "Cork")
    score += frame["size"].cat.codes * 0.7 + 0.5 * frame["member"] + rng.normal(size=n_rows)
    if missing:
        frame.loc[::7, "age"] = np.nan
        frame.loc[3::11, "town"] = None
        frame.loc[5::13, "size"] = None
    return frame, score.to_numpy()


@cache
def fitted_models():
    """Models by name."""
    frame, score = mixed_frame()
    whole, whole_score = mixed_frame(missing=False)
    two = np.where(score > np.median(score), "yes", "no")
    many = np.digitize(score, np.quantile(score, np.linspace(0, 1, 9)[1:-1]))
    weights = np.random.default_rng(1).choice([0.0, 1.0, 0.5, 2.25], len(frame))
    tree, numbers = silva.TreeClassifier, silva.TreeRegressor
    plain = frame[["age", "income", "size", "member"]]
    found = {
        f"missing={one} unseen={two_}": tree(missing=one, unseen=two_, max_depth=7).fit(frame, two)
        for one, two_ in [
            ("learn", "majority"),
            ("majority", "learn"),
            ("own_branch", "own_branch"),
            ("stop", "stop"),
        ]
    }
    found |= {
        "errors": tree(missing="error", unseen="error").fit(
            whole, np.where(whole_score > 11, "yes", "no")
        ),
        "many classes": tree(max_depth=6).fit(frame, many),
        "regression": numbers(max_depth=7, missing="own_branch", unseen="stop").fit(frame, score),
        "multiway": tree(splits="multiway", unseen="stop", missing="stop").fit(frame, two),
        "multiway numbers": numbers(splits="multiway", missing="own_branch").fit(frame, score),
        "oblique": tree(splits="oblique", max_depth=4).fit(frame, many > 3),
        "oblique missing": numbers(splits="oblique", max_depth=4, missing="stop").fit(frame, score),
        "laplace": tree(leaf="laplace", max_depth=5).fit(frame, many),
        "m-estimate": tree(leaf="m_estimate", max_depth=5, missing="stop").fit(frame, two),
        "linear": numbers(leaf="linear", max_depth=3, missing="stop").fit(frame, score),
        "logistic two": tree(leaf="linear", max_depth=3).fit(frame, two),
        "logistic many": tree(leaf="linear", max_depth=2, unseen="stop").fit(frame, many),
        "weights": tree(max_depth=5).fit(frame, many, weights),
        "weighted numbers": numbers(max_depth=5, missing="stop").fit(frame, score, weights),
        "pruned": tree(prune="pessimistic").fit(frame, two),
        "optimal": silva.OptimalTreeClassifier(max_depth=2).fit(frame, two),
        "stump": tree(max_depth=1).fit(frame, two),
        "one leaf": tree(max_depth=3).fit(frame, ["same"] * len(frame)),
        "one leaf of numbers": numbers(min_samples_leaf=200).fit(frame, score),
    }
    for metric in ("euclidean", "manhattan", "cosine", "mahalanobis"):
        splits = silva.DistanceSplits(metric=metric)
        found[metric] = tree(splits=splits, max_depth=4, random_state=3).fit(plain, many > 3)
    return found


def trying_rows(tree, table, seed, n_rows):
    """Rows of the training table, most of them with some values at the corners of the tree."""
    rng = np.random.default_rng(seed)
    picked = table.take(rng.integers(0, table.n_rows, n_rows))
    columns = []
    for number, values in enumerate(picked.columns):
        corner = rng.choice(possible_values(tree, number), n_rows)
        changed = rng.random(n_rows) < rng.choice([0.1, 0.5, 0.9])
        kind = np.float64 if tree.schema.columns[number].levels is None else np.int32
        columns.append(np.where(changed, corner, values.astype(kind)).astype(kind))
    return Table(tree.schema, tuple(columns), n_rows)


def training_table(model):
    frame, _ = mixed_frame(missing="error" not in {c.missing for c in columns_of(model)})
    subject = subject_of(model)
    return subject.table(frame[list(subject.schema.names)])


def columns_of(model):
    return subject_of(model).schema.columns


def at_sums(tree, table, seed):
    """The tree with thresholds of splits of several columns that equal the sum of some row.

    Every other one is the float above, so that the row lies on the other side by one bit.
    """
    rng = np.random.default_rng(seed)
    changed = tree
    for field, kind in (("obliques", OBLIQUE), ("distances", DISTANCE)):
        splits = getattr(tree, field)
        limits = splits.threshold.copy()
        for node in np.flatnonzero(tree.split_kind == kind).tolist():
            row = Row(table, int(rng.integers(table.n_rows)), Lexicon(tree.schema), None)
            value = measure(split_of(tree, node), row).value
            if value is not None:
                index = int(tree.split_index[node])
                limits[index] = np.nextafter(value, np.inf) if index % 2 else value
        changed = replace(changed, **{field: replace(splits, threshold=limits)})
    return changed


def predicted(tree, table):
    """Nodes, then codes and shares, or numbers, as `predict` gives them."""
    nodes = route.leaves(tree, table)
    if tree.classes is None:
        return nodes, None, None, answers.predict_values(tree, nodes, table)
    codes = answers.predict_codes(tree, nodes, table)
    return nodes, codes, answers.predict_shares(tree, nodes, table), None


def ulps(one, other):
    """How many floats apart the floats of two arrays are; all of them are at least 0."""
    return np.abs((one + 0.0).view(np.int64) - (other + 0.0).view(np.int64))
