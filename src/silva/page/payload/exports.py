"""Files that the page hands out, ready-made: a registry, so that a new format is one line.

Each is packed by gzip without a time, so that the same model gives the same bytes.
"""

import base64
import gzip
import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from silva.export.text import to_text
from silva.inspect.rules import rules
from silva.model_file.meta import encode
from silva.page.payload.columns import used_columns
from silva.page.payload.numbers import exact
from silva.page.payload.privacy import hidden_classes, hidden_nodes
from silva.tree.tree import Tree, to_arrays

MOST_BYTES = 300_000
"""A file that is larger than this, packed and as text, is left out."""


class Format(NamedTuple):
    """A kind of file. `make` takes the tree that is shown first; `counts`: it tells rows.

    Trees of more than `most_leaves` give files that are too large, and are not tried.
    """

    name: str
    file: str
    mime: str
    make: Callable[[Tree], str]
    most_leaves: int = 2_500
    counts: bool = True


class Files(NamedTuple):
    """The files of a page, and the names of those that are left out.

    They would tell rows that are hidden, or are too large.
    """

    ready: list[dict[str, str]]
    telling: list[str]
    large: list[str]


def _rules_text(tree: Tree) -> str:
    return "\n".join(map(str, rules(tree, digits=None))) + "\n"


def _rules_json(tree: Tree) -> str:
    return _json(rules(tree).to_dict())


def _tree_json(tree: Tree) -> str:
    """What the model file of a tree holds, as text: its meta data, and its arrays by name.

    Levels of columns that the tree does not ask about are left out: they may be names.
    """
    arrays = {name: array.tolist() for name, array in to_arrays(tree).items()}
    meta, used = json.loads(encode(tree, {})), used_columns([tree])
    for number, column in enumerate(meta["schema"]["columns"]):
        column["levels"] = column["levels"] if number in used else None
    return _json({"format": "silva-tree", "meta": meta, "arrays": arrays})


def _json(value: Any) -> str:
    return json.dumps(exact(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


FORMATS = [
    Format(
        "text",
        "tree.txt",
        "text/plain",
        lambda tree: to_text(tree, max_listed=None, digits=None) + "\n",
    ),
    Format("rules", "rules.txt", "text/plain", _rules_text),
    Format("rules as JSON", "rules.json", "application/json", _rules_json, 600),
    Format("JSON", "tree.json", "application/json", _tree_json),
]


def exports(
    tree: Tree, min_cell: int | None = None, more: Sequence[tuple[Format, str]] = ()
) -> Files:
    """The files of a tree. `more` are formats with their text, made by layers above this one."""
    is_hiding = hides(tree, min_cell)
    found = Files([], [], [])
    texts: list[tuple[Format, str | None]] = [(one, None) for one in FORMATS]
    for kind, text in [*texts, *more]:
        if kind.counts and is_hiding:
            found.telling.append(kind.name)
            continue
        file = None if tree.n_leaves > kind.most_leaves else _file(kind, text or kind.make(tree))
        if file is None or len(file["gzip"]) > MOST_BYTES:
            found.large.append(kind.name)
        else:
            found.ready.append(file)
    return found


def hides(tree: Tree, min_cell: int | None) -> bool:
    """Whether any rows or classes of the tree are hidden."""
    return bool(hidden_nodes(tree, min_cell).any() or hidden_classes(tree, min_cell).any())


def _file(kind: Format, text: str) -> dict[str, str]:
    data = gzip.compress(text.encode(errors="backslashreplace"), 9, mtime=0)
    return {
        "name": kind.name,
        "file": kind.file,
        "mime": kind.mime,
        "gzip": base64.b64encode(data).decode("ascii"),
    }
