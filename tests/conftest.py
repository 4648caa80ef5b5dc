"""Settings that all tests share: Hypothesis profiles and the optional public data."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.shared_data import shared_data

__all__ = ["examples", "shared_data"]

PROJECT = Path(__file__).resolve().parent.parent
PLAIN = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("everyday", max_examples=50, derandomize=True, **PLAIN)
settings.register_profile("thorough", max_examples=5000, **PLAIN)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "everyday"))


@pytest.fixture(scope="session")
def examples() -> Path:
    """The small tables that ship with the project."""
    return PROJECT / "examples"


LONGEST = ("tests/test_cpp.py", "tests/reliability", "tests/studies/test_benchmarks.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests first: at the end no worker waits for another that has just begun one."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))
