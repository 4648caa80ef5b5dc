"""The list of tests that read public tables is complete, and nothing else finds their folder."""

from pathlib import Path

from tests.shared_data import USERS

ROOT = Path(__file__).resolve().parent.parent
HERE = ("tests/shared_data.py", "tests/test_shared_data.py", "tests/conftest.py")
SOURCES = {
    name: path.read_text()
    for path in sorted((ROOT / "tests").rglob("*.py"))
    if (name := path.relative_to(ROOT).as_posix()) not in HERE
}


def test_every_user_is_listed() -> None:
    assert sorted(USERS) == [name for name, text in SOURCES.items() if "shared_data" in text]


def test_one_module_knows_the_folder() -> None:
    paths = ('"shared"', "shared/data", "DATA_FOLDER")
    assert [name for name, text in SOURCES.items() if any(one in text for one in paths)] == []
