"""Entry point of the installed command, which works or says what to install."""

import sys
from importlib.util import find_spec


def main() -> None:
    if find_spec("click") is None:
        sys.exit(
            "Error: the silva command needs click and DuckDB; run: pip install 'silva-trees[cli]'"
        )
    from silva.cli.main import main as run_command

    run_command()
