"""The work behind `silva plot`: the picture in memory first, so that no file is left half."""

import io
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

import silva
from silva.cli.files import refuse_output
from silva.cli.output import require_output, say_document
from silva.cli.showing import chosen_tree
from silva.cli.terminal import note, working
from silva.errors import DataError
from silva.files import write_bytes
from silva.messages import counted

FORMS = (".svg", ".png", ".pdf")
DOTS_AN_INCH = 150


def draw(
    path: str, output: str, number: int | None, limits: Mapping[str, Any], force: bool
) -> None:
    """Load, draw, write."""
    form_of(output, "--output")
    refuse_output(output, force)
    model = silva.load(path)
    if number is None and hasattr(model, "trees_"):
        trees = counted(len(model.trees_), "tree")
        last = len(model.trees_) - 1
        raise click.UsageError(f"{path} has {trees}: choose one with --tree 0 to --tree {last}")
    chosen_tree(model, path, number)
    write_picture(model, output, number, limits)


def write_picture(
    model: Any, output: str, number: int | None = None, limits: Mapping[str, Any] | None = None
) -> None:
    """Draw one tree into a file, or as SVG onto standard output."""
    form = form_of(output, "--output")
    with working("drawing"):
        picture = _svg if form == ".svg" else _by_matplotlib
        data = picture(model, number, limits or {}, form)
    if output == "-":
        require_output("the picture")
        say_document(data.decode())
        return
    write_bytes(output, data)
    note(f"drew the tree in {output}")


def form_of(output: str, option: str) -> str:
    """The kind of picture that a name asks for; others are refused."""
    form = ".svg" if output == "-" else Path(output).suffix.lower()
    if form not in FORMS:
        raise click.UsageError(f"{option} {output}: end the name in {', '.join(FORMS)}")
    if form != ".svg" and find_spec("matplotlib") is None:
        raise DataError(
            f"{form} needs matplotlib; run: pip install 'silva-trees[plot]', or write name.svg"
        )
    return form


def _svg(model: Any, number: int | None, limits: Mapping[str, Any], _: str) -> bytes:
    return silva.to_svg(model, tree=number, **limits).encode()


def _by_matplotlib(model: Any, number: int | None, limits: Mapping[str, Any], form: str) -> bytes:
    figure: Any = silva.plot_tree(model, tree=number, **limits).figure
    stream = io.BytesIO()
    figure.savefig(stream, format=form[1:], dpi=DOTS_AN_INCH)
    return stream.getvalue()
