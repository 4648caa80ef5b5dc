"""`silva report`: the explorer page of a model, or of a tree that is fitted to a table first."""

from typing import Any

import click

from silva.cli.tables.options import DATA, table_options
from silva.cli.terminal import (
    common_options,
    drop_option,
    keep_option,
    target_option,
    task_option,
    weight_option,
)


@click.command(short_help="Write the explorer page of a model or a table: one HTML file.")
@click.argument("source", type=DATA, metavar="MODEL|DATA")
@click.argument("data", type=DATA, required=False)
@target_option(required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="The page; the name of the first file with .html if not given, - prints it.",
)
@click.option("--title", help="The heading of the page.")
@task_option
@weight_option
@drop_option
@keep_option
@click.option(
    "--prune",
    default="cost_complexity",
    show_default=True,
    help="How a tree that is fitted here is pruned, such as auto, pessimistic or none.",
)
@click.option(
    "--depth", type=click.IntRange(min=1), help="The longest path of a tree fitted here, in splits."
)
@click.option(
    "--cv",
    type=click.IntRange(min=2),
    metavar="FOLDS",
    help="Folds of the cross-validated errors beside the prune slider; 10 for small tables if not"
    " given.",
)
@click.option(
    "--trees", type=click.IntRange(min=1), help="How many trees of a forest the page holds."
)
@click.option(
    "--min-cell",
    type=click.IntRange(min=2),
    metavar="ROWS",
    help="Hide counts of fewer rows, and figures that reveal them.",
)
@click.option(
    "--theme",
    type=click.Choice(["auto", "light", "dark"]),
    default="auto",
    show_default=True,
    help="The colours of the page; auto follows the reader's system.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Seeds all random choices.")
@click.option("--jobs", type=int, default=-1, help="Threads; -1 takes all usable CPUs.")
@click.option("--force", is_flag=True, help="Overwrite the output file.")
@table_options
@common_options
def report(**options: Any) -> None:
    """Write the explorer page: one HTML file to open in a browser, which needs nothing else.

    silva report DATA --target COLUMN fits a tree to the table DATA, prunes it and writes its page.

    silva report MODEL writes the page of a saved model; the rows of a table DATA after it, with
    --target, add accuracy, histograms and more. For a forest they also give one tree that stands
    for all of its trees.
    """
    from silva.cli.reporting import Job, write_report

    write_report(Job(**options))
