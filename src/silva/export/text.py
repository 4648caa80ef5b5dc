"""A tree as text that people read: real names, exact rules, counts and answers."""

from numbers import Integral
from typing import Any

from silva.checks import check_flag
from silva.data.holders import check_fitted, hint_for, place_of
from silva.errors import PlanError
from silva.export.outline import ASCII, UNICODE, outline
from silva.leaf.words import model_words
from silva.messages import shown
from silva.tree.numerals import SHORT, checked_digits, plain_digits
from silva.tree.short_numbers import digits_of
from silva.tree.shown import Limits
from silva.tree.tree import Tree
from silva.tree.view import TreeView
from silva.tree.words import MAX_LISTED


def to_text(
    model: Any,
    *,
    max_depth: int | None = None,
    min_rows: int | None = None,
    max_nodes: int | None = None,
    max_listed: int | None = MAX_LISTED,
    numbers: bool = False,
    ascii_only: bool = False,
    digits: int | str | None = SHORT,
) -> str:
    """The tree of a fitted estimator, a Tree, a TreeView, a pipeline or a search as indented text.

    Each line is a node: the condition that leads to it, the answer of a leaf (or its model),
    its training rows (and their weight, if rows have weights), and the class shares or the mean and
    deviation. Lists of levels are complete with `max_listed=None`. A note says so where thresholds
    or predictions are rounded; shares and deviations always are.

    Parameters
    ----------
    max_depth : show nodes down to this depth; the root has depth 0
    min_rows : show nodes with at least so many training rows
    max_nodes : show at most so many nodes, those with the most training rows
    max_listed : show at most so many levels or terms of a condition, "in {A, B, C and 97 more}",
        and of levels longer than 40 characters the beginning; None shows all
    numbers : begin each line with the number of the node, as `apply` gives it
    ascii_only : draw with plain ASCII, and escape names that are not
    digits : "short" writes predictions with 6 significant digits (more where they differ by little)
        and thresholds as the shortest decimal within a billionth of their size and of the range of
        the column, which separates the same training rows unless values are closer than that; a
        whole number is that of significant digits, None writes every number exactly

    Whatever the limits hide is summed up on a line of its own: "… 12 nodes, 340 rows hidden".
    """
    check_flag("numbers", numbers)
    check_flag("ascii_only", ascii_only)
    limits = Limits(
        max_depth=_at_least("max_depth", max_depth, 0),
        min_rows=_at_least("min_rows", min_rows, 0),
        max_nodes=_at_least("max_nodes", max_nodes, 1),
        max_listed=_at_least("max_listed", max_listed, 1),
    )
    chosen = checked_digits(digits)
    view, facts = _view(model)
    form = digits_of(chosen, view.tree, facts)
    text = outline(
        view,
        limits,
        ASCII if ascii_only else UNICODE,
        numbers,
        lambda leaf: model_words(view.tree, leaf, digits=plain_digits(form)),
        digits=form,
    )
    return text.encode("ascii", "backslashreplace").decode() if ascii_only else text


def _at_least(name: str, number: int | None, least: int) -> int | None:
    if number is not None and not (isinstance(number, Integral) and number >= least):
        raise PlanError(
            f"{name}={shown(number)} is not possible: use None or a whole number of at least"
            f" {least}."
        )
    return number


def _view(model: Any) -> tuple[TreeView, Any]:
    """The tree of a model, and the facts of its training columns if it has some."""
    if isinstance(model, TreeView):
        return model, None
    if isinstance(model, Tree):
        return TreeView(model), None
    from silva.inspect.subject import subject_of, unwrapped

    inner = unwrapped(model)[0]
    if isinstance(getattr(inner, "grown_tree_", None), Tree):
        subject = subject_of(model)
        return TreeView(subject.tree()), subject.facts
    check_fitted(inner)
    if hasattr(inner, "trees_") and not isinstance(inner, type):
        raise TypeError(
            f"to_text shows one tree, and this {type(inner).__name__} has {len(inner.trees_)}: give"
            f" one of them, such as {place_of(model)}.trees_[0]."
        )
    hint = hint_for(model) or "Give one of silva's, such as silva.TreeClassifier().fit(X, y)."
    raise TypeError(
        "to_text takes a fitted tree estimator, a Tree or a TreeView, not"
        f" {type(model).__name__}. {hint}"
    )
