"""The whole document: what a model is, its trees, and the evidence beside them."""

from typing import Any

from silva import __version__
from silva.inspect.drawing.boxes import Cards
from silva.inspect.drawing.given import GivenRows as DrawnRows
from silva.inspect.drawing.notes import notes_of
from silva.inspect.info import chosen_parameters
from silva.inspect.rules.lexicon import Lexicon
from silva.inspect.subject import Subject, subject_of, unwrapped
from silva.page.payload import nodes
from silva.page.payload.cards import cards
from silva.page.payload.columns import classes, columns, used_columns
from silva.page.payload.evidence import evidence
from silva.page.payload.masking import hidden_of, masked_columns, masked_nodes
from silva.page.payload.shown_trees import ShownTree, ShownTrees, shown_trees
from silva.tree.shown import Limits
from silva.tree.view import TreeView, title
from silva.tree.words import MAX_LISTED

FORMAT, VERSION = "silva-page", 1


def document(
    model: Any,
    heading: str = "",
    *,
    shown: ShownTrees | None = None,
    target: str | None = None,
    min_cell: int | None = None,
    **options: Any,
) -> dict[str, Any]:
    """The model as the page reads it; `options` are those of `evidence`."""
    subject = subject_of(model)
    found = shown or shown_trees(model, subject)
    lexicon = Lexicon(subject.schema, subject.labels)
    used = used_columns([one.tree for one in found.trees])
    beside = _evidence(model, subject, found, min_cell, options)
    fold = beside["pruning"].pop("fold", None)
    return {
        "format": FORMAT,
        "version": VERSION,
        "silva": __version__,
        "title": heading or subject.title,
        "min_cell": min_cell,
        "model": _model(model, subject, target),
        "classes": classes(
            subject, lexicon, found.first, bool(hidden_of(found.first, min_cell).shares[0])
        ),
        "columns": masked_columns(columns(subject, lexicon, used), min_cell),
        "trees": [
            tree_document(one, min_cell, *((fold, _targets(found, min_cell)) if place == 0 else ()))
            for place, one in enumerate(found.trees)
        ],
        **beside,
    }


def _evidence(
    model: Any,
    subject: Subject,
    shown: ShownTrees,
    min_cell: int | None,
    options: dict[str, Any],
) -> dict[str, Any]:
    return evidence(
        model,
        subject,
        [one.tree for one in shown.trees],
        rows=shown.rows,
        shown=shown.members,
        distilled=shown.distilled,
        distilled_place=None if shown.distilled is None else 0,
        min_cell=min_cell,
        **options,
    )


def _model(model: Any, subject: Subject, target: str | None) -> dict[str, Any]:
    return {
        "kind": subject.title,
        "task": subject.task,
        "combiner": subject.combiner,
        "n_trees": len(subject),
        "target": target,
        "parameters": {
            name: repr(value) for name, value in chosen_parameters(unwrapped(model)[0]).items()
        },
    }


def _targets(shown: ShownTrees, min_cell: int | None) -> DrawnRows | None:
    """The given rows, where the boxes of the first tree can draw the numbers that they predict."""
    rows, tree = shown.rows, shown.first
    if rows is None or rows.target is None or tree.classes is not None or min_cell is not None:
        return None
    return DrawnRows(tree, rows.table, rows.target)


def tree_document(
    shown: ShownTree,
    min_cell: int | None = None,
    fold: list[int | None] | None = None,
    targets: DrawnRows | None = None,
) -> dict[str, Any]:
    """One tree as the page reads it; `fold` is the pruning step at which a node becomes a leaf."""
    tree = shown.tree
    view, hidden = TreeView(tree), hidden_of(tree, min_cell)
    made = Cards(view, targets, MAX_LISTED, hidden)
    notes = notes_of(view, Limits(max_listed=MAX_LISTED), made, [])
    return {
        "title": shown.title,
        "role": shown.role,
        "number": shown.number,
        "n_nodes": tree.n_nodes,
        "n_leaves": tree.n_leaves,
        "depth": int(view.depth.max()),
        "text_title": title(view),
        "notes": [*([shown.note] if shown.note else []), *notes, *_masking_note(hidden.any)],
        "weighted": made.weighted,
        "smoothing": None
        if tree.smoothing is None
        else {"m": tree.smoothing.m, "prior": tree.smoothing.prior},
        "nodes": {**masked_nodes(nodes.nodes(view), tree, hidden), "fold": fold},
        "stats": None if hidden.any else nodes.leaf_stats(tree),
        "linear": nodes.linear(tree),
        "leaf_words": nodes.leaf_words(tree),
        "cards": cards(view, made, MAX_LISTED),
    }


def _masking_note(is_masked: bool) -> list[str]:
    return ["Counts of few rows are not shown, nor what they follow from."] if is_masked else []
