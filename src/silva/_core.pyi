"""The compiled core: everything that visits rows one by one. Sources: `cpp/`.

The core trusts its arguments: `data.bind` and `grow.Plan` have judged them. It checks lengths and
number types only, and raises ValueError or TypeError. The GIL is released while it works;
KeyboardInterrupt ends long work.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

def grow(
    columns: Sequence[np.ndarray],
    kinds: Sequence[int],
    n_levels: Sequence[int],
    target: np.ndarray,
    weights: np.ndarray | None,
    n_classes: int,
    *,
    criterion: str,
    splitter: str,
    max_depth: int,
    min_samples_split: int,
    min_samples_leaf: int,
    min_weight_fraction_leaf: float,
    max_leaf_nodes: int,
    min_impurity_decrease: float,
    min_gain: float,
    max_features: int,
    seed: int,
    split_forms: Sequence[int],
    missing: Sequence[int],
    unseen: Sequence[int],
    breakpoints: bool,
    oblique: Mapping[str, Any] | None,
    distance: Mapping[str, Any] | None,
    threads: int,
) -> dict[str, Any]:
    """Grow an exact greedy tree; the same one for any number of threads.

    Columns are coded as in `data.Table`: one-dimensional, of any stride, native float32, float64,
    integers or booleans. `kinds` are indices into `data.schema.KINDS`. `target` is contiguous:
    int32 codes below `n_classes`, or finite float64 values where `n_classes` is 0. `weights` is
    None (all ones) or contiguous float64, at least 0 and not all 0. There are 1 to 2^31 - 1 rows.

    `criterion` is "gini", "entropy", "error" or "gain_ratio" for classes, "squared_error" or
    "poisson" for values; `splitter` is "best" or "random". For `max_depth` and `max_leaf_nodes` 0 means no
    limit; any other `max_leaf_nodes` grows the node of largest total gain first, and a split that
    would make more leaves is not made.
    `max_features` is a number of columns, `seed` any unsigned 64-bit number.

    One number a column: `split_forms` is 0 threshold, 1 one level against the rest, 2 a set of
    levels against the rest, 3 all levels apart (1 to 3 take the codes of a column as categories);
    `missing` and `unseen` are 0 learn, 1 majority, 2 own branch, 3 stop, 4 error. `breakpoints`
    leaves out thresholds between values whose rows all have one and the same target.

    `oblique` holds the ascending "columns" that may have a weight, "max_columns" (the most in one
    split), "margin" and "max_levels" (categorical columns of more levels have no indicators);
    `distance` holds "columns", "metrics" (0 Euclidean, 1 Manhattan, 2 cosine, 3 Mahalanobis),
    "prototypes" (random rows tried in a node, besides the medoids) and "margin". Such a split is
    taken where its gain exceeds 1 + margin times that of the best ordinary one.

    Returns what `tree.from_arrays` takes: the arrays by the names of `tree.ARRAY_TYPES` and, as
    numbers, `weight_unit` and for regression `center` and `target_unit`.
    """

def effective_threads(asked: int) -> int:
    """The number of threads to use: `asked`, or for 0 the CPUs that this process may use.

    Affinity and the CPU quota of the control group are respected.
    """

class Router:
    """A tree compiled for routing rows to leaves. It keeps no reference to its arrays."""

    def __init__(
        self,
        child_start: np.ndarray,
        child: np.ndarray,
        split_kind: np.ndarray,
        split_index: np.ndarray,
        threshold_column: np.ndarray,
        threshold_value: np.ndarray,
        threshold_missing: np.ndarray,
        subset_column: np.ndarray,
        subset_start: np.ndarray,
        subset_codes: np.ndarray,
        subset_missing: np.ndarray,
        subset_unseen: np.ndarray,
        kinds: Sequence[int],
    ) -> None:
        """Take the contiguous arrays of a checked tree, of the types in `tree.ARRAY_TYPES`.

        `kinds` are indices into `data.schema.KINDS`, of all columns of the schema in its order.
        """

    def leaves(self, columns: Sequence[np.ndarray], n_rows: int, threads: int) -> np.ndarray:
        """The node number (int64) of the leaf in which each row ends.

        Columns come in the order and coding of `data.Table`, all of them, `n_rows` values each.
        """
