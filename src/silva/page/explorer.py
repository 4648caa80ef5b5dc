"""The page inside a notebook: a frame of its own; where there are no frames, the tree as text."""

from html import escape
from typing import Any

from silva.inspect.subject import subject_of
from silva.page.report import made

HEIGHT = 640
SANDBOX = "allow-scripts allow-downloads allow-modals"
ONLY_WITHOUT_FRAME = ".silva-explorer:has(>iframe)>pre{display:none}"
"""GitHub, e-mail and notebooks that are not trusted remove frames and styles: the text remains."""


class Explorer:
    """The explorer page of a model, as `explore` returns it.

    Parameters
    ----------
    model : estimator, Tree or pipeline
        A fitted model of silva.
    X, y : table and targets, default=None
        Rows with their targets, such as those of `fit`.
    **options
        Those of `silva.report`, but for `path`.

    Attributes
    ----------
    html : str
        The page, the same that `silva.report` writes.
    text : str
        The tree as text.
    """

    def __init__(self, model: Any, X: Any = None, y: Any = None, **options: Any) -> None:
        self.html, self.text, _ = made(model, X, y, **options)
        self._title = f"Explorer page of {subject_of(model).title}"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"{self._title}: notebooks show it; print it for the tree as text"

    def _repr_html_(self) -> str:
        return (
            f'<div class="silva-explorer"><style>{ONLY_WITHOUT_FRAME}</style>\n'
            f'<pre style="line-height:1.3">{escape(self.text)}</pre>\n'
            f'<iframe title="{escape(self._title)}" sandbox="{SANDBOX}" loading="lazy"'
            f' width="100%" height="{HEIGHT}" srcdoc="{escape(self.html)}"></iframe></div>'
        )

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.text, "text/html": self._repr_html_()}
