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


def max_listed_option(command: Command) -> Command:
    """The option that says how many levels of a rule are printed."""
    option = click.option(
        "--max-listed",
        metavar="N|all",
        default="10",
        show_default=True,
        callback=_list_length,
        help="List at most so many levels or terms of a rule; all lists every one.",
    )
    return option(command)


def _list_length(_: click.Context, __: click.Parameter, text: str) -> int | None:
    if text == "all":
        return None
    if not (text.isdecimal() and int(text) >= 1):
        raise click.BadParameter(f"{text!r} is neither a whole number of at least 1 nor all.")
    return int(text)


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
    if isinstance(error, ValueError | SilvaError) or _is_choice_of_instructions(error):
        return str(error)
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.filename or 'standard input or output'}: {error.strerror}"
    if isinstance(error, MemoryError):
        return "not enough memory; use fewer rows or columns"
    return (
        f"{type(error).__name__}: {error}. This is a fault of silva: run the command again with "
        f"{_DEBUG} and report what it prints"
    )


def _is_choice_of_instructions(error: Exception) -> bool:
    """Whether the core could not be loaded because of the variable SILVA_ISA."""
    return isinstance(error, ImportError) and "SILVA_ISA" in str(error)


def _is_quiet() -> bool:
    return bool(click.get_current_context().meta.get(_QUIET))


def _remember_quiet(context: click.Context, _: click.Parameter, quiet: bool) -> None:
    context.meta[_QUIET] = quiet
