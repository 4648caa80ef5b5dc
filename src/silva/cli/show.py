"""`silva show`: print a saved tree."""

import click

from silva.cli.terminal import common_options, draws_unicode


@click.command(short_help="Print a saved tree.")
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.option("--max-depth", type=click.IntRange(min=0), help="Hide what lies deeper.")
@click.option("--min-rows", type=click.IntRange(min=0), help="Hide nodes with fewer training rows.")
@click.option(
    "--max-nodes", type=click.IntRange(min=1), help="Show only so many, those with the most rows."
)
@common_options
def show(model: str, max_depth: int | None, min_rows: int | None, max_nodes: int | None) -> None:
    """Print the tree in the file MODEL, which `silva fit -o` or silva.save has written.

    Without a limit the whole tree is shown. Whatever a limit hides is counted where it would stand.
    """
    import silva

    text = silva.to_text(
        silva.load(model),
        max_depth=max_depth,
        min_rows=min_rows,
        max_nodes=max_nodes,
        ascii_only=not draws_unicode(),
    )
    click.echo(text)
