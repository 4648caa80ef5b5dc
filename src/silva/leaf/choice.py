"""What leaves shall answer: the choices a user can make, checked when they are made."""

import math
from dataclasses import dataclass

from silva.checks import Settings, as_float, is_real, is_whole
from silva.data.table import Task
from silva.errors import PlanError
from silva.messages import nearest, shown

NAMES: dict[Task, tuple[str, ...]] = {
    "classification": ("probability", "laplace", "m_estimate", "linear"),
    "regression": ("constant", "linear"),
}


@dataclass(frozen=True, slots=True)
class MEstimate(Settings):
    """Class probabilities drawn towards those of the whole table, as if by `m` more rows of it."""

    m: float = 2.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", _number("MEstimate", "m", self.m))


@dataclass(frozen=True, slots=True)
class LinearLeaf(Settings):
    """A linear (or logistic) model in each leaf.

    `ridge` times the sum of the squared weights of standardised columns is added to the sum of
    squares that is minimised (for classes, see `leaf.logistic.PENALTY`); `max_columns` limits the
    columns of a leaf's model (None: no limit); `extrapolate` lets answers leave the range of the
    leaf's training rows.
    """

    ridge: float = 1.0
    max_columns: int | None = None
    extrapolate: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "ridge", _number("LinearLeaf", "ridge", self.ridge))
        most = self.max_columns
        if most is not None and (not is_whole(most) or most < 0):
            raise PlanError(
                "LinearLeaf: max_columns must be None or an integer of at least 0, is"
                f" {shown(most)}."
            )
        if not isinstance(self.extrapolate, bool):
            raise PlanError(
                f"LinearLeaf: extrapolate must be True or False, is {shown(self.extrapolate)}."
            )


Leaf = MEstimate | LinearLeaf | str | None

_IN_FULL: dict[str, type[MEstimate | LinearLeaf]] = {"m_estimate": MEstimate, "linear": LinearLeaf}


def checked(leaf: object, task: Task) -> str | MEstimate | LinearLeaf:
    """The choice with its defaults written out, or PlanError if the task has no such leaves."""
    match leaf:
        case None:
            return NAMES[task][0]
        case str() if leaf in NAMES[task]:
            return _IN_FULL[leaf]() if leaf in _IN_FULL else leaf
        case LinearLeaf():
            return leaf
        case MEstimate() if task == "classification":
            return leaf
    raise PlanError(f"leaf={shown(leaf)}: {_advice(leaf, task)}")


def _advice(leaf: object, task: Task) -> str:
    other: Task = "regression" if task == "classification" else "classification"
    if isinstance(leaf, MEstimate) or (isinstance(leaf, str) and leaf in NAMES[other]):
        return f"such leaves are for {other}; a {task} tree takes {_listed(task)}."
    return f"a {task} tree takes {_listed(task)}.{_meant(leaf, task)}"


def _meant(leaf: object, task: Task) -> str:
    if leaf is LinearLeaf or (leaf is MEstimate and task == "classification"):
        return f" Did you mean leaf=silva.{leaf.__name__}()?"
    near = nearest(leaf, NAMES[task])
    return f" Did you mean {near!r}?" if near else ""


def _listed(task: Task) -> str:
    values = ["None", *map(repr, NAMES[task]), "silva.LinearLeaf(...)"]
    if task == "classification":
        values.append("silva.MEstimate(...)")
    return f"{', '.join(values[:-1])} or {values[-1]}"


def _number(owner: str, name: str, value: object) -> float:
    if not is_real(value) or not 0.0 <= as_float(value) < math.inf:
        raise PlanError(f"{owner}: {name} must be a number of at least 0, is {shown(value)}.")
    return as_float(value)
