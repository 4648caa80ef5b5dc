"""Modules of the page as one short script: one scope, short names, no space that is not needed.

Names are replaced by name, not by scope: two names that differ stay different, so that nothing is
captured. Only names of variables change; properties, keys and texts stay as they are.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count, product
from string import ascii_letters, ascii_lowercase

from silva.page.javascript import (
    GLOBALS,
    KEYWORDS,
    Token,
    declared,
    roles,
    tokens,
    top_level,
    words,
)

Role = tuple[Token, str]
Key = tuple[str, str]
"""A name: the module that declares it outside all functions ("" for names inside), and itself."""

USUAL = 20
"""So many names have the same letter wherever they occur: that packs better."""
_WORD = re.compile(r"[\w$]")
_ENDS = words("; { }")
_DECLARES = words("const let")
_GO_ON = words("; , ) ] . ?. : ? =")


def shorten(modules: Mapping[str, str], imports: Mapping[str, Mapping[str, Key]]) -> str:
    """The modules in this order as one script.

    `modules` are their codes without imports and the word `export`; `imports` says for each what
    the names that it imports stand for.
    """
    read = {name: [*roles(tokens(code))] for name, code in modules.items()}
    keys = {name: _keys(name, found, imports[name]) for name, found in read.items()}
    uses = Counter(keys[name][one.text] for name, found in read.items() for one, _ in _ours(found))
    by_use = [key for key, _ in uses.most_common()]
    shared = dict(zip((key for key in by_use if key[0]), _names(2), strict=False))
    usual = dict(zip((key for key in by_use if not key[0]), ascii_lowercase[:USUAL], strict=False))
    statements = (
        _written(one, keys[name], shared, usual)
        for name, found in read.items()
        for one in _statements(found)
    )
    return "\n".join(statements)


def _statements(found: Sequence[Role]) -> Iterator[list[Role]]:
    """The functions, classes and constants of a module: names inside one mean nothing in others."""
    begin = 0
    for place, (token, _) in enumerate(found):
        if token.depth == 0 and token.kind == "sign" and token.text in (";", "}"):
            yield list(found[begin : place + 1])
            begin = place + 1
    if begin < len(found):
        yield list(found[begin:])


def _ours(found: Sequence[Role]) -> Iterator[Role]:
    """The tokens that are names which we may choose."""
    return ((one, role) for one, role in found if _is_ours(one, role))


def _is_ours(token: Token, role: str) -> bool:
    return role != "" and token.text not in GLOBALS


def _keys(module: str, found: Sequence[Role], imported: Mapping[str, Key]) -> dict[str, Key]:
    """What each name in a module stands for."""
    every = [token for token, _ in found]
    own, known = top_level(every), declared(every)
    keys: dict[str, Key] = {}
    for name in dict.fromkeys(token.text for token, _ in _ours(found)):
        if name not in imported and name not in known:
            raise ValueError(f"{module}: {name} is not declared; is it missing in GLOBALS?")
        keys[name] = imported.get(name, (module if name in own else "", name))
    return keys


def _names(least: int, start: str = "") -> Iterator[str]:
    """aa, ab, ..., after `start`, without words that mean something else."""
    for length in count(least):
        for letters in product(ascii_letters, repeat=length):
            name = start + "".join(letters)
            if name not in KEYWORDS and name not in GLOBALS:
                yield name


def _written(
    found: Sequence[Role],
    keys: Mapping[str, Key],
    shared: Mapping[Key, str],
    usual: Mapping[Key, str],
) -> str:
    """A statement. Names that all modules share have two letters or more, others one or a $."""
    short = {**shared, **_inner_names([keys[one.text] for one, _ in _ours(found)], usual)}
    parts: list[str] = []
    last = ""
    for token, role in _merged(found):
        text = token.text
        if _is_ours(token, role):
            text = short[keys[token.text]]
            if role == "short":
                text = f"{token.text}:{text}"
        elif text == "const":
            text = "let"
        parts.append(_space(last, text) + text)
        last = text
    return "".join(parts)


def _merged(found: Sequence[Role]) -> Iterator[Role]:
    """The same with neighbouring declarations as one, and no semicolon before a brace."""
    declares: dict[int, bool] = {}
    afters = chain((token.text for token, _ in found[1:]), [""])
    is_joined = False
    for (token, role), after in zip(found, afters, strict=True):
        if is_joined:
            is_joined = False
            continue
        if token.kind == "sign" and token.text in _ENDS:
            inner = token.depth + (token.text == "{")
            is_joined = token.text == ";" and after in _DECLARES and declares.get(inner, False)
            if token.text != "}" or after not in _GO_ON:
                declares[inner] = after in _DECLARES
        if is_joined:
            yield replace(token, text=","), ""
        elif token.text != ";" or after != "}":
            yield token, role


def _inner_names(keys: Sequence[Key], usual: Mapping[Key, str]) -> dict[Key, str]:
    """Names inside one statement: the usual ones of the usual names, then whatever is free."""
    inner = [key for key, _ in Counter(keys).most_common() if not key[0]]
    chosen = {key: usual[key] for key in inner if key in usual}
    taken = set(chosen.values())
    free = chain((one for one in ascii_letters if one not in taken), _names(1, "$"))
    return chosen | dict(zip((key for key in inner if key not in usual), free, strict=False))


def _space(last: str, text: str) -> str:
    """What has to stand between two tokens."""
    if not last:
        return ""
    both_words = _WORD.match(last[-1]) and _WORD.match(text[0])
    signs = last[-1] == text[0] and text[0] in "+-/"
    return " " if both_words or signs else ""
