"""What is asked of every contender, and what is known of the answers."""

from collections.abc import Iterator
from dataclasses import dataclass, field

BINARY_ERRORS = {
    "anneal": {2: 137, 3: 112, 4: 91, 5: 70},
    "audiology": {2: 10, 3: 5, 4: 1, 5: 0},
    "breast-wisconsin": {2: 22, 3: 15, 4: 7, 5: 0},
    "diabetes": {2: 177, 3: 162, 4: 137},
    "heart-cleveland": {2: 60, 3: 41, 4: 25, 5: 7},
    "hepatitis": {2: 16, 3: 10, 4: 3, 5: 0},
    "ionosphere": {2: 32, 3: 22, 4: 7},
    "kr-vs-kp": {2: 418, 3: 198, 4: 144},
    "letter": {2: 599, 3: 369, 4: 261},
    "mushroom": {2: 252, 3: 8, 4: 0},
    "primary-tumor": {2: 58, 3: 46, 4: 34, 5: 26},
    "segment": {2: 9, 3: 0, 4: 0},
    "soybean": {2: 55, 3: 29, 4: 14, 5: 8},
    "tic-tac-toe": {2: 282, 3: 216, 4: 137, 5: 63},
    "vote": {2: 17, 3: 12, 4: 5, 5: 1},
    "zoo-1": {2: 0, 3: 0, 4: 0},
}
"""The least errors at each depth, on the files of `binarised`; all proved but those of `OPEN`."""

CONTINUOUS_ERRORS = {
    "avila": {2: 9617, 3: 8857},
    "bank": {2: 100, 3: 23, 4: 0},
    "bidding": {2: 113, 3: 50, 4: 28},
    "eeg": {2: 4956, 3: 4363},
    "fault": {2: 803, 3: 704},
    "occupancy": {2: 208, 3: 185, 4: 157},
    "page": {2: 253, 3: 168},
    "rice": {2: 257, 3: 243},
    "room": {2: 559, 3: 80, 4: 15},
    "segment": {2: 990, 3: 278},
}
"""The same on the files of `continuous`."""

OPEN = {
    ("binary", "ionosphere", 4),
    *(("continuous", name, 3) for name in ("avila", "eeg", "fault")),
    *(("continuous", name, 4) for name in ("bidding", "occupancy", "room")),
}
"""Best known values: nobody has proved them."""

PENALTIES = {
    ("monk1", "0.01"): (0.94, 6, 0.04),
    ("monk1-l", "0.01"): (0.93, 7, 0.02),
    ("monk1-f", "0.001"): (0.983, 17, 0.05),
    ("monk2", "0.001"): (0.968, 32, 14.2),
    ("monk2-f", "0.001"): (0.933, 67, 2.94),
    ("monk3", "0.001"): (0.985, 15, 4.05),
    ("monk3-f", "0.001"): (0.983, 17, 0.36),
    ("tic-tac-toe-f", "0.005"): (0.850720, 19, 16.3),
    ("mushroom", "0.01"): (0.955229, 3, 10.8),
    ("mushroom-f", "0.01"): (0.945229, 4, 126.0),
    ("kr-vs-kp", "0.01"): (0.900864, 4, None),
    ("tic-tac-toe", "0.01"): (0.759248, None, None),
    ("careval-f", "0.005"): (0.799213, 14, 27.4),
    ("zoo", "0.001"): (0.992, 8, 35.6),
    ("zoo-f", "0.001"): (0.992, 8, 2.62),
    ("tic-tac-toe", "0.005"): (None, None, None),
}
"""By table and penalty of a split: accuracy - penalty * splits, splits, best published seconds."""

NO_FILE = {
    "binary": ("compas-binary", "fico-binary", "adult-binarized", "splice-1 and 8 other sets"),
    "continuous": ("bean", "skin", "the training parts of Quant-BnB"),
    "penalty": (
        "lymph",
        "balance",
        "nursery",
        "compas-binary",
        "fico-binary",
        "monk2_bin, monk3_bin",
    ),
}
"""Rows of the published tables whose data are not in the folder."""


@dataclass(frozen=True)
class Case:
    """One question: the best tree of a table at a depth, or with a penalty a split.

    `value` is what is known: errors, or accuracy - penalty * splits. `settled`: it is proved.
    """

    family: str
    table: str
    depth: int | None = None
    penalty: str = "0"
    value: float | None = field(default=None, compare=False)
    settled: bool = field(default=True, compare=False)

    @property
    def source(self) -> str:
        """Which tables it is of: 'binary', 'continuous' or 'penalty'."""
        return self.family.split(":")[-1]

    @property
    def name(self) -> str:
        how = f"d{self.depth}" if self.depth else f"penalty {self.penalty}"
        return f"{self.table} {how}"

    @property
    def key(self) -> str:
        """The question, whatever family asks it."""
        return f"{self.source}/{self.name}"

    def reached(self, errors: int, splits: int, n_rows: int) -> float:
        """The value of a tree with these errors and splits."""
        if self.depth:
            return errors
        return 1 - errors / n_rows - float(self.penalty) * splits

    def agrees(self, value: float, proved: bool) -> bool | None:
        """Whether a value agrees with what is known; None where nothing contradicts or confirms.

        A proved value must be the known one; no value may be better than a proved one.
        """
        if self.value is None:
            return None
        gain = self.value - value if self.depth else value - self.value
        if self.settled:
            return None if not proved and gain < -5e-7 else abs(gain) < 5e-7
        return True if gain >= 0 else None if not proved else False


def depth_cases(family: str, depths: tuple[int, ...]) -> Iterator[Case]:
    """Every table at each depth whose least errors are known."""
    source = family.split(":")[-1]
    known = BINARY_ERRORS if source == "binary" else CONTINUOUS_ERRORS
    for depth in depths:
        for table, errors in known.items():
            if depth in errors:
                settled = (source, table, depth) not in OPEN
                yield Case(family, table, depth, value=errors[depth], settled=settled)


def penalty_cases() -> Iterator[Case]:
    for (table, penalty), (value, _, _) in PENALTIES.items():
        yield Case("penalty", table, None, penalty, value)


def incumbent_cases() -> Iterator[Case]:
    yield from depth_cases("incumbent:binary", (3, 4))
    yield from depth_cases("incumbent:continuous", (2, 3))


def memory_cases() -> Iterator[Case]:
    """Searches that hold tens of megabytes by themselves."""
    yield Case("memory:binary", "heart-cleveland", 5, value=7)
    for table, penalty in (
        ("tic-tac-toe-f", "0.005"),
        ("careval-f", "0.005"),
        ("tic-tac-toe", "0.01"),
    ):
        yield Case("memory:penalty", table, None, penalty, PENALTIES[table, penalty][0])


FAMILIES = {
    "binary": lambda: depth_cases("binary", (3, 4)),
    "continuous": lambda: depth_cases("continuous", (2, 3)),
    "penalty": penalty_cases,
    "more": lambda: [*depth_cases("more:binary", (2, 5)), *depth_cases("more:continuous", (4,))],
    "incumbent": incumbent_cases,
    "memory": memory_cases,
}
