"""`silva fit`: fit a model to a file, print it beside its baseline, save it."""

from typing import Any

import click

from silva.cli.tables.options import DATA, table_options
from silva.cli.terminal import (
    common_options,
    drop_option,
    format_option,
    keep_option,
    max_listed_option,
    target_option,
    task_option,
    weight_option,
)

SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)

POLICY = click.Choice(["learn", "majority", "own_branch", "stop", "error"])


@click.command(short_help="Fit a tree or a forest to a file, print it, save it.")
@click.argument("data", type=DATA)
@target_option(required=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Save the model here.")
@click.option(
    "--plot", type=click.Path(dir_okay=False), help="Draw the tree here (.svg, .png or .pdf)."
)
@click.option(
    "--model",
    type=click.Choice(["tree", "stump", "forest", "extra-trees", "bagging", "adaboost", "optimal"]),
    default="tree",
    show_default=True,
    help="What is fitted.",
)
@task_option
@weight_option
@drop_option
@keep_option
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
@click.option(
    "--depth",
    type=click.IntRange(min=0),
    help="The longest path, in splits: at least 1, with --model optimal 0.",
)
@click.option(
    "--max-leaf-nodes",
    type=click.IntRange(min=1),
    help="The largest number of leaves: at least 2, with --model optimal 1.",
)
@click.option(
    "--objective",
    type=click.Choice(["error", "balanced", "bound"]),
    help="What --model optimal minimizes.",
)
@click.option(
    "--bound",
    type=click.Choice(["textbook", "ln2", "kl"]),
    help="Which generalisation bound --objective bound minimizes.",
)
@click.option(
    "--delta",
    type=SHARE,
    help="The probability with which the bound of --objective bound may fail; 0.05 if not given.",
)
@click.option(
    "--leaf-penalty",
    type=click.FloatRange(min=0),
    help="What each leaf adds to the objective of --model optimal.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="When --model optimal stops with the best tree so far.",
)
@click.option("--prune", help="How the tree is pruned, such as auto, cost_complexity, pessimistic.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="A parameter of the estimator, such as max_depth=3; repeatable. Those of the trees of"
    " bagging and adaboost begin with estimator__.",
)
@click.option(
    "--cv",
    type=click.IntRange(min=2),
    metavar="FOLDS",
    help="Print the cross-validated score beside the baseline.",
)
@click.option(
    "--held-out",
    type=SHARE,
    metavar="FRACTION",
    help="Keep this share of the rows, drawn at random, out of training, and test on them. They"
    " choose nothing: --prune takes rows of training.",
)
@click.option(
    "--validate",
    type=DATA,
    help="Test on the rows of this file. A --prune that looks at validation rows chooses by them.",
)
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
@click.option("--force", is_flag=True, help="Overwrite the output files.")
@click.option(
    "--save-config",
    type=click.Path(dir_okay=False),
    help="Write the options of this run to a TOML file, which --config reads.",
)
@format_option("text", "json")
@table_options
@common_options
def fit(**options: Any) -> None:
    """Fit a model to the table DATA: a decision tree, or what --model says.

    DATA is CSV or other delimited text, JSON, Parquet, SQLite or Arrow, also packed; - is standard
    input.

    Columns whose values hardly repeat are left out unless --keep names them.

    Prints the tree (of many trees the importances of the columns), then its accuracy or error
    beside that of the majority class or the mean.
    """
    from silva.cli.training import Job, train

    train(Job(**options))
