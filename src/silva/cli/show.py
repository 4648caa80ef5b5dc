"""`silva show`: print a saved model."""

from collections.abc import Mapping
from typing import Any

import click

from silva.cli.terminal import (
    MODEL,
    common_options,
    digits_option,
    limit_options,
    max_listed_option,
    tree_option,
)


@click.command(short_help="Print a saved model.")
@click.argument("model", type=MODEL)
@tree_option
@limit_options
@click.option("--rules", is_flag=True, help="Print the rules of the model in place of the tree.")
@click.option(
    "--order",
    type=click.Choice(["support", "precision", "lift", "tree"]),
    help="With --rules: which rules come first.  [default: support]",
)
@click.option(
    "--simplify", is_flag=True, help="With --rules: drop conditions that change no prediction."
)
@digits_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    help="How to print the model: text for people, json for programs.  [default: text]",
)
@max_listed_option
@common_options
def show(
    model: str,
    tree: int | None,
    max_depth: int | None,
    min_rows: int | None,
    max_nodes: int | None,
    max_listed: int | None,
    rules: bool,
    order: str | None,
    simplify: bool,
    digits: int | str | None,
    form: str | None,
) -> None:
    """Print the model in the file MODEL, which `silva fit -o` or silva.save has written.

    Prints the tree of a single-tree model; what a limit hides is counted where it would stand.
    Prints a summary with the importances of the columns for forests and AdaBoost; --tree prints
    one of their trees. --rules prints the model as rules, the first 100 of them as text and all of
    them as JSON. --format json prints every node of every tree with exact numbers.
    """
    limits = {"max_depth": max_depth, "min_rows": min_rows, "max_nodes": max_nodes}
    choices = {"order": order, "simplify": simplify or None}
    if rules:
        _refuse("is for trees: leave it out, or leave --rules out", limits)
        from silva.cli.rule_listing import print_rules

        print_rules(
            *(model, tree, None),
            order=order or "support",
            simplify=simplify,
            digits=digits,
            style=form or "text",
        )
        return
    _refuse("is for rules: give --rules too, or leave it out", choices)
    if form == "json":
        _refuse("is for text, and JSON has every node: leave it out", limits)
        from silva.cli.showing import show_values

        show_values(model, tree)
        return
    from silva.cli.showing import show_model

    show_model(model, tree, limits, max_listed, digits)


def _refuse(why: str, choices: Mapping[str, Any]) -> None:
    """Raise for the first option that was given though it has no meaning here."""
    given = next((name for name, choice in choices.items() if choice is not None), None)
    if given is not None:
        raise click.UsageError(f"--{given.replace('_', '-')} {why}")
