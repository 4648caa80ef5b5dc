"""How many threads `n_jobs` asks for."""

from typing import Any

from silva import _core
from silva.checks import is_whole, refuse, whole

FEW_ROWS = 32


def usable_threads(threads: Any) -> int:
    """A number of threads that was asked for as such: never more than the usable CPUs."""
    return min(whole("threads", threads, 1), _core.effective_threads(0))


def threads(n_jobs: Any, n_rows: int = FEW_ROWS) -> int:
    """The threads that `n_jobs` asks for: None is 1, -1 all usable CPUs, -2 all but one.

    Never more than the usable CPUs: more would only wait for each other. Few rows are done before
    a second thread has begun: for these the CPUs are not even counted.
    """
    if n_jobs is None:
        return 1
    if not is_whole(n_jobs) or n_jobs == 0:
        refuse("n_jobs", n_jobs, "use None, a whole number of at least 1, or -1 for all CPUs")
    if n_jobs == 1 or n_rows < FEW_ROWS:
        return 1
    usable = _core.effective_threads(0)
    return min(int(n_jobs), usable) if n_jobs > 0 else max(1, usable + 1 + int(n_jobs))
