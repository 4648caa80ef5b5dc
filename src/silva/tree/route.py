"""Where rows end: the one router, for every kind of split. The walk itself is in the core."""

import numpy as np

from silva import _core
from silva.data.table import Table
from silva.errors import DataError
from silva.tree.arrays import array_types
from silva.tree.check import sound
from silva.tree.tables import TABLES
from silva.tree.tree import Tree, to_arrays

ROUTER_ARRAYS = (
    "child_start",
    "child",
    "split_kind",
    "split_index",
    *array_types(*(table_type for _, table_type in TABLES.values())),
)

ROUTER = "_router"
"""Where a tree keeps its compiled form, as it keeps its lazy values."""


def leaves(tree: Tree, table: Table, threads: int = 1) -> np.ndarray:
    """The node number of the leaf in which each row ends, or of the node where it stops (int64).

    The table must be bound to the tree's own schema.
    """
    if table.schema is not tree.schema and table.schema != tree.schema:
        raise DataError(
            "the table is bound to another schema than the tree's;"
            " bind it with data.bind.bind_prediction(data, tree.schema)."
        )
    router = vars(tree).get(ROUTER) or _compiled(tree)
    nodes: np.ndarray = router.leaves(table.columns, table.n_rows, threads)
    return nodes


def _compiled(tree: Tree) -> _core.Router:
    """The tree compiled for routing: once, as it is kept with the tree and not in its file."""
    arrays = to_arrays(sound(tree))
    kept = {name: arrays[name] for name in ROUTER_ARRAYS}
    router = _core.Router(kept, tree.schema.numbers.kinds)
    vars(tree)[ROUTER] = router
    return router
