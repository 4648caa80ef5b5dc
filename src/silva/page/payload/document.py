"""The whole document: what a model is, its trees, and the evidence beside them."""

from typing import Any

from silva import __version__
from silva.inspect.drawing.boxes import Cards
from silva.inspect.drawing.notes import notes_of
from silva.inspect.importance import columns_used
from silva.inspect.info import chosen_parameters
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.subject import Subject, subject_of, unwrapped
from silva.page.payload import nodes
from silva.page.payload.cards import cards
from silva.page.payload.columns import classes, columns
from silva.tree.outline import Limits, title
from silva.tree.tree import Tree
from silva.tree.view import TreeView
from silva.tree.words import MAX_LISTED

FORMAT, VERSION = "silva-page", 1


def document(model: Any, heading: str = "") -> dict[str, Any]:
    """The model as the page reads it."""
    subject = subject_of(model)
    lexicon = Lexicon(subject.schema, subject.labels)
    first = subject.tree()
    return {
        "format": FORMAT,
        "version": VERSION,
        "silva": __version__,
        "title": heading or subject.title,
        "min_cell": None,
        "model": _model(model, subject),
        "classes": classes(subject, lexicon, first),
        "columns": columns(subject, lexicon, used_columns([first])),
        "trees": [tree_document(first)],
    }


def used_columns(trees: list[Tree]) -> set[int]:
    """The columns that splits or leaves of the trees take."""
    found: set[int] = set()
    for tree in trees:
        found |= set(columns_used(tree).tolist())
        found |= set() if tree.linear is None else set(tree.linear.column.tolist())
    return found


def _model(model: Any, subject: Subject) -> dict[str, Any]:
    return {
        "kind": subject.title,
        "task": subject.task,
        "combiner": subject.combiner,
        "n_trees": len(subject),
        "target": None,
        "parameters": chosen_parameters(unwrapped(model)[0]),
    }


def tree_document(
    tree: Tree, role: str = "model", name: str = "", number: int | None = None
) -> dict[str, Any]:
    """One tree as the page reads it."""
    view = TreeView(tree)
    made = Cards(view, None, MAX_LISTED)
    return {
        "title": name,
        "role": role,
        "number": number,
        "n_nodes": tree.n_nodes,
        "n_leaves": tree.n_leaves,
        "depth": int(view.depth.max()),
        "text_title": title(view),
        "notes": notes_of(view, Limits(max_listed=MAX_LISTED), made, []),
        "weighted": made.weighted,
        "smoothing": None
        if tree.smoothing is None
        else {"m": tree.smoothing.m, "prior": tree.smoothing.prior},
        "nodes": nodes.nodes(view),
        "stats": nodes.leaf_stats(tree),
        "linear": nodes.linear(tree),
        "leaf_words": nodes.leaf_words(tree),
        "time_words": nodes.time_words(tree),
        "cards": cards(view, made, MAX_LISTED),
    }
