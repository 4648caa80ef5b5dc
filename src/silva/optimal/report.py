"""What a search found and proved: what a model keeps of it."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from silva.messages import counted
from silva.notebook import ShownAsText

Stop = Literal["proved", "gap", "time", "work", "interrupted"]


OBJECTIVE = "objective"

_STOPS = {
    "proved": "",
    "gap": "stopped at the gap that was asked for",
    "time": "stopped at the time limit",
    "work": "stopped at the work limit",
    "interrupted": "interrupted",
}


class Progress(NamedTuple):
    """Where a search stands: seconds and units of work so far, best objective, proved bound."""

    seconds: float
    work: int
    objective: float
    lower_bound: float

    @property
    def gap(self) -> float:
        """How much better another tree could be at most."""
        return max(0.0, self.objective - self.lower_bound)


@dataclass(frozen=True, slots=True)
class SearchReport(ShownAsText):
    """What a search found and proved.

    `stopped` says why it ended: "proved", "gap", "time", "work" or "interrupted". `left_out` counts
    thresholds that `max_bins` left out: the proof is about trees without them. `tolerance` bounds
    what rounding has changed in the objective, 0 if it is exact. `measure` says what the objective
    is: "objective", or which generalisation bound.
    """

    objective: float
    lower_bound: float
    proved: bool
    stopped: Stop
    seconds: float
    work: int
    left_out: int = 0
    tolerance: float = 0.0
    measure: str = OBJECTIVE

    @property
    def gap(self) -> float:
        """How much better another tree could be at most."""
        return 0.0 if self.proved else max(0.0, self.objective - self.lower_bound)

    def __str__(self) -> str:
        told = f"{self.measure} {self.objective:.6g}: "
        if self.proved:
            told += "proved, no tree within the limits has less"
        else:
            bound = f"no tree has less than {self.lower_bound:.6g} (gap {self.gap:.4g})"
            told += f"not proved, {bound}; {_STOPS[self.stopped]}"
        if not self.left_out:
            return told
        thresholds = counted(self.left_out, "threshold")
        return f"{told}; max_bins left out {thresholds}, with which trees may be better"


@dataclass(frozen=True, eq=False)
class SearchFacts:
    """The search behind a model.

    `report` is None where the tree is not what the search found: it was edited or pruned since.
    """

    report: SearchReport | None
    history: tuple[Progress, ...] = ()
