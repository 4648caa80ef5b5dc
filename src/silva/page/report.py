"""`silva.report`: a fitted model as one HTML file that people open, question and keep."""

import os
from pathlib import Path
from typing import Any, NamedTuple

from silva.checks import NO_LIMIT, check_choice, refuse, whole
from silva.data.frames import readable_again
from silva.errors import DataError, PlanError
from silva.export.outline import outline
from silva.inspect.stability import Stability
from silva.inspect.subject import Subject, subject_of
from silva.leaf.words import model_words
from silva.messages import counted
from silva.page.files import refuse_path, write
from silva.page.payload.document import document
from silva.page.payload.given_rows import given_rows
from silva.page.payload.masking import hidden_of
from silva.page.payload.shown_trees import shown_trees
from silva.page.render import page
from silva.tree.short_numbers import short_numbers
from silva.tree.shown import Limits
from silva.tree.tree import Tree
from silva.tree.view import TreeView
from silva.tree.words import MAX_LISTED

THEMES = ("auto", "light", "dark")
MAX_NODES = 200_000
TEXT_NODES = 1_000
"""Nodes of the tree as text, which browsers without JavaScript show."""


def report(
    model: Any,
    X: Any = None,
    y: Any = None,
    path: str | os.PathLike[str] = "report.html",
    *,
    sample_weight: Any = None,
    X_val: Any = None,
    y_val: Any = None,
    cv: Any = "auto",
    stability: Any = None,
    title: str | None = None,
    target: str | None = None,
    trees: Any = None,
    theme: str = "auto",
    min_cell: int | None = None,
    max_nodes: int = MAX_NODES,
) -> Path:
    """Write the explorer page of a fitted model: one HTML file that needs nothing else.

    The page shows the tree and lets people fold, search, prune and question it. It loads nothing
    from a network and holds no rows of the data, only counts and other summaries.

    Parameters
    ----------
    model : estimator, Tree or pipeline
        A fitted model of silva, a `silva.Tree`, or a pipeline or search that ends in one.
    X, y : table and targets, default=None
        Rows with their targets, such as those of `fit`: histograms, competing splits, accuracy and
        calibration are measured on them. For a forest, `X` alone gives one tree that stands for
        all.
    path : str or path, default="report.html"
        Where to write. An existing file is replaced; if writing fails, it is unchanged.
    sample_weight : array, default=None
        Weights of the rows of X.
    X_val, y_val : table and targets, default=None
        Held-out rows, for the validation curve of the prune slider.
    cv : "auto", int or None, default="auto"
        Folds of the cross-validated curve of the prune slider: "auto" takes ten where `X` and `y`
        are the training rows and the work is small, None leaves the curve out.
    stability : Stability, default=None
        Result of `silva.stability`, shown on the Quality tab.
    title : str, default=None
        The heading; None names the kind of model and the target.
    target : str, default=None
        What is predicted, in words; None takes the name of `y` where it has one.
    trees : int or list of int, default=None
        Trees of a forest to include: how many of the first ones, or their numbers. None takes the
        first ten, or fewer if they are large.
    theme : {"auto", "light", "dark"}, default="auto"
        The colours; "auto" follows the reader's system. The page has a switch.
    min_cell : int, default=None
        Hide counts of fewer rows than this, and figures from which such counts could be computed.
    max_nodes : int, default=200,000
        Largest tree that gets a page; larger ones raise an error, because the file grows with them.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    PlanError
        A parameter is invalid, or a tree has more than `max_nodes` nodes.
    DataError
        The rows do not fit the model, or no file can be at `path`.
    OSError
        The file cannot be written (no permission, disk full).

    See Also
    --------
    to_svg : A picture of the tree.
    to_text : The tree as text.

    Examples
    --------
    >>> import silva
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = silva.TreeClassifier(max_depth=3).fit(X, y)
    >>> silva.report(model, X, y, "iris.html")  # doctest: +SKIP
    PosixPath('iris.html')
    """
    refuse_path(path)
    text = html(
        model,
        X,
        y,
        sample_weight=sample_weight,
        X_val=X_val,
        y_val=y_val,
        cv=cv,
        stability=stability,
        title=title,
        target=target,
        trees=trees,
        theme=theme,
        min_cell=min_cell,
        max_nodes=max_nodes,
    )
    return write(path, text)


def html(model: Any, X: Any = None, y: Any = None, **options: Any) -> str:
    """The page of `report` as text; `options` are the same."""
    return made(model, X, y, **options).html


class Made(NamedTuple):
    """A page, its first tree as text, and the document that the page reads."""

    html: str
    text: str
    document: dict[str, Any]


def made(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    X_val: Any = None,
    y_val: Any = None,
    cv: Any = "auto",
    stability: Any = None,
    title: str | None = None,
    target: str | None = None,
    trees: Any = None,
    theme: str = "auto",
    min_cell: int | None = None,
    max_nodes: int = MAX_NODES,
) -> Made:
    """What `report` writes, checked and made."""
    check_choice("theme", theme, THEMES)
    _refuse_text(X)
    X, X_val = readable_again(X), readable_again(X_val)
    min_cell = None if min_cell is None else _min_cell(min_cell)
    subject = subject_of(model)
    target = _words("target", target) or _name_of(y)
    heading = _words("title", title) or _heading(subject, target)
    if not isinstance(stability, Stability | None):
        refuse("stability", stability, "give what silva.stability returned, or None")
    _refuse_large(subject.tree(), whole("max_nodes", max_nodes, 1))
    rows = given_rows(model, subject, subject.tree(), X, y, sample_weight)
    shown = shown_trees(model, subject, trees, rows, min_cell)
    for one in shown.trees:
        _refuse_large(one.tree, max_nodes)
    found = document(
        model,
        heading,
        shown=shown,
        target=target,
        min_cell=min_cell,
        X_val=X_val,
        y_val=y_val,
        cv=cv,
        stability=stability,
    )
    text = text_tree(shown.first, min_cell, subject.facts)
    return Made(page(found, text, theme), text, found)


def _refuse_text(X: Any) -> None:
    if isinstance(X, str | os.PathLike):
        raise DataError(
            f"X={os.fspath(X)!r} is not a table: give rows as X and y, and the name of the file as"
            " path=."
        )


def _min_cell(value: Any) -> int:
    try:
        return whole("min_cell", value, 2, NO_LIMIT)
    except PlanError:
        refuse("min_cell", value, "use a whole number of at least 2, or None to hide nothing")


def _words(name: str, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        refuse(name, value, "use a text, or None")
    return value


def _name_of(y: Any) -> str | None:
    """What the column of targets is called, where it is."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None


def _heading(subject: Subject, target: str | None) -> str:
    return f"{subject.title} for {target}" if target else subject.title


def _refuse_large(tree: Tree, max_nodes: int) -> None:
    if tree.n_nodes > max_nodes:
        raise PlanError(
            f"the tree has {counted(tree.n_nodes, 'node')}, more than max_nodes={max_nodes:,}: its"
            " page would be large and slow. Prune it (prune='auto'), grow it smaller (such as"
            " max_leaf_nodes=1000), or allow it with a larger max_nodes."
        )


def text_tree(tree: Tree, min_cell: int | None = None, facts: Any = None) -> str:
    """The tree as text for places without scripts, without what `min_cell` hides.

    `facts` are those of the training columns.
    """
    limits = Limits(max_nodes=TEXT_NODES, max_listed=MAX_LISTED)
    return outline(
        TreeView(tree),
        limits,
        leaf_words=lambda leaf: model_words(tree, leaf),
        digits=short_numbers(tree, facts),
        hidden=hidden_of(tree, min_cell),
    )
