"""A progress bar for long fits, on standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
