"""Modules of the page as one short script: one scope, short names, no space that is not needed.

Names are replaced by name, not by scope: two names that differ stay different, so that nothing is
captured. Only names of variables change; properties, keys and texts stay as they are.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, product
from string import ascii_letters

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

_WORD = re.compile(r"[\w$]")
_NO_LINE_AFTER = words("; { ( [ , : ? = => && || ?? + - * / . ?. < > ! ... return")
_NO_LINE_BEFORE = words("} ) ] , ; : ? . ?. && || ?? = => + * /")


def shorten(modules: Mapping[str, str], imports: Mapping[str, Mapping[str, Key]]) -> str:
    """The modules in this order as one script.

    `modules` are their codes without imports and the word `export`; `imports` says for each what
    the names that it imports stand for.
    """
    read = {name: [*roles(tokens(code))] for name, code in modules.items()}
    keys = {name: _keys(name, found, imports[name]) for name, found in read.items()}
    shared = _names_of(
        (keys[name][one.text] for name, found in read.items() for one, _ in _ours(found)),
        is_shared=True,
    )
    return "\n".join(_written(found, keys[name], shared) for name, found in read.items())


def _names_of(keys: Iterable[Key], is_shared: bool) -> dict[Key, str]:
    """Short names, the shortest for those that occur most.

    Names that modules share begin with a letter and have two characters or more; names inside
    functions have one letter, or begin with $: so that modules can use the latter again.
    """
    uses = Counter(key for key in keys if bool(key[0]) == is_shared)
    letters = _short_names(2, "") if is_shared else chain(ascii_letters, _short_names(1, "$"))
    return {key: name for (key, _), name in zip(uses.most_common(), letters, strict=False)}


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


def _short_names(least: int, start: str) -> Iterator[str]:
    """aa, ab, ..., after `start`, without words that mean something else."""
    for length in count(least):
        for letters in product(ascii_letters, repeat=length):
            name = start + "".join(letters)
            if name not in KEYWORDS and name not in GLOBALS:
                yield name


def _written(found: Sequence[Role], keys: Mapping[str, Key], shared: Mapping[Key, str]) -> str:
    short = {**shared, **_names_of((keys[one.text] for one, _ in _ours(found)), is_shared=False)}
    parts: list[str] = []
    last = ""
    for token, role in found:
        text = token.text
        if _is_ours(token, role):
            text = short[keys[token.text]]
            if role == "short":
                text = f"{token.text}:{text}"
        parts.append(_space(last, text, token.line and len(parts) > 0) + text)
        last = text
    return "".join(parts)


def _space(last: str, text: str, is_first: bool) -> str:
    """What has to stand between two tokens."""
    if is_first and last not in _NO_LINE_AFTER and text not in _NO_LINE_BEFORE:
        return "\n"
    if not last:
        return ""
    both_words = _WORD.match(last[-1]) and _WORD.match(text[0])
    signs = last[-1] == text[0] and text[0] in "+-/"
    return " " if both_words or signs else ""
