"""What a pruner did: the steps in their order, each with its reason and its figures."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple

from silva.messages import counted
from silva.notebook import ShownAsText
from silva.tree.collapse import collapse
from silva.tree.tree import Tree

Action = Literal["collapse", "raise", "label"]
SHOWN = 10


class Step(NamedTuple):
    """One change. `node` is its number in the tree that was given in.

    "collapse" makes the node a leaf, "raise" puts one of its children's subtrees in its place.
    The leaves are those of the whole tree, the values are `Record.measure` of the whole tree.
    """

    node: int
    action: Action
    leaves_before: int
    leaves_after: int
    value_before: float
    value_after: float
    why: str


@dataclass(frozen=True, slots=True)
class Record(ShownAsText):
    """The method, its settings, what its values measure, and every step in order.

    A later step may make a node a leaf that has earlier steps below it. `evidence` holds what the
    choice was made by beside the steps (the errors of a cross-validation, say), ready to draw;
    `note` says which rows chose, where the method does not.
    """

    method: str
    settings: Mapping[str, Any]
    measure: str
    steps: tuple[Step, ...]
    leaves_before: int
    leaves_after: int
    evidence: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""

    @property
    def headline(self) -> str:
        """Method, settings and sizes in one line."""
        choices = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        before, after = self.leaves_before, counted(self.leaves_after, "leaf", "leaves")
        return f"{self.method}({choices}): {before:,} -> {after}, {_steps(self.steps)}"

    def __str__(self) -> str:
        lines = [_line(step) for step in self.steps[:SHOWN]]
        if len(self.steps) > SHOWN:
            lines.append(f"  ... and {counted(len(self.steps) - SHOWN, 'step')} more")
        head = f"{self.headline}; {self.measure}:" if lines else self.headline
        return "\n".join([head, *lines, *([f"  {self.note}"] if self.note else [])])


@dataclass(frozen=True, slots=True)
class Pruned:
    """A pruned tree and how it came about."""

    tree: Tree
    record: Record


class StepLog:
    """Collects the steps of one pruner on one tree."""

    def __init__(self, pruner: Any, tree: Tree, measure: str, value: float) -> None:
        self._pruner, self._tree, self._measure = pruner, tree, measure
        self._leaves, self._value = tree.n_leaves, value
        self._steps: list[Step] = []

    def add(self, node: int, action: Action, leaves_saved: int, value: float, why: str) -> None:
        """One more change, after which the whole tree has this value."""
        after = self._leaves - leaves_saved
        self._steps.append(Step(node, action, self._leaves, after, self._value, value, why))
        self._leaves, self._value = after, value

    def collapsed(self, **evidence: Any) -> Pruned:
        """The tree in which the nodes of all steps are leaves."""
        return self.finish(collapse(self._tree, [step.node for step in self._steps]), **evidence)

    def finish(self, tree: Tree, **evidence: Any) -> Pruned:
        """This tree, as the result of the steps."""
        record = Record(
            type(self._pruner).__name__,
            {f.name: getattr(self._pruner, f.name) for f in fields(self._pruner)},
            self._measure,
            tuple(self._steps),
            self._tree.n_leaves,
            tree.n_leaves,
            evidence,
        )
        return Pruned(tree, record)


def _steps(steps: tuple[Step, ...]) -> str:
    return counted(len(steps), "step") if steps else "nothing to prune"


def _line(step: Step) -> str:
    verb = {"collapse": "a leaf", "raise": "raised", "label": "another label"}[step.action]
    leaves = f"{step.leaves_before:,} -> {step.leaves_after:,} leaves"
    values = f"{step.value_before:.6g} -> {step.value_after:.6g}"
    return f"  node {step.node}: {verb}, {leaves}, {values}: {step.why}"
