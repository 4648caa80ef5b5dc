"""How much memory a dense copy needs, against how much there is."""

import os
from pathlib import Path

from silva.errors import DataError, is_news, warn

_GIB = 2**30
WORTH_A_WARNING = _GIB


def check_dense_size(n_rows: int, n_columns: int, item_size: int) -> None:
    """Raise when a dense copy of that shape does not fit, warn when it is large."""
    needed = n_rows * n_columns * item_size
    if needed < WORTH_A_WARNING:
        return
    size = f"{n_rows:,} rows x {n_columns:,} columns need {needed / _GIB:.1f} GiB when made dense"
    available = available_memory()
    if available is not None and needed > available:
        raise DataError(
            f"sparse data: {size}, {available / _GIB:.1f} GiB are available. "
            "Select fewer columns or rows, or use a smaller dtype such as float32"
        )
    if is_news("dense"):
        warn(f"sparse data is made dense: {size}")


def available_memory() -> int | None:
    """Bytes that this process may still take, as far as the system tells; None if it does not."""
    known = [size for size in (_machine_memory(), _group_memory()) if size is not None]
    return min(known, default=None)


def _machine_memory() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        sizes = {line.split(":")[0]: line.split()[1] for line in lines if len(line.split()) > 1}
        return int(sizes["MemAvailable"]) * 1024
    except (OSError, KeyError, ValueError):
        return _installed_memory()


def _installed_memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _group_memory(group: Path = Path("/sys/fs/cgroup")) -> int | None:
    """What is left of the limit of this process's control group; cached files do not count."""
    try:
        limit = int((group / "memory.max").read_text())
        used = int((group / "memory.current").read_text())
        stat = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        return max(0, limit - used + int(stat["inactive_file"]))
    except (OSError, KeyError, ValueError):
        return None
