"""Fitted models as plain values for other programs: what they are, how good, and every node."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from silva.data.schema import Schema
from silva.inspect.importance import impurity_importance
from silva.inspect.info import model_info
from silva.inspect.record import plain
from silva.inspect.subject import Subject, subject_of
from silva.leaf.words import model_words
from silva.tree.splits import Distance, Oblique, Split
from silva.tree.tree import Tree
from silva.tree.view import NodeView, TreeView


def model_dict(model: Any) -> dict[str, Any]:
    """What a fitted model is and how good: facts, importances, figures, pruning and search."""
    subject = subject_of(model)
    record, report = getattr(model, "prune_record_", None), getattr(model, "search_report_", None)
    return {
        "model": model_info(model).to_dict(),
        "importances": _importances(model, subject),
        "summary": plain(getattr(model, "summary_", None)),
        "pruning": None if record is None else _record(record),
        "search": None if report is None else plain(report) | {"gap": plain(report.gap)},
    }


def tree_dicts(model: Any, number: int | None = None) -> Iterator[dict[str, Any]]:
    """The trees of a model one by one, or the tree of this number: its vote and its nodes."""
    subject = subject_of(model)
    votes = subject.votes.tolist()
    for one in range(len(subject)) if number is None else (number,):
        yield {"number": one, "vote": votes[one], "nodes": node_dicts(subject.tree(one))}


def node_dicts(tree: Tree) -> list[dict[str, Any]]:
    """The nodes in pre-order, with every number as it is."""
    leaf = iter(range(tree.n_leaves))
    return [
        _node(tree, node, next(leaf) if node.is_leaf and tree.linear is not None else None)
        for node in TreeView(tree)
    ]


def _node(tree: Tree, node: NodeView, leaf: int | None) -> dict[str, Any]:
    found = {field.name: plain(getattr(node, field.name)) for field in fields(node)}
    found["split"] = None if node.split is None else _split(node.split, tree.schema)
    found["formula"] = None if leaf is None else model_words(tree, leaf)
    unused = ("shares",) if tree.classes is None else ("mean", "deviation")
    return {name: value for name, value in found.items() if name not in unused}


def _split(split: Split, schema: Schema) -> dict[str, Any]:
    """The fields of a split, its columns by their names."""
    found = {field.name: plain(getattr(split, field.name)) for field in fields(split)}
    found.pop("column", None)
    columns = split.columns if isinstance(split, Oblique | Distance) else (split.column,)
    names = [schema.names[column] for column in columns]
    return {"kind": type(split).__name__.lower(), **found, "columns": names}


def _importances(model: Any, subject: Subject) -> dict[str, Any]:
    shares = getattr(model, "feature_importances_", None)
    if shares is None:
        shares = impurity_importance(subject.tree())
    return dict(zip(subject.schema.names, plain(shares), strict=True))


def _record(record: Any) -> dict[str, Any]:
    """A pruning record without the evidence, which is for drawing."""
    names = ("method", "settings", "measure", "leaves_before", "leaves_after", "note")
    found = {name: plain(getattr(record, name)) for name in names}
    return found | {"steps": [plain(step._asdict()) for step in record.steps]}
