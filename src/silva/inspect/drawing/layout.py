"""Where the nodes of a tree are drawn: tidy, in linear time, for boxes of different widths.

The algorithm of Buchheim, Juenger and Leipert (2002), which does for any number of children what
Reingold and Tilford (1981) did for two: subtrees are as near to each other as they can be, a parent
is in the middle above its children, and small subtrees between large ones are spread evenly.
Nothing recurses, so a tree may be as deep as it likes.
"""

from collections.abc import Sequence

COUSINS = 1.6
"""How much further apart nodes of different parents are than siblings."""


def tidy(children: Sequence[Sequence[int]], widths: Sequence[float], gap: float) -> list[float]:
    """The middle of each node, by its number; the leftmost edge of all nodes is at 0.

    Nodes are numbered in pre-order, and those of one depth are side by side, at least `gap` apart.
    """
    return _Tidy(children, widths, gap).places()


def parents_of(children: Sequence[Sequence[int]]) -> list[int]:
    """The parent of each node, -1 for the root."""
    parent = [-1] * len(children)
    for node, below in enumerate(children):
        for child in below:
            parent[child] = node
    return parent


class _Tidy:
    """The lists of the algorithm, by node, under the names that the paper gives them.

    `prelim` is a place beside the siblings, `mod` what a subtree moves by, `thread` the next node
    on the outline of a subtree, `change` and `shift` what spreads the subtrees in between.
    """

    def __init__(
        self, children: Sequence[Sequence[int]], widths: Sequence[float], gap: float
    ) -> None:
        count = len(children)
        self._children, self._widths, self._gap = children, widths, gap
        self._parent = parents_of(children)
        self._number = [0] * count
        self._prelim, self._mod, self._middle = [0.0] * count, [0.0] * count, [0.0] * count
        self._change, self._shift = [0.0] * count, [0.0] * count
        self._thread, self._ancestor = [-1] * count, list(range(count))

    def places(self) -> list[float]:
        for node in reversed(range(len(self._children))):
            if self._children[node]:
                self._place_children(node)
        self._prelim[0] = self._middle[0]
        return self._absolute()

    def _place_children(self, node: int) -> None:
        siblings = self._children[node]
        default = first = siblings[0]
        self._prelim[first] = self._middle[first]
        for number, child in enumerate(siblings[1:], 1):
            left = siblings[number - 1]
            self._number[child] = number
            self._prelim[child] = self._prelim[left] + self._distance(left, child)
            self._mod[child] = self._prelim[child] - self._middle[child]
            default = self._apportion(child, left, first, default)
        self._execute_shifts(siblings)
        self._middle[node] = (self._prelim[first] + self._prelim[siblings[-1]]) / 2

    def _apportion(self, node: int, left: int, first: int, default: int) -> int:
        """Push the subtree of `node` away from those on its left, level by level."""
        inner_right, outer_right, inner_left, outer_left = node, node, left, first
        mod = self._mod
        sum_ir, sum_or, sum_il, sum_ol = mod[node], mod[node], mod[left], mod[first]
        next_left, next_right = self._next_right(inner_left), self._next_left(inner_right)
        while next_left >= 0 and next_right >= 0:
            inner_left, inner_right = next_left, next_right
            outer_left = self._next_left(outer_left)
            outer_right = self._next_right(outer_right)
            self._ancestor[outer_right] = node
            apart = self._prelim[inner_right] + sum_ir - self._prelim[inner_left] - sum_il
            push = self._distance(inner_left, inner_right) - apart
            if push > 0:
                self._move(self._pushed_by(inner_left, node, default), node, push)
                sum_ir += push
                sum_or += push
            sum_il += mod[inner_left]
            sum_ir += mod[inner_right]
            sum_ol += mod[outer_left]
            sum_or += mod[outer_right]
            next_left, next_right = self._next_right(inner_left), self._next_left(inner_right)
        if next_left >= 0 and self._next_right(outer_right) < 0:
            self._thread[outer_right] = next_left
            mod[outer_right] += sum_il - sum_or
        if next_right >= 0 and self._next_left(outer_left) < 0:
            self._thread[outer_left] = next_right
            mod[outer_left] += sum_ir - sum_ol
            return node
        return default

    def _distance(self, left: int, right: int) -> float:
        apart = 1.0 if self._parent[left] == self._parent[right] else COUSINS
        return (self._widths[left] + self._widths[right]) / 2 + apart * self._gap

    def _next_left(self, node: int) -> int:
        return self._children[node][0] if self._children[node] else self._thread[node]

    def _next_right(self, node: int) -> int:
        return self._children[node][-1] if self._children[node] else self._thread[node]

    def _pushed_by(self, inner_left: int, node: int, default: int) -> int:
        """The sibling whose subtree is in the way."""
        found = self._ancestor[inner_left]
        return found if self._parent[found] == self._parent[node] else default

    def _move(self, left: int, right: int, push: float) -> None:
        share = push / (self._number[right] - self._number[left])
        self._change[right] -= share
        self._shift[right] += push
        self._change[left] += share
        self._prelim[right] += push
        self._mod[right] += push

    def _execute_shifts(self, siblings: Sequence[int]) -> None:
        shift = change = 0.0
        for child in reversed(siblings):
            self._prelim[child] += shift
            self._mod[child] += shift
            change += self._change[child]
            shift += self._shift[child] + change

    def _absolute(self) -> list[float]:
        moved = [0.0] * len(self._children)
        for node, below in enumerate(self._children):
            for child in below:
                moved[child] = moved[node] + self._mod[node]
        places = [own + more for own, more in zip(self._prelim, moved, strict=True)]
        halves = zip(places, self._widths, strict=True)
        edge = min(place - width / 2 for place, width in halves)
        return [place - edge for place in places]
