"""Numbers, text and times of the page are those that Python writes and reads, to the last bit."""

import math
import random
import struct
import sys
from unicodedata import ucd_3_2_0

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtrit

from silva.data.schema import Column
from silva.data.time_words import as_text, from_text, written
from silva.data.timescale import TimeScale
from silva.inspect.dialog.phrases import _quantity
from silva.inspect.dialog.reading import _number
from silva.messages import shown
from silva.page.payload.numbers import exact
from silva.tree.words import number, percent
from tests.page.dialog_bridge import node_page


@pytest.fixture(scope="module")
def page():
    yield from node_page()


DIGITS = (1, 2, 3, 6, 12, 17)
CORNERS = [
    0.0, -0.0, 1.0, 5e-324, -5e-324, 2.2250738585072014e-308, sys.float_info.max, 1e15, 1e16,
    123456789012345680.0, 1e17, 1e21, 1e22, 1e23, -1e22, 1e-4, 1e-5, 9.9999e-5, 0.1, 100000.5,
    100001.5, 2.5, 3.5, 0.125, 0.375, 1234565.0, 1234575.0, 999999.5, 9999995.0, 2**53 + 2.0,
    math.inf, -math.inf, math.nan,
]  # fmt: skip


def some_floats(seed, count):
    """Floats of any bits, decimals of few digits, ties between two roundings, whole numbers."""
    rng = random.Random(seed)
    for _ in range(count):
        yield struct.unpack("<d", rng.randbytes(8))[0]
        yield rng.randrange(-(10**7), 10**7) / 10 ** rng.randrange(12)
        yield (2 * rng.randrange(10**6) + 1) * 2.0 ** rng.randrange(-30, 30)
        yield float(rng.randrange(10 ** rng.randrange(1, 25)))
        yield math.nextafter(rng.randrange(10**6) + 0.5, rng.choice((-math.inf, math.inf)))


def test_numbers_are_written_as_python_writes_them(page):
    values = [*CORNERS, *some_floats(1, 4000)]
    told = page.ask("numbers", values=exact(values))
    for value, found in zip(values, told, strict=True):
        expected = [repr(value), number(value), *(number(value, digits) for digits in DIGITS)]
        assert found == expected, value


def test_percentages_round_half_to_even(page):
    shares = [k / n for n in (1, 2, 3, 7, 8, 16, 400, 800, 1000, 1600, 2000) for k in range(n + 1)]
    shares += [0.0004999, 0.0005, 0.9994, 0.9995, 0.99951, math.nextafter(1.0, 0.0)]
    assert page.ask("percents", values=shares) == [percent(one) for one in shares]


def test_thousands_have_commas(page):
    counts = [0, 1, 999, 1000, 12345, 10**6, 2**40, 2**53]
    assert page.ask("thousands", values=counts) == [f"{one:,}" for one in counts]


def is_old(letter):
    """Whether every version of Unicode that Python or Node may have knows the letter."""
    return ucd_3_2_0.category(letter) not in ("Cn", "Cs")


old = st.characters().filter(is_old)


@given(st.lists(st.text(old, max_size=60) | st.text("'\"\\ \t\n\u00a0a", max_size=150), min_size=1))
def test_texts_are_quoted_and_compared_as_in_python(page, values):
    found = page.ask("texts", values=values)
    for value, told in zip(values, found, strict=True):
        assert told == [
            repr(value),
            shown(value),
            value.strip(),
            value.casefold(),
            value.isprintable(),
        ]


def test_every_letter(page):
    letters = [letter for letter in map(chr, range(0x30000)) if is_old(letter)]
    for letter, told in zip(letters, page.ask("texts", values=letters), strict=True):
        expected = [repr(letter), letter.strip(), letter.casefold()]
        assert [told[0], told[2], told[3]] == expected, hex(ord(letter))


NUMBERS = ["1", " 1.5 ", "-.5", "5.", "1e5", "1E-5", "1_000", "1__0", "_1", "1_", "1_.5", "1._5",
           "1e1_0", "inf", "-Infinity", "+INF", "nan", "", ".", "e5", "0x10", "1,5", "\u0663.5",
           "\U0001d7d8\U0001d7e2", "1e400", "-1e400", "1e-400", "--1", "+-1", "+1", "1 2", "i nf",
           "\u00b2", "1n", "1\x85", "\ufeff1", "0b1", "1e", "1e+"]  # fmt: skip


@settings(max_examples=60)
@given(st.lists(st.sampled_from(NUMBERS) | st.floats().map(repr) | st.text("0123456789._e+-")))
def test_numbers_are_read_as_python_reads_them(page, values):
    expected = [_number(value) for value in values]
    found = page.ask("read", values=values)
    for one, told in zip(expected, found, strict=True):
        assert (told if told != "nan" else None) == (None if one is None else repr(one))


integers = st.integers(-(2**200), 2**200) | st.integers(-(2**1100), 2**1100)


@given(st.lists(st.tuples(integers, integers.filter(lambda one: one > 0)), min_size=1))
def test_quotients_are_rounded_once(page, pairs):
    found = page.ask("quotients", pairs=[[str(one) for one in pair] for pair in pairs])
    for (over, under), told in zip(pairs, found, strict=True):
        try:
            assert told == repr(over / under)
        except OverflowError:
            assert told in ("inf", "-inf")


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_neighbours_of_floats(page, values):
    found = page.ask("neighbours", values=exact(values))
    for value, (up, down) in zip(values, found, strict=True):
        assert float(up) == math.nextafter(value, math.inf)
        assert float(down) == math.nextafter(value, -math.inf)


SCALES = [
    TimeScale("datetime", "D"),
    TimeScale("datetime", "us", 1_709_251_200 * 10**6, "UTC"),
    TimeScale("datetime", "ns", 10**18),
    TimeScale("duration", "s", 86_400),
    TimeScale("duration", "as"),
    TimeScale("time", "m"),
    TimeScale("time", "ns", 10**12),
]
TIMES = ["2024-02-29", "2023-02-29", "2024-02-30", "2024-3-1", "-0001-12-31", "0000-01-01",
         "12345-06-07 08:09", "2024-03-01T12:00:30.5", "2024-03-01 12:00Z", "2024-03-01 12:00 UTC",
         "2024-03-01 12:00+02:30", "2024-03-01 12:00 -23:59", "2024-03-01 24:00", "12:00",
         "23:59:59.999999999999999999", "12:60", "1 day", "2 days 12:00", "-3 days",
         "-1 day 00:01", " 0 days ", "-(2 days)", "day", "", "2024-13-01", "2024-00-10",
         "-(1 day 00:01)", "\u0662024-03-01 1\u0662:00", "\u0661\u0662:00",
         "2024-03-01 \u06612:00"]  # fmt: skip


@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: f"{scale.sort}-{scale.unit}")
def test_times_are_written_and_read_as_in_python(page, scale):
    rng = random.Random(7)
    values = [0.0, -0.0, 0.5, -1.25, 1e-3, 19_783.25]
    values += [rng.uniform(-1e5, 1e5) for _ in range(50)]
    values += [float(rng.randrange(-(10**12), 10**12)) for _ in range(50)]
    texts = TIMES + [as_text(scale.attoseconds(value), scale.sort, scale.zone) for value in values]
    record = {
        "sort": scale.sort,
        "unit": scale.unit,
        "origin": str(scale.origin),
        "zone": scale.zone,
    }
    told = page.ask("times", scale=record, values=values, texts=texts)
    column = Column("at", "continuous", time=scale)
    assert told["written"] == [[written(scale, one), _quantity(column, one)] for one in values]
    assert told["read"] == [_read(scale, one) for one in texts]


def _read(scale, text):
    found = from_text(text, scale.sort)
    return None if found is None or found[1] != scale.zone else repr(scale.number(found[0]))


def test_quantiles_of_students_distribution(page):
    freedoms = [*range(1, 300), 500, 999, 1000, 12_345, 10**6, 10**9]
    for freedom, found in zip(freedoms, page.ask("students", values=freedoms), strict=True):
        assert found == pytest.approx(stdtrit(freedom, 0.975), rel=5e-14)
