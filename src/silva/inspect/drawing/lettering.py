"""How wide text is, without a font: estimates that are rather too wide, and lines that fit."""

import re
import unicodedata
from functools import lru_cache

SMALL, NORMAL, LARGE = 11.0, 12.5, 15.0
"""Font sizes, in pixels."""
LINE = 1.32
"""The height of a line of text, in font sizes."""
DOTS = "…"

_ASCII = (
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79,
    60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63,
    63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
)  # fmt: skip
"""Widths of the characters from the space on, in hundredths of the font size: those of DejaVu Sans,
the widest of the usual sans-serif fonts."""
_BOLD = 1.16
_BREAK = re.compile(r"(?<=[\s,])(?<![<=]\s)")
_DECIMAL = re.compile(r"(?<![\w.])(\d+)\.(\d+)")
_RIGHT_TO_LEFT = (
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_RIGHT_TO_LEFT_NAME = re.compile(f"{_RIGHT_TO_LEFT}+(?:[\\s'\"._-]*{_RIGHT_TO_LEFT}+)*")
MOST_DIGITS, KEPT_DIGITS = 7, 5
"""Decimals of more significant digits than the first number are cut after the second."""


@lru_cache(maxsize=4096)
def _width(character: str) -> int:
    place = ord(character) - 32
    if 0 <= place < len(_ASCII):
        return _ASCII[place]
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me"):
        return 0
    if unicodedata.east_asian_width(character) in "WF" or place > 0x1F000:
        return 135 if place > 0x1F000 else 105
    return 90 if unicodedata.category(character) in ("So", "Lu") else 68


def width(text: str, size: float, bold: bool = False) -> float:
    """The width of a line of text in pixels, a little more than most fonts need."""
    return sum(map(_width, text)) * size / 100 * (_BOLD if bold else 1.0)


def cut_decimals(text: str) -> str:
    """The text with the ends of long decimals left out: `0.0061888847138` becomes `0.0061888…`."""
    return _DECIMAL.sub(_cut, text)


def _cut(found: re.Match[str]) -> str:
    whole, decimals = found[1].lstrip("0"), found[2]
    zeros = 0 if whole else len(decimals) - len(decimals.lstrip("0"))
    if len(whole) + len(decimals) - zeros <= MOST_DIGITS:
        return found[0]
    kept = max(1, KEPT_DIGITS - len(whole)) + zeros
    return f"{found[1]}.{decimals[:kept]}{DOTS}"


def fitted(text: str, room: float, size: float, bold: bool = False) -> str:
    """The text, or as much of its beginning as fits, with dots."""
    if width(text, size, bold) <= room:
        return text
    left = room - width(DOTS, size, bold)
    for end, character in enumerate(text):
        left -= width(character, size, bold)
        if left < 0:
            return text[:end].rstrip() + DOTS
    return text


def wrapped(text: str, room: float, size: float, lines: int, bold: bool = False) -> list[str]:
    """The text on so many lines at most, broken after spaces and commas; the last may end in dots.

    A word that is too long for a line of its own is broken anywhere.
    """
    parts, line = _BREAK.split(text), ""
    found: list[str] = []
    while parts:
        part = parts.pop(0)
        if width((line + part).rstrip(), size, bold) <= room:
            line += part
        elif len(found) + 1 >= lines:
            return [*found, fitted("".join([line, part, *parts]), room, size, bold)]
        elif line:
            found, line, parts = [*found, line.rstrip()], "", [part, *parts]
        else:
            head = fitted(part, room, size, bold).removesuffix(DOTS) or part[:1]
            found, parts = [*found, head], [part[len(head) :], *parts]
    return [*found, line.rstrip()] if line.strip() or not found else found


def isolated(text: str) -> str:
    """The text with names that run right to left set apart: they keep what follows in its place."""
    return _RIGHT_TO_LEFT_NAME.sub("\u2067\\g<0>\u2069", text)
