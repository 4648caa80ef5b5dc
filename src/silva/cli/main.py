"""The `silva` command: its verbs, and how it ends.

Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 a problem
with the data or the model, 2 wrong usage, 130 interrupted. A reader of the output that leaves, as
`head` does, is no problem: files are written before anything is printed. Verbs import the library
only when they run, so that `silva --help` answers at once.
"""

import contextlib
import io
import sys
import traceback
import warnings
from collections.abc import Sequence

import click

from silva import __version__
from silva.cli.ask import ask
from silva.cli.compare import compare
from silva.cli.config import with_environment
from silva.cli.doctor import doctor
from silva.cli.evaluate import evaluate
from silva.cli.explain import explain_rows
from silva.cli.fit import fit
from silva.cli.info import info
from silva.cli.plot import plot
from silva.cli.predict import predict
from silva.cli.prune import prune
from silva.cli.report import report
from silva.cli.rules import rules
from silva.cli.show import show
from silva.cli.terminal import explain, give_up, is_debugging, tell, warn

SETTINGS = {"help_option_names": ["-h", "--help"]}


class Verbs(click.Group):
    """Lists the verbs in the order in which they were added: that of a first session."""

    def list_commands(self, _: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=Verbs, context_settings=SETTINGS)
@click.version_option(__version__)
def silva() -> None:
    """Decision trees that people can read, check and trust.

    Every option can also come from the environment (SILVA_FIT_TARGET for `silva fit --target`) or
    from a section of a TOML file (--config): a flag wins over both, the environment over the file.
    """


LOOK = (doctor, fit, report, show, rules, info, plot)
USE = (ask, predict, explain_rows, evaluate, prune, compare)
for verb in (*LOOK, *USE):
    silva.add_command(with_environment(verb))


def main() -> None:
    """Entry point of the installed command."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command with these arguments and return its exit code; never raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = lambda message, *_: warn(message)
        try:
            code = silva.main(list(arguments), prog_name="silva", standalone_mode=False) or 0
            if sys.stdout is not None:
                sys.stdout.flush()
            return code
        except click.ClickException as error:
            _show(error)
            return error.exit_code
        except (KeyboardInterrupt, click.Abort):
            tell("Stopped; nothing was written.")
            return 130
        except (BrokenPipeError, SystemExit):  # click makes the one the other
            give_up(sys.stdout)
            return 0
        except Exception as error:
            return _failed(error, is_debugging(arguments))


def _failed(error: Exception, debugging: bool) -> int:
    with contextlib.suppress(OSError):
        if debugging:
            tell("".join(traceback.format_exception(error)).rstrip())
        tell(f"Error: {explain(error)}")
    if isinstance(error, OSError) and error.filename is None:
        give_up(sys.stdout)
    return 1


def _show(error: click.ClickException) -> None:
    text = io.StringIO()
    error.show(text)
    tell(text.getvalue().rstrip("\n"))


if __name__ == "__main__":
    main()
