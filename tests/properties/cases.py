"""A training problem as one value, for the core and for the oracle."""

from dataclasses import asdict, dataclass, field, replace

import numpy as np
from oracle import OracleTree, Rules, grow


@dataclass(frozen=True)
class Case:
    columns: list[np.ndarray]
    kinds: list[int]
    n_levels: list[int]
    target: np.ndarray
    n_classes: int
    weights: np.ndarray | None = None
    rules: Rules = field(default_factory=Rules)

    @property
    def n_rows(self) -> int:
        return len(self.target)

    @property
    def kept(self) -> np.ndarray:
        """Which rows have a weight."""
        return np.full(self.n_rows, True) if self.weights is None else self.weights > 0

    def by_oracle(self) -> OracleTree:
        return grow(self.columns, self.kinds, self.target, self.weights, self.n_classes, self.rules)

    def by_core(self, threads: int = 1, seed: int = 0, **choices) -> dict:
        from silva import _core

        choices = {"splitter": "best", "max_features": len(self.columns)} | choices
        return _core.grow(
            self.columns,
            self.kinds,
            self.n_levels,
            self.target,
            self.weights,
            self.n_classes,
            seed=seed,
            threads=threads,
            **asdict(self.rules),
            **choices,
        )

    def routed(self, arrays: dict, threads: int = 1) -> np.ndarray:
        """The number of the leaf's node that each row ends in, as the core routes."""
        from silva import _core

        splits = ("child_start", "child", "split_kind", "split_index")
        thresholds = ("threshold_column", "threshold_value", "threshold_missing")
        subsets = [f"subset_{part}" for part in ("column", "start", "codes", "missing", "unseen")]
        names = (*splits, *thresholds, *subsets)
        router = _core.Router(*(arrays[name] for name in names), self.kinds)
        return router.leaves(self.columns, self.n_rows, threads)

    def with_rules(self, **rules) -> "Case":
        return replace(self, rules=replace(self.rules, **rules))

    def take(self, rows: np.ndarray) -> "Case":
        weights = None if self.weights is None else self.weights[rows]
        columns = [column[rows] for column in self.columns]
        return replace(self, columns=columns, target=self.target[rows], weights=weights)


def same_bytes(one: dict, other: dict, ignore: tuple[str, ...] = ()) -> bool:
    """Whether two results of the core are equal to the last bit."""
    names = (one.keys() | other.keys()) - set(ignore)
    return all(np.asarray(one[n]).tobytes() == np.asarray(other[n]).tobytes() for n in names)
