"""Words for the person at the terminal: notes, warnings and errors, all on standard error."""

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

import click

from silva.cli.config import config_option
from silva.errors import SilvaError
from silva.messages import visible
from silva.progress import Listener

FROM_0 = "counted from 0"
_ROW = re.compile(r"\brow \d")

Command = TypeVar("Command", bound=Callable[..., Any])

_QUIET = "silva.quiet"
_DEBUG = "--debug"


def common_options(command: Command) -> Command:
    """The options that every verb has: --config, --quiet and --debug."""
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
    return config_option(quiet(debug(command)))


def format_option(*forms: str) -> Callable[[Command], Command]:
    """The option that says how results are printed."""
    programs = " or ".join(form for form in forms if form != "text")
    return click.option(
        "--format",
        "style",
        type=click.Choice(forms),
        default="text",
        show_default=True,
        help=f"How to print the result: text for people, {programs} for programs.",
    )


MODEL = click.Path(exists=True, dir_okay=False)
"""A model file as an argument."""


def target_option(required: bool) -> Callable[[Command], Command]:
    """The option that names the column to predict."""
    return click.option(
        "-t", "--target", required=required, metavar="COLUMN", help="The column to predict."
    )


def weight_option(command: Command) -> Command:
    """The option that names the column of weights."""
    option = click.option(
        "--weight", metavar="COLUMN", help="The column that says how much each row counts."
    )
    return option(command)


def task_option(command: Command) -> Command:
    """The option that says what the target is."""
    option = click.option(
        "--task",
        type=click.Choice(["auto", "classification", "regression"]),
        default="auto",
        help="auto: text and few different whole numbers are classes, other numbers are not.",
    )
    return option(command)


def drop_option(command: Command) -> Command:
    """The option that leaves columns out."""
    option = click.option(
        "--drop", multiple=True, metavar="COLUMN", help="Leave a column out; repeatable."
    )
    return option(command)


def keep_option(command: Command) -> Command:
    """The option that keeps columns which are left out otherwise."""
    option = click.option(
        "--keep",
        multiple=True,
        metavar="COLUMN",
        help="Keep a column whose values hardly repeat (identifiers, row numbers, free text); such"
        " columns are left out otherwise. Repeatable.",
    )
    return option(command)


def tree_option(command: Command) -> Command:
    """The option that chooses one of many trees."""
    option = click.option(
        "--tree",
        type=click.IntRange(min=0),
        help="The tree of a forest or of AdaBoost, counted from 0.",
    )
    return option(command)


def limit_options(command: Command) -> Command:
    """The options that hide parts of a tree."""
    for option in reversed(_LIMITS):
        command = option(command)
    return command


def _number_or(**words: str | None) -> Callable[[Any, Any, str], int | str | None]:
    """The callback of an option that is a number of at least 1, or a word for something else."""

    def parsed(_: click.Context, __: click.Parameter, text: str) -> int | str | None:
        if text in words:
            return words[text]
        if not (text.isdecimal() and int(text) >= 1):
            others = " or ".join(words)
            raise click.BadParameter(
                f"{text!r} is neither a whole number of at least 1 nor {others}."
            )
        return int(text)

    return parsed


def max_listed_option(command: Command) -> Command:
    """The option that says how many levels of a rule are printed."""
    option = click.option(
        "--max-listed",
        metavar="N|all",
        default="10",
        show_default=True,
        callback=_number_or(all=None),
        help="List at most so many levels or terms of a rule; all lists every one.",
    )
    return option(command)


def digits_option(command: Command) -> Command:
    """The option that says how numbers are written."""
    option = click.option(
        "--digits",
        metavar="N|short|exact",
        default="short",
        show_default=True,
        callback=_number_or(short="short", exact=None),
        help="Round numbers to so many significant digits; exact writes every digit.",
    )
    return option(command)


_LIMITS: tuple[Callable[[Any], Any], ...] = (
    click.option("--max-depth", type=click.IntRange(min=0), help="Hide what lies deeper."),
    click.option(
        "--min-rows", type=click.IntRange(min=0), help="Hide nodes with fewer training rows."
    ),
    click.option(
        "--max-nodes",
        type=click.IntRange(min=1),
        help="Show only so many, those with the most rows.",
    ),
)


def tell(message: str) -> None:
    """Print a line on standard error; work continues if its reader is gone."""
    try:
        click.echo(visible(message), err=True)
    except BrokenPipeError:
        give_up(sys.stderr)


def give_up(stream: Any) -> None:
    """Point a stream that nobody reads at os.devnull, so that the flush at exit does not fail."""
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def note(message: str) -> None:
    """Say what was done or assumed, unless asked to be quiet."""
    if not _is_quiet():
        tell(message)


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """Show that work is under way, where somebody is watching; what is yielded shows more of it."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True, markup=False, highlight=False)
    if _is_quiet() or not console.is_terminal or console.is_dumb_terminal:
        yield lambda more: None
        return

    def line(text: str) -> Text:
        return Text(visible(text).replace("\n", "\\n"))

    with console.status(line(what)) as status:
        yield lambda more: status.update(line(f"{what}: {more}"))


def percentages(update: Callable[[str], None]) -> Listener:
    """A listener that shows the outermost work as a percentage with the time left."""
    start, outermost = time.monotonic(), ""

    def told(what: str, share: float) -> None:
        nonlocal outermost
        outermost = outermost or what
        if what == outermost:
            update(f"{share:.0%}{_time_left(time.monotonic() - start, share)}")

    return told


def _time_left(seconds: float, share: float) -> str:
    if not share or seconds < 0.5:
        return ""
    return f", {timedelta(seconds=round(seconds * (1.0 - share) / share))} left"


def draws_unicode() -> bool:
    """Whether standard output can show the lines and arrows of a tree."""
    try:
        "├─ └─ │ → …".encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def warn(message: object) -> None:
    tell(f"Warning: {_with_base(str(message))}")


def is_debugging(arguments: Sequence[str]) -> bool:
    return _DEBUG in arguments


def explain(error: Exception) -> str:
    """One sentence with its remedy; what is not foreseen is called a fault of silva."""
    if isinstance(error, ValueError | SilvaError) or _is_choice_of_instructions(error):
        return _with_base(str(error))
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.filename or 'standard input or output'}: {error.strerror}"
    if isinstance(error, MemoryError):
        return "not enough memory; use fewer rows or columns"
    return (
        f"{type(error).__name__}: {error}. This is a fault of silva: run the command again with "
        f"{_DEBUG} and report what it prints"
    )


def _with_base(text: str) -> str:
    """The message; where it names a row of a table, it says how rows are counted."""
    if _ROW.search(text) is None or FROM_0 in text:
        return text
    return f"{text} (rows are {FROM_0})"


def _is_choice_of_instructions(error: Exception) -> bool:
    """Whether the core could not be loaded because of the variable SILVA_ISA."""
    return isinstance(error, ImportError) and "SILVA_ISA" in str(error)


def _is_quiet() -> bool:
    return bool(click.get_current_context().meta.get(_QUIET))


def _remember_quiet(context: click.Context, _: click.Parameter, quiet: bool) -> None:
    context.meta[_QUIET] = quiet
