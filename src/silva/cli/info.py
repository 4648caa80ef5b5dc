"""`silva info`: what a model file holds."""

import click

from silva.cli.terminal import MODEL, common_options, format_option


@click.command(short_help="Say what a model file holds.")
@click.argument("model", type=MODEL)
@format_option("text", "json")
@common_options
def info(model: str, style: str) -> None:
    """Say what the file MODEL holds.

    Prints the kind of the model, its size, parameters, classes and columns with their training
    ranges, how well it was fitted, and the size and version of the file.
    """
    from silva.cli.informing import print_info

    print_info(model, style)
