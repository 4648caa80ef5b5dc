"""One script and one style sheet from the page's modules: no bundler, no Node.

All modules share one scope, in which every name has a short name of its own (see `shorten`). Only
the forms that the modules use are understood: `import { a, b as c } from "./x.js";` on one line,
and `export` in front of a function, class or const.
"""

import re
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from posixpath import dirname, join, normpath
from typing import NamedTuple

from silva.inspect.drawing.palette import DARK, LIGHT
from silva.page.shorten import Key, shorten

ENTRY = "app.js"
_THEMES = ({**LIGHT, "focus": "#0b63c5"}, {**DARK, "focus": "#7cb8ff"})
_IMPORT = re.compile(r'^import \{ (?P<names>[\w, ]+) \} from "(?P<path>\.[\w./]+\.js)";$')
_EXPORT = re.compile(r"^export (?:(?:async )?function\*?|class|const) (?P<name>\w+)")
_OTHER_FORMS = re.compile(r"^\s*(import|export)\b")


@cache
def script() -> str:
    """All modules as one classic script; it starts the page."""
    return _joined(ENTRY)


def _joined(entry: str) -> str:
    modules = {name: _module(name) for name in _in_order(entry)}
    exported = {(name, one) for name, module in modules.items() for one in module.exports}
    for name, module in modules.items():
        for key in set(module.imports.values()) - exported:
            raise ValueError(f"{name} imports {key[1]} from {key[0]}, which does not export it")
    codes = {name: module.code for name, module in modules.items()}
    imports = {name: module.imports for name, module in modules.items()}
    return f'"use strict";(()=>{{\n{shorten(codes, imports)}\n}})();\n'


@cache
def style() -> str:
    """The colours of the pictures as variables, and all style sheets without comments."""
    sheets = sorted(one.name for one in (_assets() / "css").iterdir() if one.name.endswith(".css"))
    text = "\n".join(_read(f"css/{name}") for name in sheets)
    rules = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).splitlines()
    return "\n".join([*_colours(), *filter(None, map(str.strip, rules))])


def _colours() -> list[str]:
    """The palette of every theme (paper has the light one), and a class for each fill."""
    light, dark = ("".join(f"--{name}:{code};" for name, code in one.items()) for one in _THEMES)
    return [
        f":root{{{light}}}",
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}",
        f"@media screen{{:root[data-theme=dark]{{{dark}}}}}",
        *(f".fill-{name}{{fill:var(--{name})}}" for name in LIGHT),
        *(f".back-{name}{{background:var(--{name})}}" for name in LIGHT),
    ]


def _assets() -> Traversable:
    return resources.files("silva.page") / "assets"


@cache
def _read(name: str) -> str:
    return (_assets() / name).read_text(encoding="utf-8")


def _in_order(entry: str) -> list[str]:
    """Modules after those that they import; each once."""
    found: list[str] = []
    stack = [(entry, iter(_imported(entry)))]
    on_way = {entry}
    while stack:
        name, rest = stack[-1]
        below = next(rest, None)
        if below is None:
            stack.pop()
            on_way.remove(name)
            found.append(name)
        elif below in on_way:
            raise ValueError(f"{name} imports {below}, which imports it: modules have no cycles")
        elif below not in found:
            stack.append((below, iter(_imported(below))))
            on_way.add(below)
    return found


def _imported(name: str) -> list[str]:
    matches = filter(None, map(_IMPORT.match, _read(name).splitlines()))
    return [_path(name, match["path"]) for match in matches]


def _path(name: str, relative: str) -> str:
    return normpath(join(dirname(name), relative))


class Module(NamedTuple):
    """The code without the lines that join it to others, what it exports and what it imports."""

    code: str
    exports: list[str]
    imports: dict[str, Key]


def _module(name: str) -> Module:
    lines: list[str] = []
    exports: list[str] = []
    imports: dict[str, Key] = {}
    for line in _read(name).splitlines():
        if match := _IMPORT.match(line):
            source = _path(name, match["path"])
            imports |= {own: (source, given) for given, own in _pairs(match["names"])}
        elif match := _EXPORT.match(line):
            exports.append(match["name"])
            lines.append(line.removeprefix("export "))
        elif _OTHER_FORMS.match(line):
            raise ValueError(f"{name}: cannot join the line {line!r}")
        else:
            lines.append(line)
    return Module("\n".join(lines), exports, imports)


def _pairs(names: str) -> list[tuple[str, str]]:
    """The names of an import in the module that exports them, and in the one that imports them."""
    found = (one.split(" as ") for one in names.split(", "))
    return [(one[0], one[-1]) for one in found]
