"""`silva rules`: a saved model as logical rules."""

from typing import Any

import click

from silva.cli.tables.options import DATA, TableOptions, table_options
from silva.cli.terminal import (
    MODEL,
    common_options,
    digits_option,
    format_option,
    target_option,
    tree_option,
    weight_option,
)


@click.command(short_help="Print a saved model as rules.")
@click.argument("model", type=MODEL)
@click.argument("data", type=DATA, required=False)
@target_option(required=False)
@weight_option
@tree_option
@click.option(
    "--order",
    type=click.Choice(["support", "precision", "lift", "tree"]),
    default="support",
    show_default=True,
    help="Which rules come first.",
)
@click.option("--simplify", is_flag=True, help="Drop conditions that change no prediction.")
@click.option(
    "--c45rules", is_flag=True, help="Simplify as C4.5 does, with loss, on the training rows DATA."
)
@digits_option
@format_option("text", "json", "csv")
@table_options
@common_options
def rules(
    model: str,
    data: str | None,
    target: str | None,
    weight: str | None,
    tree: int | None,
    simplify: bool,
    c45rules: bool,
    reading: TableOptions,
    **choices: Any,
) -> None:
    """Print the model in the file MODEL as rules; with DATA, measure each rule on its rows too.

    Each place where rows can end is a rule. Text shows the first 100 rules, JSON and CSV all.
    """
    from silva.cli.rule_listing import RuleRows, print_rules

    if simplify and c45rules:
        raise click.UsageError("--simplify and --c45rules exclude each other; give one of them")
    if (data is None) != (target is None):
        raise click.UsageError("DATA and --target go together: give both, or neither")
    rows = None if data is None else RuleRows(data, target or "", weight, reading)
    if rows is None and weight is not None:
        raise click.UsageError("--weight is for the rows of DATA: give DATA and --target too")
    if rows is None and c45rules:
        raise click.UsageError("--c45rules needs the training rows: give DATA and --target")
    how = "c45rules" if c45rules else simplify
    print_rules(model, tree, rows, simplify=how, **choices)
