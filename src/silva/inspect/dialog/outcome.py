"""The end of a dialog: the prediction, what it rests on, and why it is this one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from silva.inspect.dialog.evidence import (
    MOST_SHARES,
    Evidence,
    evidence_of,
    evidence_words,
    leaves_below,
)
from silva.inspect.dialog.known import Answer, Knowledge
from silva.inspect.dialog.phrases import sentence
from silva.inspect.dialog.settled import settled_conditions
from silva.inspect.dialog.source import Source
from silva.inspect.dialog.walk import Place, ends
from silva.inspect.intervals import SMALL_SAMPLE
from silva.inspect.record import plain
from silva.inspect.rules.words import conjunction
from silva.leaf import answers
from silva.leaf.words import model_words
from silva.notebook import ShownAsText
from silva.tree import words
from silva.tree.numerals import SHOWN_DIGITS


@dataclass(frozen=True, slots=True)
class Outcome(ShownAsText):
    """What the model predicts for a row with these answers.

    `prediction` is what `predict` gives, `shares` the probabilities of the classes as
    `predict_proba` gives them (() for numbers). `evidence` are the training rows behind it;
    `is_small` says that they are fewer than 10. `settled`: there were more questions, and no answer
    to them would have changed the prediction; `shares` and `evidence` are then those of all leaves
    that could still be reached. `path` are the answers as a sentence. `rule` is true of every row
    that satisfies it: the condition of the node at which the dialog ended, and where that alone
    does not decide, what the answers say beyond it ("" where that has no words).
    """

    prediction: Any
    shares: tuple[tuple[Any, float], ...]
    evidence: Evidence
    is_small: bool
    settled: bool
    path: str
    rule: str
    words: str = ""

    def __str__(self) -> str:
        return self.words

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it."""
        return {name: plain(getattr(self, name)) for name in self.__slots__}


def outcome_at(
    source: Source, knowledge: Knowledge, given: Sequence[Answer], place: Place
) -> Outcome:
    """The outcome of a dialog that has ended at a place."""
    reachable = set(ends(source, place.node, knowledge)) if place.settled else {place.node}
    code, prediction = _prediction(source, knowledge, min(reachable))
    evidence = evidence_of(source, leaves_below(source, reachable), code)
    if source.terms(place.node):
        evidence = Evidence(evidence.rows, evidence.shares, evidence.mean, evidence.deviation)
    shares = evidence.shares
    if not place.settled:
        shares = _probabilities(source, knowledge, place.node)
    last = {one.column: str(one) for one in given}
    path = f"{sentence([*last.values()])}." if given else "No question was needed."
    outcome = Outcome(
        prediction=prediction,
        shares=shares,
        evidence=evidence,
        is_small=evidence.is_small,
        settled=place.settled,
        path=path,
        rule=_rule(source, knowledge, place, prediction if code is None else code),
    )
    return replace(outcome, words=_words(source, outcome, prediction if code is None else code))


def _prediction(source: Source, knowledge: Knowledge, end: int) -> tuple[int | None, Any]:
    """The class code (None for numbers) and the class or number, as the model predicts them."""
    nodes, row = np.array([end]), source.row(knowledge)
    if source.labels is None:
        return None, float(answers.predict_values(source.tree, nodes, row)[0])
    code = int(answers.predict_codes(source.tree, nodes, row)[0])
    return code, source.labels[code]


def _probabilities(source: Source, knowledge: Knowledge, end: int) -> tuple[tuple[Any, float], ...]:
    """The classes with a probability above 0, largest first."""
    if source.labels is None:
        return ()
    shares = answers.predict_shares(source.tree, np.array([end]), source.row(knowledge))[0]
    order = np.argsort(-shares, kind="stable").tolist()
    return tuple((source.labels[code], float(shares[code])) for code in order if shares[code] > 0)


def _rule(source: Source, knowledge: Knowledge, place: Place, prediction: Any) -> str:
    if place.settled:
        conditions = settled_conditions(source, knowledge, place.node)
    else:
        conditions = source.regions.of_end(place.node)
    if conditions is None:
        return ""
    told = conjunction(conditions, source.lexicon, source.digits, words.MAX_LISTED)
    if source.terms(place.node):
        leaf = source.leaf_range[0][place.node]
        return f"{told} -> {model_words(source.tree, leaf)}"
    return f"{told} -> {source.prediction_words(prediction)}"


def _words(source: Source, outcome: Outcome, prediction: Any) -> str:
    evidence = outcome.evidence
    lines = [f"Prediction: {source.prediction_words(prediction)}", f"  {outcome.path}"]
    if outcome.settled:
        lines.append("  Further questions would not change the prediction.")
    lines.append(f"  evidence: {evidence_words(evidence, source)}")
    lines += _interval_words(source, evidence, outcome.prediction)
    if outcome.shares != evidence.shares:
        lines.append(f"  probabilities: {words.shares(outcome.shares, MOST_SHARES)}")
    if outcome.is_small:
        lines.append(f"  Few rows: this rests on fewer than {SMALL_SAMPLE} training rows.")
    return "\n".join([*lines, f"  rule: {outcome.rule}"] if outcome.rule else lines)


def _interval_words(source: Source, evidence: Evidence, prediction: Any) -> list[str]:
    if evidence.interval is None:
        return []
    if source.labels is None:
        digits = source.digits or SHOWN_DIGITS
        low, high = (words.number(limit, digits) for limit in evidence.interval)
        return [f"  95% interval of the mean: {low} to {high}"]
    low, high = map(words.percent, evidence.interval)
    return [f"  95% interval of the share of {words.label(prediction)}: {low} to {high}"]
