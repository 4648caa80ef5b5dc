"""The work behind `silva ask`: questions on standard output, answers from standard input."""

import sys

import click

import silva
from silva.cli.output import require_output, say
from silva.cli.terminal import note
from silva.errors import DataError
from silva.inspect.dialog import Dialog

PROMPT = "> "
WHY, BACK, QUIT = ("?", "why"), ("<", "back"), ("q", "quit")
_HELP = "Answer with a letter or a value; ? why, < back, q quit."


def ask_model(path: str, digits: int | None) -> None:
    """Load, ask until the dialog has finished, print the result."""
    require_output("the questions")
    if sys.stdin is None:
        raise DataError("standard input is closed: there is nobody to answer the questions")
    state: Dialog | None = Dialog(silva.load(path), digits=digits)
    assert state is not None
    if not state.finished:
        note(_HELP)
    say(str(state))
    while state is not None and not state.finished:
        state = _after(state, _line(state))


def _after(state: Dialog, line: str) -> Dialog | None:
    """The state after a line of input, None where it ends the dialog; prints what follows."""
    word = line.strip().lower()
    if word in QUIT:
        return None
    if word in WHY:
        say(str(state.why()))
        return state
    try:
        if word in BACK:
            state = state.back()
        elif word:
            state = state.answer(line)
    except DataError as error:
        say(f"{error}.")
        return state
    say(f"\n{state}")
    return state


def _line(state: Dialog) -> str:
    """The next line of input, which is shown where no terminal shows it."""
    try:
        if sys.stdin.isatty():
            return input(PROMPT)
        line = sys.stdin.readline()
    except EOFError:
        click.echo()  # the prompt has no end of line
        line = ""
    except UnicodeDecodeError as error:
        raise DataError(f"standard input is not text ({error.reason}); give it as UTF-8") from error
    if not line:
        question = "" if state.question is None else state.question.text
        raise DataError(f"standard input ended with a question still open: {question}")
    line = line.removesuffix("\n").removesuffix("\r")
    say(f"{PROMPT}{line}")
    return line
