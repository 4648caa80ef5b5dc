"""Progress of long fits, on standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from silva.inspect.summary import depth
from silva.messages import counted
from silva.optimal.report import Progress as SearchProgress
from silva.progress import is_heard, report_progress
from silva.prune.evidence import Rows
from silva.prune.fitting import Growth
from silva.prune.record import Record
from silva.tree.tree import Tree

Watch = Callable[[int, float | None], None]
Tell = Callable[[str], None]


@contextmanager
def progress(name: str, n_trees: int, is_shown: bool) -> Iterator[Watch | None]:
    """What `grow_forest` calls: it reports to a listener or draws a bar; None to show nothing."""
    if is_heard():
        report_progress(name, 0.0)
        yield lambda done, _: report_progress(name, done / n_trees)
        return
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


@contextmanager
def tree_progress(name: str) -> Iterator[Tell]:
    """A function that tells a line, which changes; the last one stays."""
    from rich.console import Console

    console = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
    lines = [name]
    with console.status(f"{name}: growing") as status:

        def tell(text: str) -> None:
            lines[0] = f"{name}: {text}"
            status.update(lines[0])

        yield tell
    console.print(lines[0])


def counted_growth(grow: Growth, tell: Tell) -> Growth:
    """The same growth, which tells how many trees it has grown: the folds of pruning, say."""
    numbers = count(1)

    def growth(rows: Rows, min_samples_leaf: int = 1) -> Tree:
        tree = grow(rows, min_samples_leaf)
        tell(f"{counted(next(numbers), 'tree')} grown")
        return tree

    return growth


def size_line(tree: Tree, record: Record | None) -> str:
    """The size of a tree, and what it was before it was pruned."""
    told = f"{counted(tree.n_leaves, 'leaf', 'leaves')}, depth {depth(tree)}"
    if record is None:
        return told
    return (
        f"{told}, pruned from {counted(record.leaves_before, 'leaf', 'leaves')} by {record.method}"
    )
