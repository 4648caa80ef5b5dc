"""`silva ask`: one question at a time, then the prediction."""

import click

from silva.cli.terminal import MODEL, common_options


@click.command(short_help="Ask one question at a time, then predict.")
@click.argument("model", type=MODEL)
@click.option(
    "--digits",
    type=click.IntRange(min=1),
    help="Round thresholds and means to so many digits.  [default: thresholds exact, means 6]",
)
@common_options
def ask(model: str, digits: int | None) -> None:
    """Ask the questions of the model in the file MODEL, one at a time, and print its prediction.

    Answer with the letter of an option, its words, or the value itself: a number, a date, a level.
    `?` says why the question is asked, `<` goes back to the question before, `q` ends the dialog.
    Answers are read from standard input, one a line. MODEL holds one tree.
    """
    from silva.cli.asking import ask_model

    ask_model(model, digits)
