"""What notebooks ask of values that want to be shown. Imports nothing, so that every layer may.

Trees and records are below what renders them (`export`). They ask `printers` for their text and
`painters` for their HTML, which the package itself fills (`silva/__init__.py`): the one module that
knows all layers.
"""

from collections.abc import Callable
from html import escape
from typing import Any

printers: dict[str, Callable[[Any], str]] = {}
"""Functions that give the text of a value, by the name of its kind."""

painters: dict[str, Callable[[Any], str]] = {}
"""Functions that give the HTML of a value, by the name of its kind."""


class ShownAsText:
    """A record that a notebook shows as it prints, line by line."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return html_lines(str(self))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self._repr_html_()}


def html_lines(text: str) -> str:
    """Text as a notebook shows it, line by line, names and levels escaped."""
    return f'<pre style="line-height:1.3">{escape(text)}</pre>'
