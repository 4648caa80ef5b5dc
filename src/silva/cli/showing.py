"""The work behind `silva show`: a tree as text, or what many trees have in common."""

from collections.abc import Mapping
from typing import Any

import click
import numpy as np

import silva
from silva.cli.output import require_output, say, say_json_list
from silva.cli.terminal import draws_unicode, note
from silva.export.model_dict import model_dict, tree_dicts
from silva.messages import counted
from silva.tree import words

MOST_COLUMNS = 20


def show_model(
    path: str,
    number: int | None,
    limits: Mapping[str, int | None],
    max_listed: int | None,
    digits: int | str | None,
) -> None:
    """Load and print."""
    require_output("the model")
    heading, model = chosen_tree(silva.load(path), path, number)
    if hasattr(model, "trees_"):
        _refuse_limits(model, limits)
        say(overview(model))
        last = len(model.trees_) - 1
        note(f"--tree N shows one of the trees, from --tree 0 to --tree {last}")
    else:
        text = _text(model, limits, max_listed=max_listed, digits=digits)
        say("\n".join(filter(None, (heading, text))))


def show_values(path: str, number: int | None) -> None:
    """Load and print as JSON: the model, then its trees one by one."""
    require_output("the model")
    model = silva.load(path)
    chosen_tree(model, path, number)
    say_json_list({"file": path, **model_dict(model)}, "trees", tree_dicts(model, number))


def chosen_tree(model: Any, path: str, number: int | None) -> tuple[str, Any]:
    """The model, or one of its trees below a heading."""
    if number is None:
        return "", model
    if not hasattr(model, "trees_"):
        raise click.UsageError(f"--tree {number}: {path} holds one tree; leave --tree out")
    return _heading(model, number), model.trees_[number]


def overview(model: Any) -> str:
    """What many trees have in common: the summary and the importances of the columns."""
    return f"{type(model).__name__}: {model.summary_}\n\n{_importances(model)}"


def _text(tree: Any, limits: Mapping[str, Any], **how: Any) -> str:
    return silva.to_text(tree, ascii_only=not draws_unicode(), **how, **limits)


def _heading(model: Any, number: int) -> str:
    n_trees = len(model.trees_)
    if number >= n_trees:
        raise click.UsageError(
            f"--tree {number}: this {type(model).__name__} has {counted(n_trees, 'tree')}, counted"
            f" from 0 to {n_trees - 1}"
        )
    vote = ""
    if hasattr(model, "estimator_weights_"):
        vote = f", whose vote counts {model.estimator_weights_[number]:.4g}"
    return f"tree {number}, counted from 0, of {n_trees}{vote}:"


def _refuse_limits(model: Any, limits: Mapping[str, int | None]) -> None:
    given = next((name for name, limit in limits.items() if limit is not None), None)
    if given is not None:
        raise click.UsageError(
            f"--{given.replace('_', '-')} limits one tree, and this {type(model).__name__} has"
            f" {counted(len(model.trees_), 'tree')}; choose one with --tree"
        )


def _importances(model: Any) -> str:
    """The columns by their share of the gain, the largest first."""
    shares, names = model.feature_importances_, model.trees_.schema.names
    order = np.argsort(-shares, kind="stable")
    shown = order[:MOST_COLUMNS]
    told = [words.name(names[one]) for one in shown]
    width = max(map(len, told))
    lines = [
        f"  {name:<{width}}  {shares[one]:>6.1%}" for name, one in zip(told, shown, strict=True)
    ]
    hidden = len(order) - len(shown)
    if hidden:
        lines.append(f"  and {counted(hidden, 'more column')}")
    return "\n".join(["share of each column in the gain on training rows:", *lines])
