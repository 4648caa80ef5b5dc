"""Why rows got their predictions: `explain(model, rows)`."""

from typing import Any

import numpy as np

from silva.checks import whole_or_none
from silva.inspect.explain.ensembles import ManyTrees
from silva.inspect.explain.explanation import Explanation
from silva.inspect.explain.many import Explanations
from silva.inspect.explain.single import OneTree
from silva.inspect.subject import subject_of, unwrapped

__all__ = ["Explanation", "Explanations", "explain"]


def explain(model: Any, rows: Any, *, digits: int | None = None) -> Explanations:
    """Say why rows got their predictions.

    Each row's explanation names the conditions on its path with the row's values and how near they
    are to the thresholds, the class shares or the mean at each step, what each step and column
    contributed, and the training rows behind the prediction. For several trees: the contributions
    of all trees, how far they agree, and the path in the most typical tree.

    Parameters
    ----------
    model : estimator, Tree or Pipeline
        A fitted model of silva: a tree, stump, forest, bagged or boosted model, a tree itself, or a
        pipeline or search that ends in one.
    rows : table or row
        What the model's `predict` takes, or one row by itself: a dict, a row of a pandas or polars
        table, or a list of its values.
    digits : int, optional
        Significant digits of numbers in words. By default thresholds and values are exact, and
        means, shares and changes are rounded for reading.

    Returns
    -------
    Explanations
        A sequence with an `Explanation` for each row, made when asked for. `print` shows one row in
        full and the first of several in short; `to_frame()` has a line for each row.

    Notes
    -----
    A step from a node to its child changes the prediction; the change is credited to the column of
    the split, or in equal parts to its columns. `baseline` plus all contributions is the
    prediction: of classes `predict_proba` (for AdaBoost the share of the weighted votes, which
    decides), of numbers `predict`.

    Examples
    --------
    >>> import silva
    >>> model = silva.TreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> print(silva.explain(model, [[3.5]])[0].sentence)
    yes, because x0 >= 2.5; 2 of 4 training rows are like this, all of them yes.
    """
    shown = whole_or_none("digits", digits, 1)
    subject = subject_of(model)
    table = subject.rows_to_explain(rows)
    explainer: OneTree | ManyTrees
    if subject.combiner == "tree":
        explainer = OneTree(subject.tree(), subject.facts, shown)
    else:
        explainer = ManyTrees(subject, unwrapped(model)[0], shown)
    return Explanations(explainer, table, np.arange(table.n_rows))
