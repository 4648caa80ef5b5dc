"""Rules without conditions that change no prediction: proved over the regions of the tree.

The region of a rule is widened by leaving a condition out. That is allowed if every end of the tree
that the wider region reaches gives the same prediction: then each row of the wider region gets the
tree's own prediction. Rules may come to overlap, and agree where they do. Regions of splits of
several columns are taken to meet unless they part on the very same question, so what is dropped is
safe, but not every condition that could be dropped may be found.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

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
    widened: dict[int, list[int]] = {}
    for place in np.argsort(-ends.training.rows, kind="stable").tolist():
        own = {key_of(one): one for one in ends.conditions(int(ends.nodes[place]))}
        prediction = boxes.predictions[place]
        known = widened.setdefault(prediction, [])
        holder = next((one for one in known if _inside(own, found[one].conditions)), None)
        if holder is not None:
            old = found[holder]
            found[holder] = replace(old, places=(*old.places, place))
            continue
        wide = boxes.widened(own, prediction)
        if wide != own:
            known.append(len(found))
        found.append(Simple(tuple(wide.values()), (place,), prediction))
    return found


def _inside(region: Region, conditions: tuple[Condition, ...]) -> bool:
    """Whether every row of the region satisfies the conditions."""
    for condition in conditions:
        own = region.get(key_of(condition))
        if own is None or meet(own, condition) != own:
            return False
    return True


class Boxes:
    """The regions of a tree's ends, and which predictions a region reaches."""

    def __init__(self, ends: Ends) -> None:
        self._tree, self._columns = ends.tree, ends.tree.schema.columns
        self._start, self._child = self._tree.child_start.tolist(), self._tree.child.tolist()
        self._edges: dict[int, list[tuple[int, Condition]]] = {}
        self.predictions = _predictions(ends)
        self._of_node = dict(zip(ends.nodes.tolist(), self.predictions, strict=True))
        self._uniform = _uniform(self._tree, self._of_node)

    def widened(self, region: Region, prediction: int) -> Region:
        """The region without what does not matter: whole conditions first, then single limits."""
        for key in list(region):
            without = {other: one for other, one in region.items() if other != key}
            if self.reaches_only(without, prediction):
                region = without
        for key, condition in list(region.items()):
            for wider in _one_limit_less(condition):
                changed = {**region, key: wider}
                if self.reaches_only(changed, prediction):
                    region = changed
                    break
        return {key: one for key, one in region.items() if not is_everything(one, self._columns)}

    def reaches_only(self, region: Region, prediction: int) -> bool:
        """Whether every end that rows of the region can reach gives this prediction."""
        stack = [(0, region)]
        while stack:
            node, reached = stack.pop()
            if self._uniform[node] == prediction:
                continue
            if self._tree.is_leaf[node]:
                return False
            for below, edge in self._edges_of(node):
                key = key_of(edge)
                both = meet(reached[key], edge) if key in reached else edge
                if is_empty(both):
                    continue
                if below == STOP:
                    if self._of_node.get(node, prediction) != prediction:
                        return False
                else:
                    stack.append((below, {**reached, key: both}))
        return True

    def _edges_of(self, node: int) -> list[tuple[int, Condition]]:
        """The children of a node and `STOP`, each with what leads there."""
        if node not in self._edges:
            split = split_of(self._tree, node)
            assert split is not None
            children = self._child[self._start[node] : self._start[node + 1]]
            edges = [
                (child, taken(split, number, self._columns))
                for number, child in enumerate(children)
            ]
            edges.append((STOP, taken(split, STOP, self._columns)))
            self._edges[node] = [edge for edge in edges if not is_empty(edge[1])]
        return self._edges[node]


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


def _uniform(tree: Tree, of_node: dict[int, int]) -> list[int]:
    """The prediction that all ends at and below each node share, `MIXED` if they do not.

    A node that no row reaches shares any.
    """
    found: list[int | None] = [of_node.get(node) for node in range(tree.n_nodes)]
    parent = shape.parents(tree.child_start, tree.child).tolist()
    for node in range(tree.n_nodes - 1, 0, -1):
        above, own = parent[node], found[node]
        if own is not None:
            found[above] = own if found[above] in (None, own) else MIXED
    return [MIXED if one is None else one for one in found]
