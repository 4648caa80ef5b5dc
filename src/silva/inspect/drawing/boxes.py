"""What the box of each node shows, as records without places or sizes."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from silva.inspect.drawing.given import GivenRows
from silva.inspect.drawing.lettering import DOTS, SMALL, cut_decimals, width
from silva.inspect.drawing.palette import OTHERS, class_colours, part_of_range, shade
from silva.inspect.drawing.questions import question
from silva.inspect.intervals import SMALL_SAMPLE, student, wilson
from silva.leaf.words import model_words
from silva.messages import counted
from silva.tree import stats, words
from silva.tree.hidden import HIDDEN_ROWS, Hidden, nothing_hidden
from silva.tree.view import NodeView, TreeView, mean_digits

MOST_TOLD = 2
"""How many classes a box names, if there is room; the bar shows the others."""
LARGE_NUMBER = 1e6
"""Larger means are rounded to significant digits."""
LONGEST_CLASS = 20
"""Characters of a class beside its share."""
ROOM = 212.0
"""The longest line in a box, in pixels."""

Tone = Literal["question", "answer", "plain", "quiet"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text; `full` is what it would say with more room."""

    text: str
    tone: Tone = "quiet"
    full: str = ""


@dataclass(frozen=True, slots=True)
class Shares:
    """A bar: the colour, share and words of each part, the largest first."""

    parts: tuple[tuple[str, float, str], ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """A mean and its deviation on a scale from 0 to 1."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Histogram:
    """The heights of the bins, the highest 1, and the mean on the scale of the bins."""

    heights: tuple[float, ...]
    mean: float | None


@dataclass(frozen=True, slots=True)
class Card:
    """A box: lines and bars from top to bottom. `name` says all of it to a screen reader.

    `accent` is the colour of the prediction of a leaf, `colour` that of any node ("" if hidden).
    `few`: a leaf with few training rows. `answers` label the edges to the children.
    """

    kind: Literal["split", "leaf", "stub"]
    node: int
    name: str
    parts: tuple[Line | Shares | Spread | Histogram, ...]
    accent: str = ""
    few: bool = False
    answers: tuple[str, ...] = ()
    rows: int = 0
    colour: str = ""


class Cards:
    """Makes the cards of a tree's nodes; the numbers of `hidden` nodes are left out."""

    def __init__(
        self,
        view: TreeView,
        given: GivenRows | None,
        max_listed: int | None,
        hidden: Hidden | None = None,
    ) -> None:
        self._view, self._given, self._most = view, given, max_listed
        tree = view.tree
        self._hidden = hidden or nothing_hidden(tree)
        self.weighted = bool((view.rows != view.weight).any())
        self._leaf_number = stats.leaf_number(tree).tolist()
        self._root = view[0]
        self.low, self.high = 0.0, 0.0
        self.colours: dict[Any, str] = {}
        if tree.classes is None:
            means = stats.node_mean(tree, np.flatnonzero(tree.is_leaf))
            self.low, self.high = float(means.min()), float(means.max())
        else:
            units = stats.node_class_units(tree, np.array([0]))[0]
            order = np.argsort(-units * (not self._hidden.shares[0]), kind="stable")
            names = class_colours(order.tolist(), len(units))
            self.colours = dict(zip(tree.classes.tolist(), names, strict=True))

    def of(self, record: NodeView) -> Card:
        return self._leaf(record) if record.is_leaf else self._split(record)

    def stub(self, nodes: Sequence[int]) -> Card:
        """The box in place of neighbours that are not drawn."""
        ends, rows = self._view.tree.subtree_end, self._view.rows
        count = sum(int(ends[node]) - node for node in nodes)
        own = sum(int(rows[node]) for node in nodes)
        share = f"{words.percent(own / max(1, int(rows[0])))} of rows"
        name = f"{counted(count, 'node')} not drawn, {counted(own, 'row')}, {share}"
        parts = (Line(f"+{count:,} more", "plain"), Line(share))
        return Card("stub", -1, name, parts, rows=own)

    def scale_notes(self) -> list[str]:
        """What bars that have no legend stand for."""
        given = self._given
        if self.colours:
            return [] if given is None else ["Second bars: the given rows that reach the node."]
        if given is not None:
            low, high = self._number(given.low), self._number(given.high)
            told = (
                f"Histograms: targets of the given rows from {low} to {high}; the line is the mean."
            )
            return [told]
        low, high = self._number(self.low), self._number(self.high)
        return [
            f"Scales: mean and deviation between the lowest and highest leaf, {low} and {high}."
        ]

    def _split(self, record: NodeView) -> Card:
        assert record.split is not None
        asked = question(record.split, self._view.tree.schema.columns, record.edges, self._most)
        stops = f"{record.stops} values stop here" if record.stops else ""
        parts = (
            Line(asked.text, "question", asked.exact),
            Line(self._size(record)),
            *self._facts(record),
            *([Line(stops, "plain")] if stops else []),
        )
        told = [f"asks {asked.exact}", stops, counted(len(record.children), "child", "children")]
        return Card(
            *("split", record.number, self._name(record, told), parts),
            answers=asked.answers,
            rows=record.rows,
            colour="" if self._hidden.shares[record.number] else self._colour(record),
        )

    def _leaf(self, record: NodeView) -> Card:
        few = record.rows < SMALL_SAMPLE and not self._hidden.rows[record.number]
        size = f"only {self._size(record)}" if few else self._size(record)
        parts = (*self._prediction(record), Line(size), *self._facts(record))
        name = self._name(record, ["few rows" if few else "", "leaf"])
        accent = self._colour(record)
        return Card(
            *("leaf", record.number, name, parts, accent, few), rows=record.rows, colour=accent
        )

    def _colour(self, record: NodeView) -> str:
        """The name of the colour of what the node predicts."""
        if record.shares:
            return self.colours[record.answer]
        return shade(record.mean or 0.0, self.low, self.high)

    def _name(self, record: NodeView, more: list[str]) -> str:
        """All of a box in one sentence."""
        if self._hidden.shares[record.number]:
            facts = f"predicts {self._answer(record)}" if record.is_leaf else ""
        elif record.shares:
            share = dict(record.shares).get(record.answer, 0.0)
            facts = f"{words.percent(share)} {words.label(record.answer)}"
        else:
            facts = f"mean {self._number(record.mean)}, deviation {_deviation(record)}"
        told = [f"Node {record.number}", record.edge or "all rows", self._size(record), facts]
        return ", ".join(filter(None, [*told, *more]))

    def _size(self, record: NodeView) -> str:
        if self._hidden.rows[record.number]:
            return HIDDEN_ROWS
        size = counted(record.rows, "row")
        return f"{size}, weight {record.weight:.4g}" if self.weighted else size

    def _answer(self, record: NodeView) -> str:
        if self._view.tree.linear is not None:
            return "by a linear model"
        return words.label(record.answer) if record.shares else self._number(record.mean)

    def _prediction(self, record: NodeView) -> Iterator[Line]:
        tree = self._view.tree
        if tree.linear is not None:
            leaf = self._leaf_number[record.number]
            yield Line("linear model", "answer")
            formula = model_words(tree, leaf)
            yield Line(cut_decimals(formula), "plain", formula)
        elif record.shares:
            yield Line(words.value(record.answer), "answer", words.value(record.answer))
            if not self._hidden.shares[record.number]:
                yield Line(self._share(record), "plain")
        else:
            yield Line(self._number(record.mean), "answer", words.number(record.mean or 0.0))
            if interval := self._mean_interval(record):
                yield Line(interval, "plain")

    def _share(self, record: NodeView) -> str:
        share = dict(record.shares).get(record.answer, 0.0)
        if self.weighted:
            return words.percent(share)
        rows = np.array([record.rows])
        low, high = (float(end[0]) for end in wilson(share * rows, rows))
        return f"{words.percent(share)} ({100 * low:.0f}–{100 * high:.0f}%)"  # noqa: RUF001

    def _mean_interval(self, record: NodeView) -> str:
        if self.weighted or record.rows < 2 or record.mean is None or record.deviation is None:
            return ""
        if self._hidden.shares[record.number]:
            return ""
        mean, deviation = np.array([record.mean]), np.array([record.deviation])
        with np.errstate(over="ignore", invalid="ignore"):
            ends = [float(end[0]) for end in student(mean, deviation, np.array([record.rows]))]
        if not all(map(math.isfinite, ends)):
            return ""
        return f"({self._number(ends[0])} to {self._number(ends[1])})"

    def _number(self, value: float | None) -> str:
        return rounded(value or 0.0, self._root)

    def _facts(self, record: NodeView) -> Iterator[Line | Shares | Spread | Histogram]:
        if self._hidden.shares[record.number]:
            return iter(())
        return self._class_facts(record) if record.shares else self._mean_facts(record)

    def _class_facts(self, record: NodeView) -> Iterator[Line | Shares]:
        yield self._bar(record.shares)
        if not record.is_leaf or self._view.tree.linear is not None:
            yield _told(record.shares)
        if self._given is not None:
            yield from self._given_classes(self._given, record.number)

    def _given_classes(self, given: GivenRows, node: int) -> Iterator[Line | Shares]:
        counts = given.class_counts(node)
        total = int(counts.sum())
        labels = [*self.colours, "unknown class"]
        order = np.argsort(-counts, kind="stable")
        shares = [(labels[code], int(counts[code]) / total) for code in order if counts[code]]
        if shares:
            yield self._bar(shares)
        yield _told(shares, f"given {total:,}")

    def _bar(self, shares: Sequence[tuple[Any, float]]) -> Shares:
        found = [(self.colours.get(label, OTHERS), label, share) for label, share in shares]
        own = [
            (colour, share, f"{words.label(label)} {words.percent(share)}")
            for colour, label, share in found
            if colour != OTHERS
        ]
        others = [(label, share) for colour, label, share in found if colour == OTHERS]
        if others:
            total = sum(share for _, share in others)
            who = words.label(others[0][0]) if len(others) == 1 else f"{len(others)} others"
            own.append((OTHERS, total, f"{who} {words.percent(total)}"))
        return Shares(tuple(own))

    def _mean_facts(self, record: NodeView) -> Iterator[Line | Spread | Histogram]:
        if not record.is_leaf or self._view.tree.linear is not None:
            yield Line(f"mean {self._number(record.mean)}")
        yield Line(f"deviation {_deviation(record)}")
        if self._given is None:
            yield self._spread(record)
        else:
            yield from self._given_numbers(self._given, record.number)

    def _spread(self, record: NodeView) -> Spread:
        mean, deviation = record.mean or 0.0, record.deviation or 0.0
        ends = (mean, mean - deviation, mean + deviation)
        return Spread(*(_part(end, self.low, self.high) for end in ends))

    def _given_numbers(self, given: GivenRows, node: int) -> Iterator[Line | Histogram]:
        rows = given.rows(node)
        if not rows:
            yield Line("given 0")
            return
        counts, mean = given.histogram(node), given.mean(node)
        heights = tuple((counts / counts.max()).tolist())
        yield Histogram(heights, _part(mean, given.low, given.high))
        yield Line(f"given {rows:,}: mean {self._number(mean)}")


def rounded(value: float, root: NodeView) -> str:
    """A mean for reading: to a thousandth of the spread of all rows, but whole numbers whole."""
    spread = root.deviation or 0.0
    if not 0.0 < spread < math.inf or not abs(value) < LARGE_NUMBER:
        return words.number(value, mean_digits(root))
    decimals = max(0, 3 - math.floor(math.log10(spread)))
    return words.number(round(value, min(300, decimals)))


def _deviation(record: NodeView) -> str:
    return words.number(record.deviation or 0.0, 4)


def _told(shares: Sequence[tuple[Any, float]], start: str = "") -> Line:
    """The largest classes in words; the full line has all of them."""
    names = [words.label(label) for label, _ in shares]
    parts = [words.percent(share) for _, share in shares]
    before = f"{start}: " if start and names else start
    told = [f"{_short(name)} {part}" for name, part in zip(names, parts, strict=True)]
    texts = [before + ", ".join(_first(told, most)) for most in range(MOST_TOLD, 0, -1)]
    fits = [text for text in texts if width(text, SMALL) <= ROOM]
    whole = (f"{name} {part}" for name, part in zip(names, parts, strict=True))
    return Line([*fits, texts[-1]][0], "quiet", before + ", ".join(whole))


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_CLASS else name[: LONGEST_CLASS - 1] + DOTS


def _first(told: list[str], most: int) -> list[str]:
    hidden = len(told) - most
    return told if hidden <= 0 else [*told[:most], f"{hidden} more"]


def _part(value: float, low: float, high: float) -> float:
    """Where a number lies between two others, as a share; those outside are at the ends."""
    if not high > low:
        return 0.5
    return min(1.0, max(0.0, float(part_of_range(value, low, high))))
