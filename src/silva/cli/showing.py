"""The work behind `silva show`: a tree as text, or what many trees have in common."""

import json
import sys
from collections.abc import Mapping
from typing import Any

import click
import numpy as np

import silva
from silva.cli.terminal import draws_unicode, note
from silva.data.names import counted
from silva.errors import DataError

MOST_COLUMNS = 20


def show_model(
    path: str, number: int | None, limits: Mapping[str, int | None], max_listed: int | None
) -> None:
    """Load and print."""
    if sys.stdout is None:
        raise DataError("standard output is closed: there is nowhere to print the model")
    model = silva.load(path)
    if not hasattr(model, "trees_"):
        if number is not None:
            raise click.UsageError(f"--tree {number}: {path} holds one tree; leave --tree out")
        click.echo(_text(model, limits, max_listed))
    elif number is not None:
        heading = _heading(model, number)
        click.echo(f"{heading}\n{_text(model.trees_[number], limits, max_listed)}")
    else:
        _refuse_limits(model, limits)
        click.echo(f"{type(model).__name__}: {model.summary_}\n\n{_importances(model)}")
        last = len(model.trees_) - 1
        note(f"--tree N shows one of the trees, from --tree 0 to --tree {last}")


def show_rules(path: str, number: int | None, choices: Mapping[str, Any]) -> None:
    """Load and print as rules."""
    if sys.stdout is None:
        raise DataError("standard output is closed: there is nowhere to print the rules")
    model = silva.load(path)
    heading = ""
    if number is not None:
        if not hasattr(model, "trees_"):
            raise click.UsageError(f"--tree {number}: {path} holds one tree; leave --tree out")
        heading, model = f"{_heading(model, number)}\n", model.trees_[number]
    found = silva.rules(
        model,
        order=choices["order"] or "support",
        simplify=bool(choices["simplify"]),
        digits=choices["digits"],
    )
    if choices["format"] == "json":
        click.echo(json.dumps(found.to_dict(), ensure_ascii=False))
    else:
        click.echo(f"{heading}{found}")


def _text(tree: Any, limits: Mapping[str, Any], max_listed: int | None) -> str:
    ascii_only = not draws_unicode()
    return silva.to_text(tree, max_listed=max_listed, ascii_only=ascii_only, **limits)


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
    width = max(len(names[one]) for one in shown)
    lines = [f"  {names[one]:<{width}}  {shares[one]:>6.1%}" for one in shown]
    hidden = len(order) - len(shown)
    if hidden:
        lines.append(f"  and {counted(hidden, 'more column')}")
    return "\n".join(["share of each column in the gain on training rows:", *lines])
