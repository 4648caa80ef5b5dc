"""Pruners by name, and what every pruner is."""

from importlib import import_module
from typing import Any, Protocol

from silva.checks import either, near, refuse
from silva.messages import shown
from silva.prune.evidence import Evidence, LooksAtValidation
from silva.prune.record import Pruned
from silva.tree.tree import Tree

NAMED = {
    "auto": ("silva.prune.auto", "Auto"),
    "reduced_error": ("silva.prune.reduced_error", "ReducedError"),
    "accuracy_threshold": ("silva.prune.accuracy_threshold", "AccuracyThreshold"),
    "minimum_error": ("silva.prune.minimum_error", "MinimumError"),
    "pessimistic": ("silva.prune.pessimistic", "Pessimistic"),
    "generalisation_bound": ("silva.prune.bound", "GeneralisationBound"),
    "cost_complexity": ("silva.prune.cost_complexity", "CostComplexity"),
}
"""The pruners that need no argument, by the names that estimators take."""

WITH_ARGUMENT = {
    "critical_value": "silva.CriticalValue(min_gain)",
    "max_leaves": "silva.MaxLeaves(max_leaves)",
    "bottom_up": "silva.BottomUp(f)",
}
"""Those that need one, and how they are made."""

OFF = "none"
SEEDED = ("auto", "cost_complexity")


class Pruner(Protocol):
    """Settings that are called with a tree and what may be looked at beside it.

    A pruner may say `looks_at_validation`: "never", "if given" (also taken for one that does not
    say) or "always".
    """

    def __call__(self, tree: Tree, evidence: Evidence) -> Pruned: ...


def pruner_of(prune: Any, seed: int = 0) -> Pruner | None:
    """The pruner that a name or an object stands for; None for None and "none".

    `seed` draws the folds of a pruner that was asked for by name; an object has its own.
    """
    if prune is None or (isinstance(prune, str) and prune == OFF):
        return None
    if isinstance(prune, str) and prune in NAMED:
        module, name = NAMED[prune]
        kind: Any = getattr(import_module(module), name)
        pruner: Pruner = kind(seed=seed) if prune in SEEDED else kind()
        return pruner
    if isinstance(prune, str) or not callable(prune) or isinstance(prune, type):
        _refuse(prune)
    return prune  # type: ignore[no-any-return]


def looks_at_validation(pruner: Pruner) -> LooksAtValidation:
    """Whether the pruner chooses by rows that were held out."""
    found: LooksAtValidation = getattr(pruner, "looks_at_validation", "if given")
    return found


def _refuse(prune: Any) -> None:
    names = (*NAMED, OFF)
    if isinstance(prune, str) and prune in WITH_ARGUMENT:
        refuse("prune", prune, f"it needs an argument: use prune={WITH_ARGUMENT[prune]}")
    hint = near(prune, (*names, *WITH_ARGUMENT))
    if isinstance(prune, type):
        hint = f"Did you mean prune={prune.__name__}()?"
    allowed = f"use None, {either(names)}, or a pruner such as silva.MaxLeaves(10)"
    refuse("prune", prune, allowed, hint)


def checked_result(pruner: Pruner, found: Any) -> Pruned:
    """What the pruner returned, if it is what pruners return."""
    if not isinstance(found, Pruned):
        allowed = "a pruner returns a Pruned(tree, record)"
        refuse("prune", pruner, f"{allowed}, and this one returned {shown(found)}")
    return found
