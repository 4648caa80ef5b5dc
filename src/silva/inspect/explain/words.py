"""Explanations in words: numbers, shares and sentences, as all faces show them."""

import math
from collections.abc import Sequence
from typing import Any

from silva.inspect.explain.explanation import Explanation, Style
from silva.inspect.explain.records import Evidence
from silva.inspect.intervals import SMALL_SAMPLE
from silva.messages import counted
from silva.tree import words
from silva.tree.numerals import Short

MOST_REASONS = 3
"""How many columns the sentence about several trees names."""
CHANGE_DIGITS = 4
"""Significant digits of changes and interval limits of means."""


def answer_words(prediction: Any, is_class: bool, style: Style) -> str:
    return words.label(prediction) if is_class else mean_words(prediction, style)


def mean_words(mean: float, style: Style) -> str:
    return words.prediction(mean, style.digits or Short({}, style.mean_digits))


def change_words(change: float, is_class: bool, style: Style) -> str:
    """`+13.3` percentage points of a share, or a number; signs are always shown."""
    if is_class:
        told = f"{100.0 * change:+.1f}"
        return "0.0" if told in ("+0.0", "-0.0") else told
    told = words.number(change, style.digits or CHANGE_DIGITS)
    return told if change <= 0.0 or not math.isfinite(change) else f"+{told}"


def level_words(level: float, is_class: bool, style: Style) -> str:
    """A share in percent, or a mean."""
    return words.percent(level) if is_class else mean_words(level, style)


def joined(items: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def tree_sentence(
    prediction: Any, is_class: bool, why: str, evidence: Evidence, has_model: bool, style: Style
) -> str:
    """`yes, because income >= 3350; 5 of 20 training rows are like this, all of them yes.`"""
    answer = answer_words(prediction, is_class, style)
    of_these = _witnesses(prediction, is_class, evidence, has_model, style)
    if why:
        return f"{answer}, because {why}; {_share_of_rows(evidence)}, {of_these}."
    if evidence.node == 0:
        rows = f"all {evidence.total_rows:,} training rows end in one leaf"
        return f"{answer} for every row, because the tree has no split; {rows}, {of_these}."
    return f"{answer} for every row; {_share_of_rows(evidence)}, {of_these}."


def _share_of_rows(evidence: Evidence) -> str:
    some = f"{evidence.rows:,} of {counted(evidence.total_rows, 'training row')}"
    if not evidence.is_leaf:
        return f"{some} came to the split where this row stops"
    return f"{some} {'is' if evidence.rows == 1 else 'are'} like this"


def _witnesses(
    prediction: Any, is_class: bool, evidence: Evidence, has_model: bool, style: Style
) -> str:
    """What these rows say: a clause that follows a comma."""
    if not is_class:
        mean = mean_words(evidence.estimate, style)
        weighted = "weighted mean" if evidence.is_weighted else "mean"
        if has_model:
            return f"with a {weighted} of {mean}, which a linear model refines"
        return f"and {mean} is their {weighted}" if evidence.rows != 1 else f"with {mean}"
    label = words.label(prediction)
    if evidence.is_weighted:
        return f"with {words.percent(evidence.estimate)} of their weight on {label}"
    count = round(evidence.estimate * evidence.rows)
    if count == evidence.rows:
        return f"all of them {label}" if count > 1 else f"which is {label}"
    return f"{count:,} of them {label}" if count else f"none of them {label}"


def ensemble_sentence(found: Explanation, is_class: bool, style: Style) -> str:
    """`yes, mostly because of income (+12.1 points), despite age (-3.0); 18 of 20 trees agree.`"""
    answer = answer_words(found.prediction, is_class, style)
    pairs = [(name, found.towards(change)) for name, change in by_size(found)]
    named = [pair for pair in pairs if pair[1]][:MOST_REASONS]
    against = [pair for pair in named if is_class and pair[1] < 0.0]
    reasons = [pair for pair in named if pair not in against]
    clauses = []
    if reasons:
        mostly = "mostly " if len(pairs) > len(named) else ""
        clauses.append(f", {mostly}because of {_named(reasons, is_class, style)}")
    if against:
        clauses.append(f", despite {_named(against, is_class, style)}")
    return f"{answer}{''.join(clauses)}; {agreement_words(found, is_class, style)}."


def _named(pairs: Sequence[tuple[str, float]], is_class: bool, style: Style) -> str:
    unit = " points" if is_class else ""
    told = [
        f"{words.name(name)} ({change_words(change, is_class, style)}{'' if place else unit})"
        for place, (name, change) in enumerate(pairs)
    ]
    return joined(told)


def by_size(found: Explanation) -> list[tuple[str, Any]]:
    """The contributions of the columns, the largest first."""
    return sorted(found.contributions.items(), key=lambda one: -abs(found.towards(one[1])))


def agreement_words(found: Explanation, is_class: bool, style: Style) -> str:
    """How far the trees agree, as a clause."""
    if is_class:
        assert found.agreement is not None
        label = words.label(found.prediction)
        if found.quantity == "shares of weighted votes":
            share = words.percent(found.agreement)
            return f"{share} of the weighted votes of {found.trees:,} trees are for {label}"
        agreeing = round(found.agreement * found.trees)
        return f"{agreeing:,} of {counted(found.trees, 'tree')} predict {label}"
    assert found.quantiles is not None
    low, middle, high = (mean_words(one, style) for one in found.quantiles)
    of_trees = f"the middle 80% of {found.trees:,} trees"
    return f"{of_trees} predict {low} to {high}, with a median of {middle}"


def evidence_lines(found: Explanation, is_class: bool, style: Style) -> list[str]:
    """The training rows behind a prediction of one tree, in full sentences."""
    evidence = found.evidence
    assert evidence is not None
    ends = "ends here" if evidence.rows == 1 else "end here"
    told = (
        f"{evidence.rows:,} of {counted(evidence.total_rows, 'training row')}"
        f" ({words.percent(evidence.coverage)}) {ends if evidence.is_leaf else 'came here'}"
    )
    if evidence.is_weighted:
        told += f", with weight {words.number(evidence.weight, 6)}"
    lines = [f"{told}; {_estimate(found, is_class, style)}."]
    if evidence.is_small:
        lines.append(f"This is a small sample: fewer than {SMALL_SAMPLE} rows.")
    return lines


def _estimate(found: Explanation, is_class: bool, style: Style) -> str:
    evidence = found.evidence
    assert evidence is not None
    if is_class:
        of_what = "of their weight is" if evidence.is_weighted else "of them are"
        label = words.label(found.prediction)
        told = f"{words.percent(evidence.estimate)} {of_what} {label}"
        if evidence.rows == 1 and evidence.estimate in (0.0, 1.0):
            told = f"it is {'' if evidence.estimate else 'not '}{label}"
    else:
        weighted = "weighted mean" if evidence.is_weighted else "mean"
        mean = mean_words(evidence.estimate, style)
        told = f"its target is {mean}" if evidence.rows == 1 else f"their {weighted} is {mean}"
    if evidence.low is None or evidence.high is None:
        return f"{told}, and one row says nothing about the spread" if evidence.rows == 1 else told
    limits = " to ".join(_limit(one, is_class, style) for one in (evidence.low, evidence.high))
    rows = f" for {counted(evidence.rows, 'counted row')}" if evidence.is_weighted else ""
    return f"{told} (95% interval{rows}: {limits})"


def _limit(limit: float, is_class: bool, style: Style) -> str:
    return words.percent(limit) if is_class else mean_words(limit, style)
