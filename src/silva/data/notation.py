"""How people write numbers: units beside them, signs between thousands, the decimal sign."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

DecimalSign = Literal[".", ","]
DECIMAL_SIGNS: tuple[DecimalSign, ...] = (".", ",")

PERCENT = "%"
_CURRENCIES = (
    *("US$", "AU$", "CA$", "A$", "C$", "HK$", "NZ$", "R$", "S$", "$"),
    *("€", "£", "¥", "₹", "₽", "₩", "₺", "₴", "₪", "₫", "฿", "₦", "₱", "zł", "Kč", "kr"),
    *("USD", "EUR", "GBP", "CHF", "JPY", "CNY", "AUD", "CAD", "NZD", "SGD", "HKD", "INR"),
    *("SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RUB", "BRL", "MXN", "ZAR", "KRW", "TRY", "ILS"),
)
LONGEST_UNIT = 8

SPACES = " \u00a0\u202f\u2009"
APOSTROPHES = "'\u2019"
MINUS = "\u2212"
_SPACE, _SIGN = f"[{SPACES}]", f"[-+{MINUS}]?"
_EXPONENT = "(?:[eE][-+]?[0-9]+)?"
_AMOUNT = re.compile(
    rf"(?:{_SIGN}|\(){_SPACE}*(?P<before>{'|'.join(map(re.escape, _CURRENCIES))})?{_SPACE}*"
    rf"(?:{_SIGN}|\()[0-9.,][0-9.,eE+{SPACES}{APOSTROPHES}-]*?\)?{_SPACE}*"
    rf"(?P<after>{'|'.join(map(re.escape, (PERCENT, *_CURRENCIES)))})?\)?"
)
_CODE = re.compile(r"[-+]?0\d")


@dataclass(frozen=True)
class Notation:
    """How the numbers of a column are written: the decimal sign, and the unit beside them.

    Thousands may be apart by the other sign of points and commas, by spaces or by apostrophes;
    numbers in parentheses are negative. A currency may be left out of a cell, a percent sign not.
    """

    decimal: DecimalSign = "."
    unit: str = ""

    @cached_property
    def pattern(self) -> str:
        """A regular expression, for Python and for RE2, of the cells that are such numbers."""
        number = _number(self.decimal)
        if not self.unit:
            return rf"{_SIGN}{number}|\({number}\)"
        unit = re.escape(self.unit)
        before, after = rf"{unit}{_SPACE}*", rf"{_SPACE}*{unit}"
        if self.unit == PERCENT:
            return rf"{_SIGN}{number}{after}|\({number}{after}\)|\({number}\){after}"
        inside = rf"(?:{before})?{number}|{number}{after}"
        return (
            rf"{_SIGN}(?:{inside})|\((?:{inside})\)|{before}[-+{MINUS}]{number}"
            rf"|{before}\({number}\)|\({number}\){after}"
        )

    def takes(self, cell: str) -> bool:
        return re.fullmatch(self.pattern, cell) is not None


@lru_cache
def _number(decimal: DecimalSign) -> str:
    """Digits, whole or in groups of thousands, and what follows the decimal sign."""
    between = "," if decimal == "." else r"\."
    groups = [rf"(?:{sign}[0-9]{{3}})+" for sign in (between, _SPACE, f"[{APOSTROPHES}]")]
    whole = [rf"[1-9][0-9]{{0,2}}(?:{'|'.join(groups)})", "[0-9]+"]
    if decimal == ".":
        whole.insert(0, "[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}")  # lakhs and crores
    sign = re.escape(decimal)
    return rf"(?:(?:{'|'.join(whole)})(?:{sign}[0-9]*)?|{sign}[0-9]+){_EXPONENT}"


def units_of(cells: Iterable[str]) -> dict[str, str]:
    """The units of cells that are mostly numbers, each with a cell that has it."""
    found: dict[str, str] = {}
    for cell, unit in _amounts(cells):
        found.setdefault(unit, cell)
    return found


def _amounts(cells: Iterable[str]) -> list[tuple[str, str]]:
    """The cells that are numbers, with their units; none if others are as many."""
    units = [(cell, _unit(cell)) for cell in cells]
    found = [(cell, unit) for cell, unit in units if unit is not None]
    return found if 2 * len(found) > len(units) else []


def _unit(cell: str) -> str | None:
    """The unit of a number, empty for none; None for other texts."""
    match = _AMOUNT.fullmatch(cell)
    if match is None or (match["before"] and match["after"]):
        return None
    unit = match["before"] or match["after"] or ""
    return unit if any(one.takes(cell) for one in _with_unit(unit)) else None


@lru_cache
def _with_unit(unit: str) -> tuple[Notation, ...]:
    return tuple(Notation(sign, unit) for sign in DECIMAL_SIGNS)


def are_mixed(units: Iterable[str]) -> bool:
    """Whether numbers of these units cannot stand in one column: only a currency may be absent."""
    different = set(units)
    if PERCENT in different:
        return len(different) > 1
    return len(different - {""}) > 1


def notations(cells: Sequence[str]) -> list[Notation]:
    """Every way to read these cells as numbers, that with a decimal point first.

    A few cells may be other texts. There is no way where units are mixed.
    """
    found = _amounts(cells)
    units = {unit for _, unit in found}
    if not found or are_mixed(units):
        return []
    return [one for one in _with_unit(max(units)) if all(one.takes(cell) for cell, _ in found)]


def is_amount(text: str) -> bool:
    """A number in any notation, such as $41,508.76, 1 234,5 €, 12% or (300); no code: 02134."""
    plain = text.strip()
    return _CODE.match(plain) is None and _unit(plain) is not None


def pandas_line(name: object, cells: Sequence[str], coerce: bool) -> str:
    """The statement that makes numbers of a column of texts; nothing where units are mixed."""
    found = notations([cell.strip() for cell in cells])
    if not found:
        return ""
    column = f"X[{name!r}]"
    texts = "".join([column, *_replacements(found[0], "".join(cells))])
    errors = ", errors='coerce'" if coerce else ""
    doubt = ""
    if len(found) > 1 and any("," in cell for cell in cells):
        doubt = ", if its commas stand between thousands"
    return f"{column} = pandas.to_numeric({texts}{errors}){doubt}"


def _replacements(notation: Notation, signs: str) -> Iterator[str]:
    """The calls that leave what `float` reads."""
    if MINUS in signs:
        yield f".str.replace('{MINUS}', '-')"
    if "(" in signs:
        yield ".str.replace('(', '-')"
    other = "," if notation.decimal == "." else "."
    drop = "".join(sign for sign in (other, ")", *APOSTROPHES) if sign in signs)
    drop += r"\s" if any(space in signs for space in SPACES) else ""
    if len(notation.unit) == 1:
        drop = f"{notation.unit}{drop}"
    dropped = [re.escape(notation.unit)] if len(notation.unit) > 1 else []
    dropped += [f"[{drop}]"] if drop else []
    if dropped:
        yield f'.str.replace(r"{"|".join(dropped)}", "", regex=True)'
    if notation.decimal == ",":
        yield ".str.replace(',', '.')"
