"""The work behind `silva evaluate`."""

import warnings

import silva
from silva.cli.output import require_output, say_record
from silva.cli.rows import read_rows
from silva.cli.tables.options import TableOptions
from silva.inspect.evaluation import evaluate


def print_evaluation(
    model: str, data: str, target: str, weight: str | None, style: str, reading: TableOptions
) -> None:
    """Load, read, measure, print."""
    require_output("the figures")
    estimator = silva.load(model)
    rows = read_rows([estimator], data, reading, target, weight)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X has feature names", UserWarning)
        found = evaluate(estimator, rows.tables[0], rows.target, rows.weights)
    say_record(found, style, found.columns)
