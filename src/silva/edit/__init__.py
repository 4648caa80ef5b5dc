"""Editing trees by hand: new models with recomputed statistics and a trail of what was done."""

from silva.edit.actions import collapse, graft, regrow, replace
from silva.edit.competing import Competing, competing_splits
from silva.edit.questions import Among, Below, Each, Missing

__all__ = [
    "Among",
    "Below",
    "Competing",
    "Each",
    "Missing",
    "collapse",
    "competing_splits",
    "graft",
    "regrow",
    "replace",
]
