"""Rules without conditions that change no prediction: proved over the regions of the tree.

The region of a rule is widened by leaving a condition out. That is allowed if every end of the tree
that the wider region reaches gives the same prediction: then each row of the wider region gets the
tree's own prediction. Rules may come to overlap, and agree where they do. Regions of splits of
several columns are taken to meet unless they part on the very same question, so what is dropped is
safe, but not every condition that could be dropped may be found.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from silva.data.table import Table, Target
from silva.inspect.rules.conditions import (
    Condition,
    Interval,
    Key,
    is_empty,
    is_everything,
    key_of,
    meet,
    taken,
)
from silva.inspect.rules.evidence import Figures, of_rows
from silva.inspect.rules.lexicon import Style
from silva.inspect.rules.made import MadeRules
from silva.inspect.rules.matching import matching
from silva.inspect.rules.of_trees import title_of
from silva.inspect.rules.rule import Rule
from silva.inspect.rules.rule_list import RuleList, order_of
from silva.inspect.rules.source import Ends
from silva.inspect.subject import Subject
from silva.tree import shape, stats
from silva.tree.splits import STOP, split_of
from silva.tree.tree import Tree

Region = dict[Key, Condition]
MIXED = -1
NOTE = (
    "Every row satisfies at least one rule; where rules overlap, they agree. Training rows are"
    " those of the leaves that a rule stands for: it may cover more."
)


@dataclass(frozen=True)
class Simple:
    """Conditions, the places of the ends that the rule stands for, and what it predicts."""

    conditions: tuple[Condition, ...]
    places: tuple[int, ...]
    prediction: int


def simplified_rules(
    subject: Subject,
    rows: tuple[Table, Target] | None,
    order: str,
    style: Style,
) -> RuleList:
    """The rules of a tree, simplified without loss."""
    ends = Ends(subject.tree())
    found = simplified(ends)
    training = _summed(ends.training, [one.places for one in found])
    given = None if rows is None else _measured(ends, found, *rows)
    made = [
        Rule(
            conditions=one.conditions,
            prediction=ends.prediction(one.places[0]),
            training=training.at(place),
            given=None if given is None else given.at(place),
            nodes=tuple(ends.nodes[list(one.places)].tolist()),
            stops=all(ends.stops(node) for node in ends.nodes[list(one.places)].tolist()),
            _style=style,
        )
        for place, one in enumerate(found)
    ]
    in_order = tuple(made[place] for place in order_of(order, [given or training]))
    title = f"{title_of(subject)}, simplified without loss"
    return MadeRules(subject, in_order, title=title, note=NOTE, style=style)


def _measured(ends: Ends, found: list[Simple], table: Table, target: Target) -> Figures:
    """What given rows say of the rules, each taken by itself."""
    every = np.arange(table.n_rows)
    covered = [matching(one.conditions, table, every) for one in found]
    codes = None if ends.codes is None else ends.codes[[one.places[0] for one in found]]
    return of_rows(covered, target, codes)


def _summed(figures: Figures, groups: list[tuple[int, ...]]) -> Figures:
    """The figures of ends, added up over the ends that each rule stands for, which agree."""
    picks = [list(group) for group in groups]
    first = [pick[0] for pick in picks]
    weight = np.array([figures.weight[pick].sum() for pick in picks])

    def mean(values: np.ndarray) -> np.ndarray:
        parts = [figures.weight[pick] / total for pick, total in zip(picks, weight, strict=True)]
        return np.array([values[pick] @ part for pick, part in zip(picks, parts, strict=True)])

    share = mean(figures.share)
    widest = max(1e-300, float(np.nanmax(figures.deviation, initial=0.0)))
    return replace(
        figures,
        rows=np.array([figures.rows[pick].sum() for pick in picks]),
        weight=weight,
        share=share,
        base=figures.base[first],
        counted_share=None if figures.counted_share is None else share,
        mean=figures.mean[first],
        deviation=widest * np.sqrt(mean((figures.deviation / widest) ** 2)),
    )


def simplified(ends: Ends) -> list[Simple]:
    """The rules, largest ends first; an end inside an earlier rule adds no rule of its own.

    Only rules that were widened can hold another end: ends have no row in common.
    """
    boxes = Boxes(ends)
    found: list[Simple] = []
    widened: dict[int, WidenedRules] = {}
    for place in np.argsort(-ends.training.rows, kind="stable").tolist():
        own = {key_of(one): one for one in ends.conditions(int(ends.nodes[place]))}
        prediction = boxes.predictions[place]
        known = widened.setdefault(prediction, WidenedRules())
        holder = known.holder(own)
        if holder is not None:
            old = found[holder]
            found[holder] = replace(old, places=(*old.places, place))
            continue
        wide = boxes.widened(own, prediction)
        if wide != own:
            known.add(len(found), wide)
        found.append(Simple(tuple(wide.values()), (place,), prediction))
    return found


class WidenedRules:
    """Rules with the same prediction, by their numbers; each distinct condition is one bit."""

    def __init__(self) -> None:
        self._rules: list[tuple[int, int]] = []
        self._bits: dict[Key, dict[Condition, int]] = {}
        self._n_conditions = 0

    def add(self, number: int, region: Region) -> None:
        self._rules.append((number, sum(map(self._bit, region.values()))))

    def holder(self, region: Region) -> int | None:
        """The first rule whose conditions every row of the region satisfies."""
        holding = 0
        for key, own in region.items():
            for condition, bit in self._bits.get(key, {}).items():
                if meet(own, condition) == own:
                    holding |= bit
        return next((number for number, needed in self._rules if not needed & ~holding), None)

    def _bit(self, condition: Condition) -> int:
        of_key = self._bits.setdefault(key_of(condition), {})
        if condition not in of_key:
            of_key[condition] = 1 << self._n_conditions
            self._n_conditions += 1
        return of_key[condition]


class Edge(NamedTuple):
    """A way from a node to a child, or to its end for rows that `STOP` there.

    `condition` is what the splits on `key` from the root down to here ask together. `prediction` is
    what all ends beyond share, `MIXED` if they differ.
    """

    below: int
    key: Key
    condition: Condition
    prediction: int


class Boxes:
    """The regions of a tree's ends, and which predictions a region reaches."""

    def __init__(self, ends: Ends) -> None:
        self._columns = ends.tree.schema.columns
        self.predictions = _predictions(ends)
        of_node = dict(zip(ends.nodes.tolist(), self.predictions, strict=True))
        self._edges = _edges(ends.tree, of_node)

    def widened(self, region: Region, prediction: int) -> Region:
        """The region without what does not matter: whole conditions first, then single limits."""
        reach = Reach(self._edges, region, prediction)
        for key in region:
            reach.widen(key, None)
        for key, condition in reach.region.items():
            any(reach.widen(key, wider) for wider in _one_limit_less(condition))
        kept = reach.region.items()
        return {key: one for key, one in kept if not is_everything(one, self._columns)}


class Reach:
    """The part of a tree that rows of a region reach, while all its ends predict the same.

    A region grows one condition at a time: what was reached before stays reached, so only edges
    that the condition closed are followed.
    """

    def __init__(self, edges: list[list[Edge]], region: Region, prediction: int) -> None:
        self._edges, self._prediction = edges, prediction
        self._limits: dict[Key, Condition | None] = dict(region)
        self._closed: dict[Key, list[Edge]] = {}
        self._follow(edges[0])

    @property
    def region(self) -> Region:
        return {key: one for key, one in self._limits.items() if one is not None}

    def widen(self, key: Key, wider: Condition | None) -> bool:
        """Take this condition in place of the one on the key, if all ends still agree."""
        old, self._limits[key] = self._limits[key], wider
        waiting = self._closed.pop(key, [])
        if self._follow(waiting):
            return True
        self._limits[key], self._closed[key] = old, waiting
        return False

    def _follow(self, edges: list[Edge]) -> bool:
        """Reach what lies beyond these edges; False, and nothing changed, at other predictions."""
        waiting, closed = list(edges), []
        while waiting:
            edge = waiting.pop()
            limit = self._limits.get(edge.key)
            if limit is not None and is_empty(meet(limit, edge.condition)):
                closed.append(edge)
            elif edge.prediction == MIXED:
                waiting += self._edges[edge.below]
            elif edge.prediction != self._prediction:
                return False
        for edge in closed:
            self._closed.setdefault(edge.key, []).append(edge)
        return True


def _edges(tree: Tree, of_node: dict[int, int]) -> list[list[Edge]]:
    """The edges below each node that rows can take, those to a single prediction last.

    `ways` has, for each key, the edges that lead to the current node, and where they end.
    """
    shared = _shared(tree, of_node)
    found: list[list[Edge]] = []
    into: dict[int, Edge] = {}
    ways: dict[Key, list[tuple[int, Condition]]] = {}
    for node, end in enumerate(tree.subtree_end.tolist()):
        if node in into:
            ways.setdefault(into[node].key, []).append((end, into[node].condition))
        edges = []
        for below, condition in _ways_from(tree, node):
            key = key_of(condition)
            both = _narrowed(ways.get(key, []), node, condition)
            prediction = of_node.get(node) if below == STOP else shared[below]
            if prediction is not None and not is_empty(both):
                edges.append(Edge(below, key, both, prediction))
        into |= {edge.below: edge for edge in edges if edge.below != STOP}
        found.append(sorted(edges, key=lambda edge: edge.prediction != MIXED))
    return found


def _narrowed(way: list[tuple[int, Condition]], node: int, condition: Condition) -> Condition:
    """The condition together with those on the way to the node, which drops ways that ended."""
    while way and way[-1][0] <= node:
        way.pop()
    return meet(way[-1][1], condition) if way else condition


def _ways_from(tree: Tree, node: int) -> list[tuple[int, Condition]]:
    """The children of a node and `STOP`, each with what its split asks of the rows it gets."""
    split = split_of(tree, node)
    if split is None:
        return []
    columns = tree.schema.columns
    children = tree.child[tree.child_start[node] : tree.child_start[node + 1]].tolist()
    ways = [(child, taken(split, number, columns)) for number, child in enumerate(children)]
    return [*ways, (STOP, taken(split, STOP, columns))]


def _one_limit_less(condition: Condition) -> Iterator[Condition]:
    if isinstance(condition, Interval) and None not in (condition.low, condition.high):
        yield replace(condition, low=None)
        yield replace(condition, high=None)


def _predictions(ends: Ends) -> list[int]:
    """A number for the prediction of each end: equal for ends that predict the same."""
    tree, nodes = ends.tree, ends.nodes
    if tree.linear is not None:
        return list(range(len(nodes)))
    if ends.codes is not None:
        return [int(code) for code in ends.codes]
    numbers: dict[float, int] = {}
    means = stats.node_mean(tree, nodes).tolist()
    return [numbers.setdefault(mean, len(numbers)) for mean in means]


def _shared(tree: Tree, of_node: dict[int, int]) -> list[int | None]:
    """The prediction that all ends at and below each node share, `MIXED` if they do not.

    None where no row ends.
    """
    found = [of_node.get(node) for node in range(tree.n_nodes)]
    parent = shape.parents(tree.child_start, tree.child).tolist()
    for node in range(tree.n_nodes - 1, 0, -1):
        above, own = parent[node], found[node]
        if own is not None:
            found[above] = own if found[above] in (None, own) else MIXED
    return found
