"""Where rows end: the one router, for every kind of split. The walk itself is in the core."""

import numpy as np

from silva import _core
from silva.data.schema import KIND_NUMBER
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

COLUMN = "_column"
"""How the names of arrays of columns end."""

_WIDE = 1000
"""A tree that uses fewer than one in this many columns gives only those to the core."""

Compiled = tuple[_core.Router, list[int] | None]
"""A router, and the columns that it takes (None: all)."""


def leaves(tree: Tree, table: Table, threads: int = 1) -> np.ndarray:
    """The node number of the leaf in which each row ends, or of the node where it stops (int64).

    The table must be bound to the tree's own schema.
    """
    if table.schema is not tree.schema and table.schema != tree.schema:
        raise DataError(
            "the table is bound to another schema than the tree's;"
            " bind it with data.bind.bind_prediction(data, tree.schema)."
        )
    compiled: Compiled = vars(tree).get(ROUTER) or _compiled(tree)
    router, asked = compiled
    columns = table.columns if asked is None else [table.columns[number] for number in asked]
    nodes: np.ndarray = router.leaves(columns, table.n_rows, threads)
    return nodes


def _compiled(tree: Tree) -> Compiled:
    """The tree compiled for routing: once, as it is kept with the tree and not in its file."""
    arrays = to_arrays(sound(tree))
    kept = {name: arrays[name] for name in ROUTER_ARRAYS}
    names = [name for name in ROUTER_ARRAYS if name.endswith(COLUMN)]
    asked = np.unique(np.concatenate([kept[name] for name in names]))
    if len(tree.schema) < _WIDE * (1 + len(asked)):
        compiled = _core.Router(kept, tree.schema.numbers.kinds), None
    else:
        kept |= {name: np.searchsorted(asked, kept[name]).astype(np.int32) for name in names}
        kinds = [KIND_NUMBER[tree.schema.columns[number].kind] for number in asked]
        compiled = _core.Router(kept, kinds), asked.tolist()
    vars(tree)[ROUTER] = compiled
    return compiled
