"""The rules of trees as they are: one for each place where rows can end, without any loss."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from silva.data.table import Table, Target
from silva.errors import PlanError
from silva.inspect.rules import votes
from silva.inspect.rules.evidence import Figures, of_rows
from silva.inspect.rules.lexicon import Style
from silva.inspect.rules.matching import matching
from silva.inspect.rules.rule import Rule
from silva.inspect.rules.rule_list import RuleList, order_of
from silva.inspect.rules.source import Ends
from silva.inspect.subject import Subject
from silva.messages import counted
from silva.tree import route
from silva.tree.tree import Tree

KEPT_TREES = 8
"""Trees of a forest that are kept unpacked while their rules are made."""


class TreeRules(RuleList):
    """One rule for each end of each tree: a row satisfies exactly one rule of every tree."""

    def __init__(
        self,
        subject: Subject,
        rows: tuple[Table, Target] | None,
        order: str,
        style: Style,
        is_short: bool,
    ) -> None:
        super().__init__(subject, title_of(subject), _note(subject, order), style)
        self._is_short = is_short
        self._kept: dict[int, Ends] = {}
        pairs = [self._figures(number, rows) for number in range(len(subject))]
        self._training = [training for training, _ in pairs]
        self._given = [given for _, given in pairs]
        self._tree_of = np.repeat(np.arange(len(pairs)), [len(one.rows) for one in self._training])
        self._end_of = np.concatenate([np.arange(len(one.rows)) for one in self._training])
        self._order = order_of(order, [given or training for training, given in pairs])

    def __len__(self) -> int:
        return len(self._order)

    def _ends(self, number: int) -> Ends:
        if number not in self._kept:
            while len(self._kept) >= KEPT_TREES:
                del self._kept[next(iter(self._kept))]
            self._kept[number] = Ends(self._subject.tree(number), self._subject.facts)
        return self._kept[number]

    def _figures(
        self, number: int, rows: tuple[Table, Target] | None
    ) -> tuple[Figures, Figures | None]:
        ends = self._ends(number)
        if rows is None:
            return ends.training, None
        table, target = rows
        nodes = route.leaves(ends.tree, table)
        by_node = np.argsort(nodes, kind="stable")
        start = np.searchsorted(nodes[by_node], ends.nodes)
        stop = np.searchsorted(nodes[by_node], ends.nodes, side="right")
        covered = [by_node[first:last] for first, last in zip(start, stop, strict=True)]
        return ends.training, of_rows(covered, target, ends.codes)

    def _rule(self, place: int) -> Rule:
        number, end = int(self._tree_of[self._order[place]]), int(self._end_of[self._order[place]])
        ends, given = self._ends(number), self._given[number]
        node = int(ends.nodes[end])
        return Rule(
            conditions=ends.conditions(node),
            prediction=ends.prediction(end),
            training=self._training[number].at(end),
            given=None if given is None else given.at(end),
            nodes=(node,),
            tree=number if self._subject.combiner != "tree" else None,
            vote=float(self._subject.votes[number]),
            stops=ends.stops(node),
            _style=self._style_of(ends),
        )

    def _style_of(self, ends: Ends) -> Style:
        """Each tree has a short form of its numbers."""
        return replace(self._style, digits=ends.short) if self._is_short else self._style

    def predict(self, X: Any) -> np.ndarray:
        """The prediction of each row: of a tree by the rule that it satisfies, else by the vote.

        The same as the model's `predict`, to the last bit.
        """
        table = self.table(X)
        if self._subject.classes is None:
            return votes.predicted_values(self._subject, self._matched(table), table)
        codes = votes.predicted_codes(self._subject, self._matched(table), table)
        return np.asarray(self._subject.classes[codes])

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, as the model's `predict_proba`."""
        if self._subject.classes is None or self._subject.combiner == "boosted":
            raise PlanError(f"predict_proba is not possible for rules {self.title}; use predict.")
        table = self.table(X)
        return votes.class_shares(self._subject, self._matched(table), table)

    def _matched(self, table: Table) -> Iterator[tuple[Tree, np.ndarray]]:
        """Every tree with the node of the one rule that each row satisfies."""
        for number in range(len(self._subject)):
            ends, left = self._ends(number), np.arange(table.n_rows)
            nodes = np.full(table.n_rows, -1, dtype=np.int64)
            for node in ends.nodes.tolist():
                nodes[matching(ends.conditions(node), table, left)] = node
                left = left[nodes[left] < 0]
                if not len(left):
                    break
            yield ends.tree, nodes


def title_of(subject: Subject) -> str:
    """`of a classification tree`."""
    if subject.combiner == "tree":
        return f"of a {subject.task} tree"
    return f"of the {counted(len(subject), 'tree')} of a {subject.title}"


def _note(subject: Subject, order: str) -> str:
    by = f"Ordered by {order}." if order != "tree" else "In the order of the tree."
    if subject.combiner == "tree":
        return f"{by} Each row satisfies exactly one rule."
    return (
        f"{by} Each row satisfies exactly one rule of every tree, and the trees vote. For one short"
        " list, take silva.rules(silva.distil(model, X).model)."
    )
