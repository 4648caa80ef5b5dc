"""One script and one style sheet from the page's modules: no bundler, no Node.

A module is wrapped in a function, so that its names stay its own, and what it exports is handed to
those that import it. Only the forms that the modules use are understood: `import { a, b } from
"./x.js";` on one line, and `export` in front of a function, class or const.
"""

import re
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from posixpath import dirname, join, normpath

ENTRY = "app.js"
_IMPORT = re.compile(r'^import \{ (?P<names>[\w, ]+) \} from "(?P<path>\.[\w./]+\.js)";$')
_EXPORT = re.compile(r"^export (?P<what>(?:async )?function\*?|class|const) (?P<name>\w+)")
_OTHER_FORMS = re.compile(r"^\s*(import|export)\b")


@cache
def script() -> str:
    """All modules as one classic script; it starts the page."""
    names = _in_order(ENTRY)
    numbers = {name: f"$m{place}" for place, name in enumerate(names)}
    wrapped = (_wrapped(name, numbers) for name in names)
    return '"use strict";(() => {\n' + "\n".join(wrapped) + "\n})();\n"


@cache
def style() -> str:
    """The style sheet, without comments and indentation."""
    text = re.sub(r"/\*.*?\*/", "", _read("style.css"), flags=re.DOTALL)
    return "\n".join(filter(None, map(str.strip, text.splitlines())))


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
            lines.append(f"const {{ {match['names']} }} = {numbers[_path(name, match['path'])]};")
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
