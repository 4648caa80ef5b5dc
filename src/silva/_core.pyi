"""The compiled core: everything that visits rows one by one. Sources: `cpp/`.

The core trusts its arguments: `data.bind` and `grow.Plan` have judged them. It checks lengths and
number types only, and raises ValueError or TypeError. The GIL is released while it works;
KeyboardInterrupt ends long work.
"""

from collections.abc import Callable, Mapping, Sequence
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
    oblique: dict[str, Any] | None,
    distance: dict[str, Any] | None,
    threads: int,
) -> dict[str, Any]:
    """Grow an exact greedy tree; the same one for any number of threads.

    Columns are coded as in `data.Table`: one-dimensional, of any stride, native float32, float64,
    integers or booleans. `kinds` are indices into `data.schema.KINDS`. `target` is contiguous:
    int32 codes below `n_classes`, or finite float64 values where `n_classes` is 0. `weights` is
    None (all ones) or contiguous float64, at least 0 and not all 0. There are 1 to 2^31 - 1 rows.

    `criterion` is "gini", "entropy", "error" or "gain_ratio" for classes, "squared_error" or
    "poisson" for values; `splitter` is "best" or "random". For `max_depth` and `max_leaf_nodes`
    0 means no limit; any other `max_leaf_nodes` grows the node of largest total gain first, and a
    split that would make more leaves is not made.
    `max_features` is a number of columns, `seed` any unsigned 64-bit number.

    One number a column: `split_forms` (0 threshold, 1 one value against the rest, 2 a set against
    the rest, 3 a child a value), `missing` and `unseen` (`data.schema.POLICY_NUMBER`).
    `breakpoints` leaves out thresholds between neighbours of one and the same target. `oblique`
    has the keys columns, max_columns, margin and max_levels, `distance` columns, metrics (indices
    into `tree.tables.METRICS`), prototypes and margin; None: no such splits.

    `oblique` holds the ascending "columns" that may have a weight, "max_columns" (the most in one
    split), "margin" and "max_levels" (categorical columns of more levels have no indicators);
    `distance` holds "columns", "metrics" (0 Euclidean, 1 Manhattan, 2 cosine, 3 Mahalanobis),
    "prototypes" (random rows tried in a node, besides the medoids) and "margin". Such a split is
    taken where its gain exceeds 1 + margin times that of the best ordinary one.

    Returns what `tree.from_core` takes: the arrays by the names of `tree.ARRAY_TYPES` (those of
    kinds of splits that the tree lacks are left out) and, as numbers, `weight_unit` and for
    regression `center` and `target_unit`.
    """

def effective_threads(asked: int) -> int:
    """The number of threads to use: `asked`, or for 0 the CPUs that this process may use.

    Affinity and the CPU quota of the control group are respected.
    """

def instruction_sets() -> list[str]:
    """The instruction sets that this build has and this machine supports, best first."""

def instruction_set() -> str:
    """The instruction set in use: the best one, or that of the variable SILVA_ISA.

    The module raises ImportError when it is loaded with another SILVA_ISA than these.
    """

def draw_counts(seed: int, n_rows: int, n_samples: int, replace: bool) -> np.ndarray:
    """How often each of `n_rows` rows is drawn for the tree of this seed: uint32 (n_rows,).

    With replacement `n_samples` draws fall on any rows; without, so many different rows are drawn
    (all of them where there are fewer).
    """

def pack_arrays(numbers: Sequence[int], arrays: Sequence[np.ndarray]) -> bytes:
    """Arrays of a tree in the bytes that `unpack_arrays` reads.

    `numbers` are the places of the arrays in `packing.NAMES`; int8, int32, int64 or float64.
    """

def unpack_arrays(
    data: bytes, types: Mapping[str, str], wanted: Sequence[str]
) -> dict[str, np.ndarray]:
    """Arrays in bytes of `pack_arrays`; those that were left out are empty.

    `types` has the type of every array by name, in the order of `packing.NAMES`. Raises ValueError,
    with the name of the array, where the bytes cannot be a tree.
    """

def packed_names(data: bytes, types: Mapping[str, str]) -> list[str]:
    """The names of the arrays in bytes of `pack_arrays`; raises ValueError as `unpack_arrays`."""

class ForestGrower:
    """Grows the trees of a forest. It borrows its arrays.

    Tree by tree the result is that of `grow` with the same seed and with weights
    `draw_counts(seed, ...) * weights`, where the rows of positive weight are drawn, in their order.
    """

    def __init__(
        self,
        columns: Sequence[np.ndarray],
        kinds: Sequence[int],
        n_levels: Sequence[int],
        target: np.ndarray,
        weights: np.ndarray | None,
        n_classes: int,
        *,
        bootstrap: str,
        n_samples: int,
        oob: bool,
        n_columns: int = 0,
        **choices: Any,
    ) -> None:
        """Arguments and `choices` as in `grow`, but for the seed and the threads.

        A tree may ask about `n_columns` columns, drawn by its seed (0: about all); to it the
        others are constant.
        `bootstrap` is "bootstrap" (with replacement), "subsample" (without) or "all" (every row
        once). A float as `min_samples_split` or `min_samples_leaf` is a share of the rows of
        each tree.
        """

    def grow(
        self,
        seeds: Sequence[int],
        threads: int,
        keep_finished: bool = False,
        progress: Callable[[int], object] | None = None,
        take: Callable[[int, Any], object] | None = None,
        packed: Sequence[str] = (),
    ) -> list[Any]:
        """One tree a seed, as `grow` returns it; may be called again for more trees.

        With the names of all arrays as `packed`, trees of classes are bytes, as
        `ensemble.packing.pack` makes them (on a little-endian machine).

        With `take` nothing is returned: it is called with 0, 1, ... and the trees in their order,
        while others still grow. A call that raised KeyboardInterrupt may be repeated.

        `progress` is called about every 20 ms with the number of trees that are finished; what it
        raises ends the work. With `keep_finished` a KeyboardInterrupt is not raised: the trees
        before the first unfinished one are returned.
        """

    @property
    def interrupted(self) -> bool:
        """Whether a KeyboardInterrupt was not raised because of `keep_finished`."""

    def start_oob(self, sums: dict[str, np.ndarray]) -> None:
        """Go on from the sums of other trees: those of `oob_sums` that are wanted."""

    def oob_sums(self) -> dict[str, np.ndarray]:
        """What the trees so far said about the rows that they did not grow from.

        A row of weight zero is one of these for every tree. `votes` int64 (rows,): such trees of
        the row. Classes: `shares` float64 (rows, classes), the sum of class shares, and `hard`
        int64 (rows, classes), the trees whose likeliest class it is. Numbers: `values` float64
        (rows,), the sum of means. `shares_lost` and `values_lost` are what rounding took from these
        sums. Sums are taken in the order of the trees: the same bits for any threads and any number
        of calls.
        """

class Router:
    """A tree compiled for routing rows to leaves. It keeps no reference to its arrays."""

    def __init__(self, arrays: dict[str, np.ndarray], kinds: Sequence[int]) -> None:
        """Take the contiguous arrays of a checked tree by name, of the types of `tree`.

        These are the arrays of structure (child_start, child, split_kind, split_index) and those
        of every split kind. `kinds` are indices into `data.schema.KINDS`, of all columns of the
        schema in its order.
        """

    def leaves(self, columns: Sequence[np.ndarray], n_rows: int, threads: int) -> np.ndarray:
        """The node number (int64) of the leaf, or of the inner node, in which each row ends.

        Columns come in the order and coding of `data.Table`, all of them, `n_rows` values each.
        """

def means(sums: np.ndarray, lost: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(sums + lost) / counts for float64 arrays of one length, as an Engine divides its sums.

    The mean of equal numbers is that number, and a mean lies between its smallest and largest
    number, where `lost` is what rounding took from the sums (Knuth's TwoSum).
    """

def compile_forest(
    kinds: Sequence[int],
    n_classes: int,
    trees: tuple[bytes, ...],
    names: Sequence[str],
    is_plain: Sequence[bool],
    predictions: Callable[[int, str], dict[str, np.ndarray]],
) -> Engine | None:
    """Compile packed trees for prediction; without classes they predict numbers.

    `kinds` are those of the columns (as `Router`), `names` all arrays of a packed tree.
    `predictions(number, nodes)` is asked for what the bytes of a tree do not say: with "leaves" for
    the predictions of its leaves (unless `is_plain`: shares and majority of the training rows),
    with "inner" for those of inner nodes where rows can stop, with "all" for those of all nodes and
    the arrays of a router. They are the sparse shares of
    classes (start, code, share) and the majority of each node, or values.

    Returns None where leaves have models.
    """

class Engine:
    """A forest compiled for prediction. It borrows the bytes of the trees.

    Sums over the trees are taken in their order for every row: the same bits for any `threads` and
    any number of rows.
    """

    @property
    def nbytes(self) -> int:
        """The bytes that it holds itself."""

    def soft(
        self, rows: np.ndarray | Sequence[np.ndarray], n_rows: int, threads: int
    ) -> np.ndarray:
        """The mean over the trees of the class shares: float64 (rows, classes).

        Rows are columns as `Router.leaves` takes them, or a matrix of float32 or float64.
        """

    def hard(
        self, rows: np.ndarray | Sequence[np.ndarray], n_rows: int, threads: int
    ) -> np.ndarray:
        """How many trees vote for each class: int64 (rows, classes)."""

    def weighted(
        self,
        rows: np.ndarray | Sequence[np.ndarray],
        n_rows: int,
        weights: np.ndarray,
        threads: int,
    ) -> np.ndarray:
        """The weights (one a tree) of the trees that vote for each class, added up in their order.

        float64 (rows, classes).
        """

    def choices(
        self, rows: np.ndarray | Sequence[np.ndarray], n_rows: int, threads: int
    ) -> np.ndarray:
        """The class that each tree votes for: int32 (trees, rows)."""

    def mean(
        self, rows: np.ndarray | Sequence[np.ndarray], n_rows: int, threads: int
    ) -> np.ndarray:
        """The mean over the trees of the values (float64)."""

    def leaves(
        self, rows: np.ndarray | Sequence[np.ndarray], n_rows: int, threads: int
    ) -> np.ndarray:
        """The node in which each row ends, in each tree: int32 (rows, trees)."""

class LeafRows:
    """The training rows of each leaf, and what linear models need to know of them.

    Borrows its arguments. A term is a column and a code: -1 for the value (the code of an ordinal
    or binary column), else whether the column has that code. Inside a leaf a term is scaled by
    four numbers (middle, half, mean, deviation): z = ((x - middle) / half - mean) / deviation;
    missing, unseen and infinite values have z = 0. All results are the same for any `threads`.
    """

    def __init__(
        self,
        columns: Sequence[np.ndarray],
        kinds: Sequence[int],
        leaf_of_row: np.ndarray,
        n_leaves: int,
        target: np.ndarray,
        n_classes: int,
        weights: np.ndarray | None,
    ) -> None:
        """Columns, target and weights as in `grow`; `leaf_of_row` is int64, -1 for no leaf."""

    def summaries(
        self, columns: Sequence[int], codes: Sequence[int], first: int, last: int, threads: int
    ) -> dict[str, np.ndarray]:
        """Facts of the leaves from `first` to `last` - 1, for all the terms given.

        weight (leaves,), scales (leaves, terms, 4), target (leaves, 4) and range (leaves, 2) of
        numbers, class_weight (leaves, classes), and cross: for numbers (leaves, 1, terms) sums of
        weight * z * z of the target, for classes (leaves, classes, terms) sums of weight * z over
        the rows of the class.
        """

    def grams(
        self,
        leaves: Sequence[int],
        start: Sequence[int],
        columns: Sequence[int],
        codes: Sequence[int],
        scales: np.ndarray,
        threads: int,
    ) -> list[np.ndarray]:
        """For each leaf the sums of weight * z_i * z_j of its terms start[i] to start[i + 1].

        `scales` are the four numbers of each term, flat.
        """

    def logistic(
        self,
        leaves: Sequence[int],
        classes: Sequence[int],
        start: Sequence[int],
        columns: Sequence[int],
        codes: Sequence[int],
        scales: np.ndarray,
        coefficients: Sequence[Sequence[float]],
        threads: int,
    ) -> list[tuple[float, np.ndarray, np.ndarray, float, float]]:
        """Of models of one class against the rest, in z, intercept first.

        The negative log-likelihood at the coefficients, its gradient and Hessian, and the lowest
        and highest log-odds of the leaf's rows.
        """

def linear_answers(
    columns: Sequence[np.ndarray],
    kinds: Sequence[int],
    first_model: np.ndarray,
    width: int,
    start: np.ndarray,
    column: np.ndarray,
    code: np.ndarray,
    weight: np.ndarray,
    center: np.ndarray,
    intercept: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    threads: int,
) -> np.ndarray:
    """The answers of the models first_model[row] + 0, ..., width - 1: float64 (rows, width).

    `first_model` is int64; a negative one gives 0. The models are those of `tree.LinearLeaves`,
    checked.
    """

def column_facts(
    columns: Sequence[np.ndarray], kinds: Sequence[int], n_rows: int, threads: int
) -> bytes:
    """The bytes of five arrays with one entry a column; the same for any number of threads.

    Four are float64: the smallest and the largest finite value, the mean and the root mean squared
    deviation of the finite values; NaN for columns of codes and without a finite value. The last is
    int64: the number of missing values. Columns are as in `grow`.
    """

def leaf_statistics(
    leaf: np.ndarray,
    n_leaves: int,
    target: np.ndarray,
    weights: np.ndarray | None,
    n_classes: int,
    centred: bool,
    threads: int,
) -> dict[str, Any]:
    """The statistics of leaves as `grow` computes them, the same integers from the same rows.

    `leaf` is int64: the leaf's number of each row, below `n_leaves`, or -1 for none. Target and
    weights are as in `grow`; units are those of all the rows given, in a leaf or not. `centred` is
    false for the criterion "poisson" only.

    Returns leaf_rows, weight_unit, and class_start, class_code and class_weight, or the arrays
    moment_* with center and target_unit. A leaf without rows (of a weight above 0) has none of
    the classes, or a weight of 0.
    """

def split_gains(
    child_start: np.ndarray, arrays: dict[str, Any], criterion: str, n_classes: int
) -> np.ndarray:
    """The gain of each node's split (float64), as `grow` computes it from the same children.

    Nodes are in pre-order; `arrays` are the statistics of their leaves as `leaf_statistics`
    returns them. 0 for leaves, and where a child has no weight or, for "poisson", no events.
    """

def squared_costs(
    subtree_end: np.ndarray,
    answers: np.ndarray,
    ends: np.ndarray,
    values: np.ndarray,
    weights: np.ndarray | None,
) -> dict[str, np.ndarray]:
    """What rows cost that end at the nodes `ends`: weight * (value - the node's answer)^2.

    All arrays are int64, nodes are in pre-order. The weight of all rows times 4 times the square of
    the largest value or answer must be below 2^127. Returns for each node `weight`, and as pairs
    (n, 2) of high and low 64 bits: `leaf`, the cost of all rows at and below it by its answer,
    `ending`, that of the rows that end there, and `subtree`, the sum of `ending` below it.
    """

def weakest_links(
    child_start: np.ndarray, child: np.ndarray, savings: np.ndarray
) -> dict[str, np.ndarray]:
    """The cuts of minimal cost-complexity pruning, weakest first; of equals the lower node first.

    Nodes are in pre-order; `savings` (float64) is what each split saves. Returns for each cut
    `alpha` (what its branch saves a leaf), `node`, `rise` and `leaves` (that the tree loses).
    """

def exact_sum(values: np.ndarray) -> float:
    """The sum of finite float64 numbers of at least 0, rounded once: the same in any order."""

class WeightedGrower:
    """Grows trees from the same rows under changing weights. It borrows its arrays."""

    def __init__(
        self,
        columns: Sequence[np.ndarray],
        kinds: Sequence[int],
        n_levels: Sequence[int],
        target: np.ndarray,
        weights: np.ndarray | None,
        n_classes: int,
        **choices: Any,
    ) -> None:
        """Arguments and `choices` as in `grow`, but for the seed and the threads.

        Only rows whose weight is not 0 here can have a weight later.
        """

    def grow(self, weights: np.ndarray, seed: int, threads: int) -> dict[str, Any]:
        """Exactly what `grow` returns for these weights."""

class OptimalSearch:
    """The exact search over ordered columns. It borrows its arrays.

    A test (column, position) sends the rows whose rank is below the position to the left. A tree is
    four int32 arrays in pre-order: column (-1 for leaves), position, left and right child.
    """

    BOUNDS: tuple[str, ...]

    def __init__(
        self,
        ranks: np.ndarray,
        levels: np.ndarray,
        classes: np.ndarray,
        n_classes: int,
        weights: np.ndarray,
        costs: np.ndarray,
        engine: str = "auto",
        without: Sequence[str] = (),
        memory: int = ...,
        n_threads: int = 1,
    ) -> None:
        """`ranks` is int32 (columns, rows), dense: each of `levels` (int32) occurs. `classes` are
        int32 codes, `weights` int64 above 0, `costs` int64 (classes, classes): a row of class k
        that is told class c costs its weight times costs[k, c]. `engine` is "auto", "bits" or
        "sorted", `without` names bounds that are switched off, `memory` is a number of bytes.
        """

    def start(
        self,
        max_depth: int | None,
        max_splits: int | None,
        unit: int,
        penalty: int,
        min_rows: int,
        upper: int | None,
    ) -> None:
        """Ask for the tree of least value, unit * cost + penalty * splits, within these limits.

        Leaves have at least `min_rows` rows; with `upper` only trees of a smaller value count.
        """

    def offer(
        self, columns: np.ndarray, positions: np.ndarray, left: np.ndarray, right: np.ndarray
    ) -> int:
        """Take a tree as the best so far, if it is; its value, or -1 where it breaks a limit."""

    def advance(self, seconds: float, work: int, on_poll: Callable[[], bool] | None = None) -> bool:
        """Search on until the proof, about `seconds`, or `work` more units; True when proved.

        `work` is looked at between rounds of tasks. `on_poll` is asked about 20 times a second
        whether to stop, and may read `lower`, `upper`, `work` and `memory`.

        KeyboardInterrupt leaves the search usable.
        """

    def tree(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None:
        """The best tree so far; None if there is none below `upper`."""

    @property
    def lower(self) -> int:
        """A proved lower bound of the least value."""

    @property
    def upper(self) -> int:
        """The value of the best tree so far."""

    @property
    def proved(self) -> bool:
        """Whether both bounds are equal."""

    @property
    def work(self) -> int:
        """Units of work done, the same for any number of threads."""

    @property
    def memory(self) -> int:
        """Bytes in use."""

    @property
    def engine(self) -> str:
        """The engine in use: "bits" or "sorted"."""
