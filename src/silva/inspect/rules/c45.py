"""C4.5's rules: shorter than the tree, in an order, with a default class, and with loss.

The steps of Quinlan, "C4.5: Programs for Machine Learning" (1993), chapter 5:

1. Each leaf's rule loses conditions, one after the other, as long as its pessimistic error rate
   does not rise: the condition goes whose loss leaves the lowest rate.
2. For each class the subset of its rules is kept that describes the class most briefly: the bits of
   the rules, counted half, plus the bits that name the rows on which they are wrong. Here rules are
   removed from the full set as long as that shortens the description, what saves most first.
3. Classes are put in order, the one with the fewest false positives first; the default is the
   class with most rows that no rule covers.
4. A rule whose omission makes no more errors on the rows is left out, the last rule first.

All counts are by weight.
"""

import numpy as np

from silva.data.table import Table, Target
from silva.data.weights import weights_differ
from silva.errors import DataError, PlanError
from silva.inspect.rules.c45_drafts import Rows, generalised
from silva.inspect.rules.c45_order import first_match, ordered
from silva.inspect.rules.evidence import of_rows
from silva.inspect.rules.lexicon import Style
from silva.inspect.rules.made import MadeRules
from silva.inspect.rules.of_trees import title_of
from silva.inspect.rules.rule import Rule
from silva.inspect.rules.rule_list import Loss, RuleList
from silva.inspect.rules.source import Ends
from silva.inspect.subject import Subject
from silva.leaf import answers
from silva.tree import route

NOTE = "The first rule that a row satisfies decides."


def c45_rules(subject: Subject, rows: tuple[Table, Target] | None, style: Style) -> RuleList:
    """The rules of a classification tree as C4.5 simplifies them, by the rows it was grown from."""
    table, known = _checked(subject, rows)
    weights = np.ones(table.n_rows) if known.weights is None else known.weights
    given = Rows(table, known.values, weights)
    ends = Ends(subject.tree())
    drafts, default = ordered(generalised(ends, given), given, len(subject.labels or ()))
    codes = np.array([draft.code for draft in drafts], dtype=np.int64)
    figures = of_rows([np.flatnonzero(draft.covered) for draft in drafts], known, codes)
    labels = subject.labels or []
    made = tuple(
        Rule(
            conditions=draft.conditions,
            prediction=labels[draft.code],
            given=figures.at(place),
            nodes=(draft.node,),
            _style=style,
        )
        for place, draft in enumerate(drafts)
    )
    return MadeRules(
        subject,
        made,
        title=f"{title_of(subject)}, simplified with loss as by C4.5",
        note=NOTE,
        style=style,
        default=labels[default],
        loss=_loss(ends, given, first_match(drafts, default, given), known),
    )


def _checked(subject: Subject, rows: tuple[Table, Target] | None) -> tuple[Table, Target]:
    if subject.classes is None:
        raise PlanError(
            "simplify='c45rules' is for classes, and this is a regression tree: use simplify=True."
        )
    if subject.tree().linear is not None:
        raise PlanError(
            "simplify='c45rules' is for leaves that predict one class, and these have linear"
            " models: fit with leaf=None, or use simplify=True."
        )
    if rows is None or not rows[0].n_rows:
        raise DataError(
            "simplify='c45rules' judges every condition by rows: give the training rows,"
            " silva.rules(model, X, y, simplify='c45rules')."
        )
    return rows


def _loss(ends: Ends, rows: Rows, found: np.ndarray, target: Target) -> Loss:
    tree, table = ends.tree, rows.table
    told = answers.predict_codes(tree, route.leaves(tree, table), table)
    total = float(rows.weights.sum())
    same = float(rows.weights[told == found].sum()) / total
    accuracies = (1.0 - rows.errors(one) / total for one in (told, found))
    return Loss(table.n_rows, weights_differ(target.weights), same, *accuracies)
