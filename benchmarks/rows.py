"""One line of the table: a figure of silva, the same figure of a peer, and the target."""

from dataclasses import dataclass, replace


class Skip(Exception):  # noqa: N818 - not an error: the case has nothing to run on
    """A case that cannot run here; the text says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a row must show: `value` at least `limit`, more than it, or at most it."""

    sense: str
    limit: float

    def met(self, value: float) -> bool:
        match self.sense:
            case ">=":
                return value >= self.limit
            case ">":
                return value > self.limit
            case "<=":
                return value <= self.limit
        raise ValueError(f"target sense {self.sense!r}: use '>=', '>' or '<='")

    def __str__(self) -> str:
        return f"{self.sense} {self.limit:g}"


@dataclass(frozen=True, slots=True)
class Row:
    """`value` is compared with `target`; it is theirs / silva ("times") unless `unit` says else.

    `measure` names what `silva` and `theirs` are ("CPU s", "wall s", "us", "accuracy" ...).
    `met` stays None when there is no target or the run was not at full size.
    Where instruction sets are compared, `isa` is that of `silva` and `share` the speed of the best
    one that this one reaches.
    """

    case: str
    work: str
    measure: str = ""
    silva: float | None = None
    peer: str = ""
    theirs: float | None = None
    value: float | None = None
    unit: str = "times"
    target: Target | None = None
    note: str = ""
    met: bool | None = None
    isa: str = ""
    share: float | None = None

    def judged(self) -> "Row":
        """The same row with `met` decided."""
        if self.target is None or self.value is None:
            return self
        return replace(self, met=self.target.met(self.value))


def times_row(
    case: str,
    work: str,
    measure: str,
    silva: float,
    peer: str,
    theirs: float,
    target: Target | None = None,
    note: str = "",
) -> Row:
    """A row whose result is how many times as long the peer took."""
    return Row(case, work, measure, silva, peer, theirs, theirs / silva, "times", target, note)
