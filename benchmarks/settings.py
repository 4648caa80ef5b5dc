"""How big and how often: the choices that every case shares."""

from dataclasses import dataclass
from pathlib import Path

FEWEST_ROWS = 100


@dataclass(frozen=True, slots=True)
class Settings:
    """`scale` multiplies every number of rows; targets are judged only at full size.

    `peers_named` says whether the peers were asked for by name: then a long case runs all of them.
    """

    scale: float
    repeats: int
    data_folder: Path
    peers_named: bool = False

    @property
    def full_size(self) -> bool:
        return self.scale == 1.0

    @property
    def short_repeats(self) -> int:
        """More repeats for work of a tenth of a second, which other programs disturb more."""
        return 3 * self.repeats

    def rows(self, n_rows: int) -> int:
        """The number of rows to use where the full benchmark uses `n_rows`."""
        return max(FEWEST_ROWS, round(n_rows * self.scale))
