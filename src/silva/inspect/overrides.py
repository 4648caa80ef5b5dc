"""Subclasses of silva's estimators that change what ensembles would do without asking them."""

from typing import Any

from silva.checks import refuse
from silva.messages import listed

OWN_CLASS = "Give a model of silva's own class."


def refuse_overrides(name: str, model: Any, ignored_by: str, instead: str) -> None:
    """Refuse a model whose class overrides a method of silva: it would not be called.

    A constructor, other special methods and additional methods change nothing here.
    """
    names = overridden(type(model))
    if names:
        kind = type(model).__name__
        allowed = f"{ignored_by} does not call the methods that {kind} overrides ({listed(names)})"
        refuse(name, model, allowed, instead)


def overridden(kind: type) -> list[str]:
    """The methods and properties of silva that another class has replaced, sorted."""
    ours = [one for one in kind.__mro__ if _is_silva(one)]
    names = {name for one in ours for name in vars(one) if not _is_special(name)}
    return sorted(name for name in names if not _is_silva(_home(kind, name)))


def _home(kind: type, name: str) -> type:
    return next(one for one in kind.__mro__ if name in vars(one))


def _is_silva(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "silva"


def _is_special(name: str) -> bool:
    """Names that Python or scikit-learn gives every class."""
    return name.startswith(("__", "_abc_")) or name.endswith("_request")
