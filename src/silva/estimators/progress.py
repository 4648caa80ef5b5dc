"""A progress bar for long fits, on standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from silva.optimal.report import Progress as SearchProgress

Watch = Callable[[int, float | None], None]


@contextmanager
def progress(name: str, n_trees: int, is_shown: bool) -> Iterator[Watch | None]:
    """What `grow_forest` tells, as a bar; None if nothing shall be shown."""
    if not is_shown:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(name, total=n_trees)

        def watch(done: int, score: float | None) -> None:
            told = "" if score is None else f" (out of bag: {score:.4f})"
            bar.update(task, completed=done, description=f"{name}{told}")

        yield watch


@contextmanager
def search_progress(name: str, is_shown: bool) -> Iterator[Callable[[SearchProgress], None] | None]:
    """What a search tells, as a line that changes; None if nothing shall be shown."""
    if not is_shown:
        yield None
        return
    from rich.console import Console

    with Console(stderr=True, markup=False, highlight=False).status(name) as status:
        yield lambda progress: status.update(f"{name}: {search_line(progress)}")


def search_line(progress: SearchProgress) -> str:
    """Seconds, best objective, proved bound and gap in a line."""
    return (
        f"{progress.seconds:.1f} s, best {progress.objective:.6g},"
        f" at least {progress.lower_bound:.6g}, gap {progress.gap:.4g}"
    )
