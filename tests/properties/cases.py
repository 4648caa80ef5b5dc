"""A training problem as one value, for the core and for the oracle."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from tests.oracle import OracleTree, grow
from tests.oracle_compare import chosen_columns
from tests.oracle_policies import FORMS, POLICIES, Ask
from tests.oracle_units import Problem, Rules, bind, usual_ask


@dataclass(frozen=True)
class Case:
    columns: list[np.ndarray]
    kinds: list[int]
    n_levels: list[int]
    target: np.ndarray
    n_classes: int
    weights: np.ndarray | None = None
    rules: Rules = field(default_factory=Rules)
    asks: list[Ask] | None = None
    oblique: dict | None = None
    distance: dict | None = None

    @property
    def n_rows(self) -> int:
        return len(self.target)

    @property
    def kept(self) -> np.ndarray:
        """Which rows have a weight."""
        return np.full(self.n_rows, True) if self.weights is None else self.weights > 0

    @property
    def parts(self) -> tuple:
        """What the oracle takes."""
        data = (self.columns, self.kinds, self.target, self.weights, self.n_classes)
        return (*data, self.rules, self.all_asks)

    @property
    def all_asks(self) -> list[Ask]:
        """One for each column; without any, categories are split one against the rest."""
        return [usual_ask(kind) for kind in self.kinds] if self.asks is None else self.asks

    def by_oracle(self, follow: dict | None = None) -> OracleTree:
        """The oracle's tree; `follow` is a tree of the core, whose choice counts where the scores
        of columns are too close to call."""
        return grow(*self.parts, None if follow is None else chosen_columns(follow))

    def bound(self) -> Problem:
        return bind(*self.parts)

    def settings(self) -> dict:
        """The core's keyword arguments but for the seed, the threads and random choices."""
        limits = asdict(self.rules)
        return {
            "fair_categories": limits.pop("category_gain") == "fair",
            "split_forms": [FORMS.index(ask.form) for ask in self.all_asks],
            "missing": [POLICIES.index(ask.missing) for ask in self.all_asks],
            "unseen": [POLICIES.index(ask.unseen) for ask in self.all_asks],
            "oblique": self.oblique,
            "distance": self.distance,
            **limits,
        }

    def by_core(self, threads: int = 1, seed: int = 0, **choices) -> dict:
        from silva import _core

        choices = {"splitter": "best", "max_features": len(self.columns)} | choices
        grown = _core.grow(
            self.columns,
            self.kinds,
            self.n_levels,
            self.target,
            self.weights,
            self.n_classes,
            seed=seed,
            threads=threads,
            **self.settings(),
            **choices,
        )
        return with_empty_tables(grown)

    def routed(self, arrays: dict, threads: int = 1) -> np.ndarray:
        """The number of the node that each row ends in, as the core routes."""
        from silva import _core

        router = _core.Router(router_arrays(arrays), self.kinds)
        return router.leaves(self.columns, self.n_rows, threads)

    def with_rules(self, **rules) -> "Case":
        return replace(self, rules=replace(self.rules, **rules))

    def with_asks(self, asks: Sequence[Ask]) -> "Case":
        return replace(self, asks=list(asks))

    def take(self, rows: np.ndarray) -> "Case":
        weights = None if self.weights is None else self.weights[rows]
        columns = [column[rows] for column in self.columns]
        return replace(self, columns=columns, target=self.target[rows], weights=weights)


STRUCTURE = ("child_start", "child", "split_kind", "split_index")
SPLITS = ("threshold_", "subset_", "multiway_", "oblique_", "distance_")


def with_empty_tables(arrays: dict) -> dict:
    """The arrays of the core with those of the kinds of splits that it left out."""
    from silva.tree.arrays import flat
    from silva.tree.tables import TABLES, empty_table

    empty = [flat(empty_table(one)) for _, one in TABLES.values()]
    return {name: array for table in [*empty, arrays] for name, array in table.items()}


def router_arrays(arrays: dict) -> dict:
    """What the router takes of a tree: its structure and its splits."""
    arrays = with_empty_tables(arrays)
    return {name: a for name, a in arrays.items() if name in STRUCTURE or name.startswith(SPLITS)}


def same_bytes(one: dict, other: dict, ignore: tuple[str, ...] = ()) -> bool:
    """Whether two results of the core are equal to the last bit."""
    if "child_start" in one:
        one, other = with_empty_tables(one), with_empty_tables(other)
    names = (one.keys() | other.keys()) - set(ignore)
    return all(np.asarray(one[n]).tobytes() == np.asarray(other[n]).tobytes() for n in names)
