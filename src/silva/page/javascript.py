"""As much of JavaScript as it takes to shorten our own modules: tokens, and what names stand for.

It relies on how these modules are written: semicolons end statements, and braces open a block after
`)`, `=>` and keywords, a class after its head, an object or a pattern anywhere else.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


KEYWORDS = words("""
    async await break case catch class const constructor continue default delete do else extends
    false finally for function get if in instanceof let new null of return set static super switch
    this throw true try typeof undefined void while yield
""")
GLOBALS = words("""
    Array ArrayBuffer BigInt BigInt64Array Blob Boolean CustomEvent DataView Date
    DecompressionStream Element Error Event FileReader Float32Array Float64Array Image Infinity
    Int32Array Int8Array Intl JSON Map Math NaN Node Number Object Promise RegExp ResizeObserver
    Response SVGElement Set String TextEncoder URL URLSearchParams Uint32Array Uint8Array WeakMap
    XMLSerializer atob cancelAnimationFrame clearTimeout console document encodeURIComponent
    getComputedStyle history isFinite isNaN location matchMedia navigator parseFloat parseInt
    performance requestAnimationFrame setTimeout structuredClone window
""")
"""What browsers declare; a module that uses more names them here."""
_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<word>\#?[A-Za-z_$][\w$]*)
    |(?P<number>0[xX][\da-fA-F_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][+-]?\d+)?n?)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<sign>>>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?
        |\?\.(?!\d)|\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<|>>|\*\*|[{}()\[\];,<>+\-*/%&|^!~?:=.])""",
    re.VERBOSE | re.DOTALL,
)
_PATTERN = re.compile(r"/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*(?:`|\$\{)", re.DOTALL)

Kind = Literal["word", "number", "text", "sign", "pattern", "template"]
Brace = Literal["block", "class", "object", "template", ""]
_BEFORE_OBJECT = words(
    "( , = ??= ||= &&= : [ ? && || ?? ! ... + return in of typeof const let yield"
)


@dataclass(slots=True)
class Token:
    """A token; `inside` is the innermost brace around it, `depth` how many brackets are."""

    kind: Kind
    text: str
    inside: Brace = ""
    depth: int = 0


def tokens(code: str) -> list[Token]:
    """The tokens of a module with the braces around them; comments are left out."""
    found: list[Token] = []
    braces: list[Brace] = []
    place = 0
    while place < len(code):
        token, place = _next(code, place, found, braces)
        if token is not None:
            _track(token, found, braces)
            found.append(token)
    return found


def _next(
    code: str, place: int, found: list[Token], braces: list[Brace]
) -> tuple[Token | None, int]:
    """The token at a place (None for space and comments), and where it ends."""
    if code[place] == "`" or (code[place] == "}" and braces and braces[-1] == "template"):
        match = _TEMPLATE.match(code, place + 1)
        assert match is not None
        return Token("template", code[place] + match[0]), match.end()
    if code[place] == "/" and _may_begin_pattern(found) and (match := _PATTERN.match(code, place)):
        return Token("pattern", match[0]), match.end()
    match = _TOKEN.match(code, place)
    if match is None or match.lastgroup is None:
        raise ValueError(f"cannot read JavaScript at {code[place : place + 30]!r}")
    if match.lastgroup == "space":
        return None, match.end()
    kinds: dict[str, Kind] = {"word": "word", "number": "number", "text": "text", "sign": "sign"}
    return Token(kinds[match.lastgroup], match[0]), match.end()


def _may_begin_pattern(found: list[Token]) -> bool:
    if not found:
        return True
    last = found[-1]
    return last.text in ("return", "typeof", "in", "of") or (
        last.kind == "sign" and last.text not in (")", "]", "}")
    )


def _track(token: Token, found: list[Token], braces: list[Brace]) -> None:
    """Note what is around a token, and follow the braces and brackets that it opens or closes."""
    closes_template = token.kind == "template" and token.text[0] == "}"
    if closes_template or (token.kind == "sign" and token.text in ("}", ")", "]")):
        braces.pop()
    token.inside, token.depth = (braces[-1] if braces else ""), len(braces)
    if token.kind == "template" and token.text.endswith("${"):
        braces.append("template")
    elif token.kind == "sign" and token.text == "{":
        braces.append(_brace(found))
    elif token.kind == "sign" and token.text in ("(", "["):
        braces.append("")


def _brace(found: list[Token]) -> Brace:
    """What a brace after these tokens opens."""
    if not found:
        return "block"
    if _in_class_head(found):
        return "class"
    last = found[-1]
    is_object = last.text in _BEFORE_OBJECT or (last.kind == "template" and last.text[-1] == "{")
    return "object" if is_object else "block"


def _in_class_head(found: list[Token]) -> bool:
    """`class A` or `class A extends B` stands before the brace."""
    last = [token.text for token in found[-4:]]
    return last[-2:-1] == ["class"] or (len(last) == 4 and last[0] == "class")


def roles(found: list[Token]) -> Iterator[tuple[Token, str]]:
    """Each token with what it is: "name" of a variable, "short" (a key and a name at once), "".

    Keys, properties, methods and keywords have the role "".
    """
    for place, token in enumerate(found):
        before = found[place - 1].text if place else ""
        after = found[place + 1].text if place + 1 < len(found) else ""
        yield token, _role(token, before, after)


def _role(token: Token, before: str, after: str) -> str:
    is_private = token.text[0] == "#"
    if token.kind != "word" or is_private or token.text in KEYWORDS or before in (".", "?."):
        return ""
    if token.inside == "class" and before in ("{", "}", ";", "get", "set", "static", "async", "*"):
        return ""
    if token.inside == "object" and before in ("{", ",", "get", "set", "async"):
        if after in (",", "}", "="):
            return "short"
        return "" if after in (":", "(") else "name"
    return "name"


def declared(found: list[Token]) -> set[str]:
    """All names that a module declares: variables, functions, classes, parameters."""
    names = {one.text for one in _declared_by_words(found)}
    names |= {one.text for one in _in_patterns(found)}
    return names | {one.text for one in _parameters(found)}


def top_level(found: list[Token]) -> set[str]:
    """The names that are declared outside all functions and classes."""
    names = {one.text for one in _declared_by_words(found) if one.depth == 0}
    return names | {one.text for one in _in_patterns(found) if one.depth == 1}


def _declared_by_words(found: list[Token]) -> Iterator[Token]:
    for place, token in enumerate(found[1:], 1):
        before = found[place - 1].text
        is_list = before == "," and token.kind == "word" and _continues_let(found, place)
        is_star = before == "*" and found[place - 2].text == "function"
        if token.kind == "word" and (
            before in ("function", "class", "const", "let") or is_list or is_star
        ):
            yield token


def _continues_let(found: list[Token], place: int) -> bool:
    """Whether the comma before this place is one of `let a = 1, b = 2;`."""
    depth = found[place].depth
    for token in reversed(found[:place]):
        if token.depth < depth or (token.depth == depth and token.text == ";"):
            return False
        if token.depth == depth and token.text in ("let", "const"):
            return True
    return False


def _in_patterns(found: list[Token]) -> Iterator[Token]:
    """The names in `const { a, b: c } = ...` and `const [a, b] = ...`."""
    for place, token in enumerate(found[:-1]):
        if token.text in ("const", "let") and found[place + 1].text in ("{", "["):
            yield from _names_until_closed(found, place + 1)


def _names_until_closed(found: list[Token], opened: int) -> Iterator[Token]:
    for token, role in roles(found[opened : _closing(found, opened)]):
        if role:
            yield token


def _closing(found: list[Token], opened: int) -> int:
    """The place of the bracket that closes the one at `opened`."""
    depth = found[opened].depth
    return next(
        place
        for place in range(opened + 1, len(found))
        if found[place].depth == depth and found[place].text in (")", "]", "}")
    )


def _parameters(found: list[Token]) -> Iterator[Token]:
    """Names in the brackets of functions, methods and `catch`, and before `=>`."""
    for place, token in enumerate(found[:-1]):
        after = found[place + 1].text
        if token.kind == "word" and after == "=>":
            yield token
        if token.kind == "sign" and token.text == "(":
            closing = _closing(found, place)
            follows = found[closing + 1].text if closing + 1 < len(found) else ""
            before = found[place - 1].text if place else ""
            if follows == "=>" or (
                follows == "{" and before not in ("if", "for", "while", "switch")
            ):
                yield from _names_until_closed(found, place)
