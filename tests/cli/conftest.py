"""What the tests of the command line share: saved models, fitted once, and a way to run verbs."""

import pytest

from silva.cli.main import run
from tests.cli.model_zoo import Zoo


@pytest.fixture(scope="session")
def zoo(tmp_path_factory):
    return Zoo(tmp_path_factory.mktemp("zoo"))


@pytest.fixture
def silva_command(capsys):
    """Runs the command and returns its exit code, output and messages."""

    def command(*arguments):
        code = run([str(one) for one in arguments])
        return code, *capsys.readouterr()

    return command
