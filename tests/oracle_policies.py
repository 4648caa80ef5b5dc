"""Where missing and unseen values go: one function a column of the documented table."""

from collections.abc import Sequence
from typing import NamedTuple

from tests.oracle_criteria import Stats
from tests.oracle_splits import STOP

LEARN, MAJORITY, OWN_BRANCH, STOP_HERE, ERROR = POLICIES = (
    "learn",
    "majority",
    "own_branch",
    "stop",
    "error",
)
STRICTEST_FIRST = (ERROR, STOP_HERE, OWN_BRANCH, MAJORITY, LEARN)
FORMS = ("threshold", "onevsrest", "subset", "multiway")


class Ask(NamedTuple):
    """How a column may be split, and what becomes of its missing and unseen values."""

    form: str = "threshold"
    missing: str = LEARN
    unseen: str = MAJORITY


def lone_go_with_missing(ask: Ask) -> bool:
    """Whether levels without evidence join the missing values of a node: where unseen ones will."""
    has_branch = ask.missing == OWN_BRANCH or (ask.missing == LEARN and ask.form == "multiway")
    if ask.unseen == LEARN:
        return has_branch or ask.missing == LEARN
    return ask.unseen == OWN_BRANCH and has_branch


class Placing(NamedTuple):
    """One way to deal with the missing values of a node: where a later one goes, and the children
    that training makes."""

    missing_child: int
    children: tuple[Stats, ...]


def placings(policy: str, known: Sequence[Stats], missing: Stats) -> list[Placing]:
    """The ways to add the rows without a value to the children of those with one."""
    heaviest = heaviest_of(known)
    if not missing.rows:
        return [Placing(heaviest if policy in (LEARN, MAJORITY) else STOP, tuple(known))]
    if policy == LEARN:
        return [Placing(side, joined(known, side, missing)) for side in range(len(known))]
    if policy == OWN_BRANCH:
        return [Placing(len(known), (*known, missing))]
    children = joined(known, heaviest, missing)
    return [Placing(heaviest if policy == MAJORITY else STOP, children)]


def joined(known: Sequence[Stats], side: int, missing: Stats) -> tuple[Stats, ...]:
    return tuple(child + missing if i == side else child for i, child in enumerate(known))


def heaviest_of(children: Sequence[Stats]) -> int:
    """The first of the heaviest."""
    weights = [child.weight for child in children]
    return weights.index(max(weights))


def unseen_child(policy: str, placing: Placing, n_known: int, missing: Stats) -> int:
    if policy == MAJORITY:
        return heaviest_of(placing.children)
    if policy == LEARN:
        return placing.missing_child if missing.rows else heaviest_of(placing.children)
    if policy == OWN_BRANCH and placing.missing_child == n_known:
        return n_known
    return STOP


def strictest(policies: Sequence[str]) -> str:
    return min(policies, key=STRICTEST_FIRST.index)
