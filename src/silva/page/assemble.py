"""One script and one style sheet from the page's modules: no bundler, no Node.

Each module becomes a function that is called once and returns what it exports; comments and
indentation go. Only the forms that the modules use are understood: `import { a, b as c } from
"./x.js";` on one line, `export` in front of a function, class or const, comments on lines of their
own, and texts that end on the line where they begin.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from posixpath import dirname, join, normpath
from typing import NamedTuple

from silva.inspect.drawing.palette import DARK, LIGHT

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
        for source, _, given in module.imports:
            if (source, given) not in exported:
                raise ValueError(f"{name} imports {given} from {source}, which does not export it")
    variables = {name: f"m{number}" for number, name in enumerate(modules)}
    scopes = (f"const {variables[name]}={_scope(one, variables)};" for name, one in modules.items())
    return "\n".join(['"use strict";(()=>{', *scopes, "})();\n"])


def _scope(module: "Module", variables: dict[str, str]) -> str:
    """A call that runs a module and returns what it exports."""
    imports = (
        f"const {{{given}:{own}}}={variables[source]};" for source, own, given in module.imports
    )
    return "\n".join(
        ["(()=>{", *imports, module.code, f"return{{{','.join(module.exports)}}};", "})()"]
    )


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


class Import(NamedTuple):
    """A name that a module imports: from where, how it is called here and how there."""

    source: str
    own: str
    given: str


class Module(NamedTuple):
    """The code without the lines that join it to others, what it exports and what it imports."""

    code: str
    exports: list[str]
    imports: list[Import]


def _module(name: str) -> Module:
    lines: list[str] = []
    exports: list[str] = []
    imports: list[Import] = []
    for line in _code_lines(_read(name)):
        if match := _IMPORT.match(line):
            source = _path(name, match["path"])
            imports += [Import(source, own, given) for given, own in _pairs(match["names"])]
        elif match := _EXPORT.match(line):
            exports.append(match["name"])
            lines.append(line.removeprefix("export "))
        elif _OTHER_FORMS.match(line):
            raise ValueError(f"{name}: cannot join the line {line!r}")
        elif line.count("`") % 2:
            raise ValueError(f"{name}: a text must end on its line: {line!r}")
        else:
            lines.append(line)
    return Module("\n".join(lines), exports, imports)


def _code_lines(text: str) -> Iterator[str]:
    """The lines that hold code, without indentation."""
    in_comment = False
    for line in map(str.strip, text.splitlines()):
        in_comment = in_comment or line.startswith("/*")
        if line and not in_comment and not line.startswith("//"):
            yield line
        in_comment = in_comment and not line.endswith("*/")


def _pairs(names: str) -> list[tuple[str, str]]:
    """The names of an import in the module that exports them, and in the one that imports them."""
    found = (one.split(" as ") for one in names.split(", "))
    return [(one[0], one[-1]) for one in found]
