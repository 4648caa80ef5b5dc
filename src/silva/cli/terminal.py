"""Words for the person at the terminal: notes, warnings and errors, all on standard error."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from silva.errors import SilvaError

Command = TypeVar("Command", bound=Callable[..., Any])

_QUIET = "silva.quiet"
_DEBUG = "--debug"


def common_options(command: Command) -> Command:
    """The options that every verb has: --quiet and --debug."""
    quiet = click.option(
        "-q",
        "--quiet",
        is_flag=True,
        expose_value=False,
        callback=_remember_quiet,
        help="Print results, warnings and errors only.",
    )
    debug = click.option(
        _DEBUG, is_flag=True, expose_value=False, help="Show the traceback of an error."
    )
    return quiet(debug(command))


def note(message: str) -> None:
    """Say what was done or assumed, unless asked to be quiet."""
    if not _is_quiet():
        click.echo(message, err=True)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show that work is under way, where somebody is watching."""
    from rich.console import Console

    console = Console(stderr=True, markup=False)
    if _is_quiet() or not console.is_terminal:
        yield
        return
    with console.status(what):
        yield


def draws_unicode() -> bool:
    """Whether standard output can show the lines and arrows of a tree."""
    try:
        "├─ └─ │ → …".encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def warn(message: object) -> None:
    click.echo(f"Warning: {message}", err=True)


def is_debugging(arguments: Sequence[str]) -> bool:
    return _DEBUG in arguments


def explain(error: Exception) -> str:
    """One sentence with its remedy; what is not foreseen is called a fault of silva."""
    if isinstance(error, ValueError | SilvaError):
        return str(error)
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.filename or 'standard input or output'}: {error.strerror}"
    if isinstance(error, MemoryError):
        return "not enough memory; use fewer rows or columns"
    return (
        f"{type(error).__name__}: {error}. This is a fault of silva: run the command again with "
        f"{_DEBUG} and report what it prints"
    )


def _is_quiet() -> bool:
    return bool(click.get_current_context().meta.get(_QUIET))


def _remember_quiet(context: click.Context, _: click.Parameter, quiet: bool) -> None:
    context.meta[_QUIET] = quiet
