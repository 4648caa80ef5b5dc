"""The report of a model: one HTML file that people open, question and keep."""

from typing import Any

from silva.export.text import to_text
from silva.inspect.subject import subject_of
from silva.page.payload.document import document
from silva.page.render import page

TEXT_NODES = 1000


def html(model: Any) -> str:
    """The page of a fitted model as HTML text."""
    text = to_text(subject_of(model).tree(), max_nodes=TEXT_NODES)
    return page(document(model), text)
