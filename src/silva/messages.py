"""Words for messages: a few of many names, the name that was likely meant, counts."""

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec

_INSTEAD = {
    "DecisionTreeClassifier": "silva.TreeClassifier",
    "DecisionTreeRegressor": "silva.TreeRegressor",
    "RandomForestClassifier": "silva.ForestClassifier",
    "RandomForestRegressor": "silva.ForestRegressor",
    "ExtraTreeClassifier": "silva.TreeClassifier(splitter='random')",
    "ExtraTreeRegressor": "silva.TreeRegressor(splitter='random')",
    "RandomTreesEmbedding": "silva.LeafFeatures",
    "export_text": "silva.to_text",
    "export_graphviz": "silva.to_svg",
    "to_dot": "silva.to_svg",
    "to_graphviz": "silva.to_svg",
    "to_png": "silva.plot_tree",
    "to_pdf": "silva.plot_tree",
    "to_html": "silva.report",
    "to_sql": "silva.rules",
    "to_json": "silva.rules",
    "export_rules": "silva.rules",
    "dump": "silva.save",
    "permutation_importance": "silva.importance(model, X, y, kind='permutation')",
    "feature_importances": "silva.importance",
    "dtreeviz": "silva.to_svg",
    "collapse": "silva.edit.collapse",
    "competing_splits": "silva.edit.competing_splits",
    "graft": "silva.edit.graft",
    "regrow": "silva.edit.regrow",
}
"""Equivalents in silva of names in other packages."""
_BOOSTED = "silva.AdaBoostClassifier boosts small trees, silva.ForestRegressor predicts numbers"
_METHODS = {
    "GradientBoosting": _BOOSTED,
    "HistGradientBoosting": _BOOSTED,
    "XGB": _BOOSTED,
    "LGBM": _BOOSTED,
    "CatBoost": _BOOSTED,
    "AdaBoostRegressor": "silva.ForestRegressor predicts numbers by many trees",
    "IsolationForest": "silva.proximity tells which rows a forest finds alike",
}
"""Methods that silva lacks, by the start of their names, with the nearest alternative."""
_PARTS = ("silva.inspect", "silva.plot")

_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters other than tab and line feed, those of text direction, half surrogates."""


def _escaped(sign: str) -> str:
    code = ord(sign)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def json_escaped(sign: str) -> str:
    """The character as JSON writes it."""
    return f"\\u{ord(sign):04x}"


def visible(text: str, escaped: Callable[[str], str] = _escaped) -> str:
    """The text with every character that could steer a terminal as an escape, such as \\x1b."""
    return _STEERING.sub(lambda found: escaped(found[0]), text)


def listed(names: Sequence[object], most: int = 10) -> str:
    """The first names, quoted, and how many more there are."""
    return first_of([*map(repr, names[:most])], len(names))


def first_of(told: Sequence[str], total: int, between: str = ", ") -> str:
    """What is told of some, and how many more there are."""
    more = f" and {total - len(told)} more" if total > len(told) else ""
    return between.join(told) + more


def nearest(name: object, known: Iterable[str]) -> str | None:
    """The known name that is spelt most like `name`, whatever the case; None if none is close."""
    if not isinstance(name, str):
        return None
    by_lower = {one.lower(): one for one in known}
    near = get_close_matches(name.lower(), by_lower, n=1)
    return by_lower[near[0]] if near else None


def counted(count: int, noun: str, plural: str = "") -> str:
    """A number with its noun: 1 row, 2,000 rows."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def shown(value: object, most: int = 100) -> str:
    """A value as Python writes it, on one line; of a long text the beginning."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python does not write out integers of very many digits
        return f"a value of type {type(value).__name__} that is too long to print"
    return text if len(text) <= most else f"{text[:most]}..."


def no_such_name(module: str, name: str, known: Iterable[str]) -> Exception:
    """The error for a name that a package lacks, with what was likely meant.

    It is for the package's own `__getattr__` to raise. Python replaces an AttributeError in
    `from package import name` by an ImportError of its own that says less; so this is an
    ImportError there, and an AttributeError everywhere else.
    """
    told = f"module {module!r} has no attribute {name!r}{_hint(module, name, known)}"
    caller = sys._getframe(2).f_code.co_name
    if caller == "_handle_fromlist" and not _is_module(f"{module}.{name}"):
        return ImportError(told, name=module)
    return AttributeError(told)


def _hint(module: str, name: str, known: Iterable[str]) -> str:
    if name.startswith("_"):
        return ""
    method = next((one for one in _METHODS if name.startswith(one)), None)
    if method is not None:
        return f": this version does not have that method. {_METHODS[method]}."
    ours = _INSTEAD.get(name) or _elsewhere(module, name)
    if ours is None:
        near = nearest(name, known)
        ours = near and f"{module}.{near}"
    return f". Did you mean {ours}?" if ours else ""


def _elsewhere(module: str, name: str) -> str | None:
    """The same name in another package."""
    for part in ("silva", *_PARTS):
        if part != module and name in getattr(import_module(part), "__all__", ()):
            return f"{part}.{name}"
    return None


def _is_module(path: str) -> bool:
    return find_spec(path) is not None
