"""`silva evaluate`: how good a saved model is on the rows of a file."""

from typing import Any

import click

from silva.cli.tables.options import DATA, table_options
from silva.cli.terminal import MODEL, common_options, format_option, target_option, weight_option


@click.command(short_help="Measure a saved model on the rows of a file.")
@click.argument("model", type=MODEL)
@click.argument("data", type=DATA)
@target_option(required=True)
@weight_option
@format_option("text", "json", "csv")
@table_options
@common_options
def evaluate(**options: Any) -> None:
    """Measure the model in the file MODEL on the rows of the table DATA (- is standard input).

    Prints accuracy, AUC, precision, recall, F1, log loss, Brier score and the confusion matrix, or
    squared error, absolute error and R2: each beside the majority class or the mean of these rows,
    with 95% intervals. The rows should be others than those of training.
    """
    from silva.cli.evaluating import print_evaluation

    print_evaluation(**options)
