"""What texts look like: dates, spellings. Shapes only; no calendar and no locale."""

import re

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
_DAY_NUMBER = r"(?:0?[1-9]|[12]\d|3[01])"
_MONTH_NUMBER = r"(?:0?[1-9]|1[0-2])"
_YEAR = r"(?:1[0-9]|2[01])\d\d"
_ORDERS = (
    rf"{_YEAR}([-/.]){_MONTH_NUMBER}\1{_DAY_NUMBER}",
    rf"{_DAY_NUMBER}([-/.]){_MONTH_NUMBER}\2{_YEAR}",
    rf"{_MONTH_NUMBER}([-/.]){_DAY_NUMBER}\3{_YEAR}",
    rf"{_DAY_NUMBER}/{_MONTH_NUMBER}/\d\d",
    rf"{_MONTH_NUMBER}/{_DAY_NUMBER}/\d\d",
    rf"{_DAY_NUMBER}(?:st|nd|rd|th)?[- ]{_MONTH},?[- ](?:{_YEAR}|\d\d)",
    rf"{_MONTH} {_DAY_NUMBER}(?:st|nd|rd|th)?,? {_YEAR}",
    r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])",
)
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?"
_ZONE = r"(?: ?(?:z|utc|gmt|[+-]\d\d:?\d\d))?"
_CLOCK = rf"(?:(?:t|,? )\d\d?:?\d\d(?::?\d\d(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?{_ZONE})?"
_DATE = re.compile(rf"{_WEEKDAY}(?:{'|'.join(_ORDERS)}){_CLOCK}", re.IGNORECASE)


def is_date(text: str) -> bool:
    """A day, with or without a time: 2024-12-31T12:00Z, 31/12/2024, 31-Dec-24, 20241231."""
    return _DATE.fullmatch(text.strip()) is not None


def same_spelling(text: str) -> str:
    """What texts share that differ in case and spaces only."""
    return " ".join(text.split()).lower()
