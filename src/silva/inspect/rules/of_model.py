"""`silva.rules`: a fitted model as logical rules."""

from dataclasses import replace
from typing import Any

import numpy as np

from silva.checks import check_choice
from silva.errors import PlanError
from silva.inspect.rules.c45 import c45_rules
from silva.inspect.rules.lexicon import Lexicon, Style
from silva.inspect.rules.of_trees import TreeRules
from silva.inspect.rules.rule_list import ORDERS, RuleList
from silva.inspect.rules.simplified import simplified_rules
from silva.inspect.subject import one_tree, subject_of
from silva.tree.numerals import SHORT, checked_digits
from silva.tree.short_numbers import digits_of

C45RULES = "c45rules"


def rules(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    order: str = "support",
    simplify: bool | str = False,
    digits: int | str | None = SHORT,
    target: str | None = None,
) -> RuleList:
    """Say what a fitted model does as rules: `30 <= area < 50 and floor = 2 -> 410 (57 rows)`.

    Each place where rows can end is a rule. Conditions on one column are merged into one interval
    or set. Missing values satisfy a condition only if it says "or missing", and levels that
    training did not see only if it says "or unseen".

    Parameters
    ----------
    model : fitted estimator, Tree or Pipeline
        A tree, stump, forest, bagging or AdaBoost model of silva, or a pipeline that ends in one:
        its columns are then named as the steps before name them.
    X, y : default=None
        Rows with their targets: each rule is measured on them too.
    sample_weight : default=None
        What each of these rows counts.
    order : {"support", "precision", "lift", "tree"}, default="support"
        Which rules come first, by the given rows if there are any, else by training rows.
        Regression has support and tree only.
    simplify : bool or "c45rules", default=False
        True drops conditions that change no prediction; rules may then overlap, and agree where
        they do. "c45rules" simplifies as C4.5 does, with loss: it needs the training rows as `X`
        and `y`, and gives an ordered list with a default class.
    digits : int, "short" or None, default="short"
        Significant digits of numbers in words. "short" writes predictions with 6 (more where they
        differ by little) and thresholds as the shortest decimal within a billionth of their size
        and of the range of the column. None writes every number exactly.
    target : str, default=None
        The name of the target; by default the name that `y` has, if any.

    Returns
    -------
    RuleList
        A sequence of `Rule` with `predict(X)`, `to_frame()` and `to_dict()`; its text shows the
        first 100 rules.

    See Also
    --------
    silva.explain : why single rows got their predictions.
    silva.distil : one tree in place of a forest, which has few rules.
    silva.inspect.parse_rule : a rule from its text.

    Examples
    --------
    >>> import silva
    >>> model = silva.TreeClassifier().fit([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    >>> for rule in silva.rules(model):
    ...     print(rule)
    x0 >= 1.5 or missing -> b (2 rows)
    x0 < 1.5 -> a (1 row)
    """
    _check_simplify(simplify)
    check_choice("order", order, ORDERS)
    chosen = checked_digits(digits)
    subject = one_tree(model, f"simplify={simplify!r}") if simplify else subject_of(model)
    if subject.task == "regression" and order in ("precision", "lift"):
        raise PlanError(
            f"order={order!r} is not possible for regression, whose rules predict numbers: use"
            " 'support' or 'tree'."
        )
    rows = subject.measured(X, y, sample_weight, "rules are measured")
    style = Style(Lexicon(subject.schema, subject.labels), None, _target_name(target, y))
    if subject.combiner == "tree" or chosen != SHORT:
        style = replace(style, digits=digits_of(chosen, subject.tree(), subject.facts))
    if simplify == C45RULES:
        return c45_rules(subject, rows, style)
    if simplify:
        return simplified_rules(subject, rows, order, style)
    return TreeRules(subject, rows, order, style, chosen == SHORT)


def _check_simplify(simplify: Any) -> None:
    is_word = isinstance(simplify, str) and simplify == C45RULES
    if not is_word and not isinstance(simplify, bool | np.bool_):
        raise PlanError(
            f"simplify={simplify!r} is not possible: use False, True (drops only what changes no"
            f" prediction) or {C45RULES!r} (C4.5's lossy rules)."
        )


def _target_name(target: str | None, y: Any) -> str:
    name = getattr(y, "name", None) if target is None else target
    return name if isinstance(name, str) else ""
