"""Why a question is asked: what the prediction can still be, and what each answer leaves open."""

from dataclasses import dataclass
from typing import Any

from silva.inspect.dialog.evidence import Evidence, evidence_of, evidence_words, leaves_below
from silva.inspect.dialog.known import Knowledge, Known
from silva.inspect.dialog.phrases import alternatives
from silva.inspect.dialog.question import Question
from silva.inspect.dialog.source import Source
from silva.inspect.dialog.walk import Place, ends
from silva.inspect.record import plain
from silva.messages import counted
from silva.notebook import ShownAsText
from silva.tree import words
from silva.tree.splits import STOP, Distance, Oblique

MOST_PREDICTIONS = 5
MOST_BRANCHES = 15


@dataclass(frozen=True, slots=True)
class Possible:
    """A prediction that is still possible: at how many ends, and the training rows behind them."""

    prediction: Any
    ends: int
    rows: int


@dataclass(frozen=True, slots=True)
class Why(ShownAsText):
    """What a state of a dialog can still lead to.

    `predictions` are those of the ends that can be reached, most rows first; for numbers `low` and
    `high` are the least and the greatest of them. A leaf with a linear model counts with its mean
    or its largest class. `evidence` are the training rows of all these ends. `reason` says what the
    open question decides, `branches` what remains possible after each of its options.
    """

    predictions: tuple[Possible, ...]
    low: float | None
    high: float | None
    evidence: Evidence
    reason: str
    branches: tuple[tuple[str, str], ...]
    words: str

    def __str__(self) -> str:
        return self.words

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it."""
        return {name: plain(getattr(self, name)) for name in self.__slots__}


def why_at(source: Source, knowledge: Knowledge, place: Place, question: Question | None) -> Why:
    """The reasons at a place."""
    found = sorted(set(_ends(source, knowledge, place)))
    possible = _possible(source, found)
    numbers = [one.prediction for one in possible] if source.labels is None else []
    evidence = evidence_of(source, leaves_below(source, found))
    reason = _reason(source, place, question)
    branches = _branches(source, knowledge, question, place)
    told = _words(source, possible, evidence, reason, branches)
    low, high = min(numbers, default=None), max(numbers, default=None)
    return Why(possible, low, high, evidence, reason, branches, told)


def _ends(source: Source, knowledge: Knowledge, place: Place) -> list[int]:
    if place.column is None and not place.settled:
        return [place.node]
    return list(ends(source, place.node, knowledge))


def _possible(source: Source, found: list[int]) -> tuple[Possible, ...]:
    by_answer: dict[Any, list[int]] = {}
    for end in found:
        by_answer.setdefault(source.constant(end), []).append(end)
    possible = []
    for answer, nodes in by_answer.items():
        rows = int(source.tree.leaf_rows[leaves_below(source, nodes)].sum())
        label = answer if source.labels is None else source.labels[answer]
        possible.append(Possible(label, len(nodes), rows))
    return tuple(sorted(possible, key=lambda one: -one.rows))


def _reason(source: Source, place: Place, question: Question | None) -> str:
    if question is None or place.column is None:
        return "Nothing is left to ask."
    name, split = source.lexicon.names[place.column], source.split(place.node)
    if split is None:
        return f"The model of the leaf computes its prediction from {name}."
    if isinstance(split, Oblique | Distance):
        what, limit = words.measured(split, source.columns, words.MAX_LISTED, source.digits)
        return f"The value of {name} is needed to compare {what} with {limit}."
    return f"The answer about {name} decides between:"


def _branches(
    source: Source, knowledge: Knowledge, question: Question | None, place: Place
) -> tuple[tuple[str, str], ...]:
    if question is None or question.exact or place.column is None:
        return ()
    told = []
    for option in question.options:
        if option.possible and option._values is not None:
            then = {**knowledge, place.column: Known(option._values, option._vague)}
            told.append((option.words, _outlook(source, then, place.node, option._child)))
    return tuple(told)


def _outlook(source: Source, knowledge: Knowledge, node: int, child: int | None) -> str:
    """The predictions that remain at a child of a node, in words."""
    if child is None or child == STOP:
        found = [node]
    else:
        found = list(ends(source, source.child(node, child), knowledge))
    remaining = list(dict.fromkeys(source.constant(end) for end in sorted(set(found))))
    if source.labels is None and len(remaining) > 1:
        low, high = (source.prediction_words(one) for one in (min(remaining), max(remaining)))
        return f"{low} to {high}"
    told = [source.prediction_words(one) for one in remaining[:MOST_PREDICTIONS]]
    if len(remaining) > MOST_PREDICTIONS:
        told.append(f"one of {len(remaining) - MOST_PREDICTIONS} more classes")
    return alternatives(told)


def _words(
    source: Source,
    possible: tuple[Possible, ...],
    evidence: Evidence,
    reason: str,
    branches: tuple[tuple[str, str], ...],
) -> str:
    size, _, facts = evidence_words(evidence, source).partition(": ")
    verb = "remains" if evidence.rows == 1 else "remain"
    lines = [_still(source, possible), f"{size} {verb}: {facts}.", reason]
    lines += [f"  {option}: {what}" for option, what in branches[:MOST_BRANCHES]]
    hidden = len(branches) - MOST_BRANCHES
    return "\n".join([*lines, f"  ... and {hidden:,} more"] if hidden > 0 else lines)


def _still(source: Source, possible: tuple[Possible, ...]) -> str:
    """What can still be predicted; of leaves with linear models, what their rows are like."""
    told = [f"{_label(source, one)} ({counted(one.rows, 'training row')})" for one in possible]
    if source.labels is None and len(possible) > 1:
        numbers = [one.prediction for one in possible]
        told = [" to ".join(source.prediction_words(one) for one in (min(numbers), max(numbers)))]
    if len(told) > MOST_PREDICTIONS + 1:
        more = f"one of {len(told) - MOST_PREDICTIONS} more classes"
        told = [*told[:MOST_PREDICTIONS], more]
    if source.tree.linear is not None:
        what = "mean" if source.labels is None else "majority class"
        return f"The {what} of the leaves that remain: {alternatives(told)}."
    return f"The prediction {'is' if len(possible) == 1 else 'can still be'} {alternatives(told)}."


def _label(source: Source, possible: Possible) -> str:
    if source.labels is None:
        return source.prediction_words(possible.prediction)
    return words.value(possible.prediction)
