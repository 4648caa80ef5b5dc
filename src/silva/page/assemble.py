"""One script and one style sheet from the page's modules: no bundler, no Node.

A module is wrapped in a function, so that its names stay its own, and what it exports is handed to
those that import it. Only the forms that the modules use are understood: `import { a, b } from
"./x.js";` on one line (`a as b` too), and `export` in front of a function, class or const.
"""

import re
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from posixpath import dirname, join, normpath

from silva.inspect.drawing.palette import DARK, LIGHT

ENTRY = "app.js"
_THEMES = ({**LIGHT, "focus": "#0b63c5"}, {**DARK, "focus": "#7cb8ff"})
_IMPORT = re.compile(r'^import \{ (?P<names>[\w, ]+) \} from "(?P<path>\.[\w./]+\.js)";$')
_EXPORT = re.compile(r"^export (?P<what>(?:async )?function\*?|class|const) (?P<name>\w+)")
_OTHER_FORMS = re.compile(r"^\s*(import|export)\b")


@cache
def script() -> str:
    """All modules as one classic script; it starts the page."""
    return _joined(ENTRY)


def _joined(entry: str) -> str:
    names = _in_order(entry)
    numbers = {name: f"$m{place}" for place, name in enumerate(names)}
    wrapped = (_wrapped(name, numbers) for name in names)
    return '"use strict";(() => {\n' + "\n".join(wrapped) + "\n})();\n"


@cache
def style() -> str:
    """The colours of the pictures as variables, and all style sheets without comments."""
    sheets = sorted(one.name for one in (_assets() / "css").iterdir() if one.name.endswith(".css"))
    text = "\n".join(_read(f"css/{name}") for name in sheets)
    rules = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).splitlines()
    return "\n".join([*_colours(), *filter(None, map(str.strip, rules))])


def _colours() -> list[str]:
    """The palette of every theme, and a class for each fill: `fill-class0`."""
    light, dark = ("".join(f"--{name}:{code};" for name, code in one.items()) for one in _THEMES)
    return [
        f":root{{{light}}}",
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}",
        f":root[data-theme=dark]{{{dark}}}",
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


def _wrapped(name: str, numbers: dict[str, str]) -> str:
    lines, exported = [], []
    for line in _code(name):
        if match := _IMPORT.match(line):
            names = match["names"].replace(" as ", ": ")
            lines.append(f"const {{ {names} }} = {numbers[_path(name, match['path'])]};")
        elif match := _EXPORT.match(line):
            exported.append(match["name"])
            lines.append(line.removeprefix("export "))
        elif _OTHER_FORMS.match(line):
            raise ValueError(f"{name}: cannot join the line {line!r}")
        else:
            lines.append(line)
    body = "\n".join(lines)
    return f"const {numbers[name]} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();"


def _code(name: str) -> list[str]:
    """The lines without indentation and without comments that fill whole lines."""
    text = re.sub(r"^\s*/\*\*?.*?\*/\s*$", "", _read(name), flags=re.DOTALL | re.MULTILINE)
    stripped = (line.strip() for line in text.splitlines())
    return [line for line in stripped if line and not line.startswith("//")]
