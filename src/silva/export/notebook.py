"""Pictures of trees as notebooks show them: SVG inside HTML."""

from typing import Any

from silva.export.svg import to_svg

MOST_NODES = 60
"""A notebook shows so many nodes of a tree, those with the most rows."""


def tree_html(model: Any, tree: int | None = None) -> str:
    """The picture of a model's tree; a wide one scrolls."""
    picture = to_svg(model, tree=tree, max_nodes=MOST_NODES)
    return f'<div style="overflow-x:auto;max-width:100%">{picture}</div>'
