"""The public tables in `../shared/data` beside the checkout, and the list of tests that read them.

No other module of the tests knows this folder. A test takes the fixture `shared_data` and is
skipped where the folder is absent. `tests/test_shared_data.py` checks that USERS is complete.
"""

from pathlib import Path

import pytest

from tests.skipping import skip

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"

USERS = {
    "tests/cli/test_cli_report.py": "titanic",
    "tests/data/test_public_warnings.py": "18 tables with and without suspect columns",
    "tests/golden/test_textbook_trees.py": "spambase",
    "tests/optimal/test_acceptance.py": "binarised, continuous and Monk's tables of known optima",
    "tests/optimal/test_bound.py": "ten binarised tables",
    "tests/optimal/test_bound_estimator.py": "binarised tables",
    "tests/optimal/test_brute_force.py": "binarised tables of known optima",
    "tests/studies/test_category_study.py": "every table of the study",
    "tests/studies/test_forest_studies.py": "titanic, pima, auto-mpg",
    "tests/studies/test_leaf_study.py": "abalone, auto-mpg",
    "tests/test_docs.py": "Monk's first problem",
}
"""Test modules that read the tables, and which ones."""


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public tables; skips where it is absent."""
    if not FOLDER.is_dir():
        pytest.skip(f"the public tables are not at {FOLDER}")
    return FOLDER


def stored(folder: Path, stem: str) -> Path:
    """The file of a table, compressed or not; skips where the folder lacks it."""
    file = next(folder.glob(f"{stem}.csv*"), None)
    if file is None:
        skip(f"no table {stem} in {folder}")
    return file
