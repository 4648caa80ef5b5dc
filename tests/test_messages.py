"""Words for messages."""

import pytest

from silva.messages import counted, listed, nearest


def test_a_few_of_many_names():
    assert listed(["a", "b"]) == "'a', 'b'"
    assert listed(list("abcd"), most=2) == "'a', 'b' and 2 more"


@pytest.mark.parametrize(
    ("name", "near"),
    [("colr", "colour"), ("SIZE", "size"), ("Size ", "size"), ("zzz", None), (3, None)],
)
def test_the_name_that_was_likely_meant(name, near):
    assert nearest(name, ["colour", "size"]) == near


def test_counts():
    assert counted(1, "row") == "1 row"
    assert counted(2_000, "row") == "2,000 rows"
    assert counted(0, "leaf", "leaves") == "0 leaves"
