"""`silva fit`: grow a tree from a file, print it beside its baseline, save it."""

from typing import Any

import click

from silva.cli.tables.options import DATA, table_options
from silva.cli.terminal import common_options, max_listed_option

SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)

POLICY = click.Choice(["learn", "majority", "own_branch", "stop", "error"])


@click.command(short_help="Grow a tree from a file, print it, save it.")
@click.argument("data", type=DATA)
@click.option("-t", "--target", required=True, metavar="COLUMN", help="The column to predict.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Save the model here.")
@click.option(
    "--task",
    type=click.Choice(["auto", "classification", "regression"]),
    default="auto",
    help="auto: text and few different whole numbers are classes, other numbers are not.",
)
@click.option("--drop", multiple=True, metavar="COLUMN", help="Leave a column out; repeatable.")
@click.option("--criterion", help="What a split must decrease, such as entropy or gain_ratio.")
@click.option(
    "--splits",
    multiple=True,
    type=click.Choice(["subset", "onevsrest", "multiway", "oblique", "distance"]),
    help="The questions that nodes may ask of all columns; repeatable.",
)
@click.option("--missing", type=POLICY, help="What becomes of missing values.")
@click.option("--unseen", type=POLICY, help="What becomes of values that training did not see.")
@click.option(
    "--plan",
    type=click.Choice(["ID3", "C45", "CART", "greedy_accuracy"]),
    help="An algorithm of the textbooks, in place of all other choices of growth.",
)
@click.option(
    "--leaf",
    type=click.Choice(["probability", "constant", "laplace", "m_estimate", "linear"]),
    help="What a leaf answers.",
)
@click.option("--prune", help="How the tree is pruned, such as auto, cost_complexity, pessimistic.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="A parameter of TreeClassifier or TreeRegressor, such as max_depth=3; repeatable.",
)
@click.option(
    "--held-out",
    type=SHARE,
    metavar="FRACTION",
    help="Keep this share of the rows, drawn at random, out of training, and test on them.",
)
@click.option("--validate", type=DATA, help="Test on the rows of this file.")
@click.option(
    "--show-nodes",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Print only so many nodes, those with the most rows.",
)
@max_listed_option
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Seeds all random choices.")
@click.option("--jobs", type=int, default=-1, help="Threads; -1 takes all usable CPUs.")
@click.option("--force", is_flag=True, help="Overwrite the output file.")
@table_options
@common_options
def fit(**options: Any) -> None:
    """Grow a decision tree on the table DATA.

    DATA is CSV or other delimited text, JSON, Parquet, SQLite or Arrow, also packed; - is standard
    input.

    Prints the tree, then its accuracy or error beside that of the majority class or the mean.
    """
    from silva.cli.training import Job, train

    train(Job(**options))
