"""The work behind `silva report`: a model, its rows, the page, and a few lines about them."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

import silva
from silva.cli.estimators import make_estimator
from silva.cli.files import refuse_output
from silva.cli.output import require_output, say, say_document
from silva.cli.rows import read_rows
from silva.cli.tables.options import TableOptions
from silva.cli.tables.read import read_data
from silva.cli.terminal import note, working
from silva.cli.training import chosen_task, learnable
from silva.data.bind import told_already
from silva.errors import DataError, ModelFormatError
from silva.files import write_bytes
from silva.inspect.summary import BASELINE, MEASURE, Summary
from silva.messages import counted
from silva.page.report import Made, made


@dataclass(frozen=True, slots=True)
class Job:
    """The options of `silva report`."""

    source: str
    data: str | None
    target: str | None
    output: str | None
    title: str | None
    task: str
    weight: str | None
    drop: tuple[str, ...]
    keep: tuple[str, ...]
    prune: str
    depth: int | None
    cv: int | None
    trees: int | None
    min_cell: int | None
    theme: str
    seed: int
    jobs: int
    force: bool
    reading: TableOptions


@dataclass(frozen=True, slots=True)
class Subject:
    """A fitted model and rows to look at it with; `fitted` says that the model is of these."""

    model: Any
    X: Any = None
    y: Any = None
    weights: Any = None
    fitted: bool = False


def write_report(job: Job) -> None:
    """Load or fit, make the page, write it, say what it is."""
    output = output_of(job)
    refuse_output(output, job.force)
    if output == "-":
        require_output("the page")
    found = _fitted(job) if _is_table(job) else _loaded(job)
    with working("making the page"), _quietly():
        page = _made(found, job)
    if output == "-":
        say_document(page.html)
        return
    write_bytes(output, page.html.encode())
    for line in _told(found, page) if found.fitted else ():
        say(line)
    if found.fitted and _is_pruned_away(found.model):
        note("pruning left one leaf: no split pays off on new rows (--prune none keeps all)")
    note(f"wrote {output} ({_size(output)}): open it in a browser")


def output_of(job: Job) -> str:
    """Where the page goes: the name of the first file with .html, unless it is given."""
    if job.output is not None:
        return job.output
    if job.source == "-":
        raise click.UsageError("the table comes from standard input: name the page with --output")
    return str(Path(job.source).with_suffix(".html"))


def _is_table(job: Job) -> bool:
    """Whether a tree is to be fitted: one table, and the column to predict."""
    if job.data is not None or job.target is None:
        return False
    if Path(job.source).suffix == ".silva":
        raise click.UsageError(
            f"--target names a column of a table: give one after {job.source}, or leave --target"
            " out"
        )
    return True


def _fitted(job: Job) -> Subject:
    assert job.target is not None
    _refuse(job, ("trees",), "is for forests; this command fits one tree")
    with working(f"reading {job.source}"):
        data = read_data(job.source, job.reading, target=job.target)
    if not data.n_rows:
        raise DataError(f"{job.source} has no rows below its header; there is nothing to learn")
    names = learnable(data, job.target, job.drop, job.keep, job.weight)
    task = chosen_task(job.task, job.target, data)
    settings = {"prune": job.prune, **({} if job.depth is None else {"max_depth": job.depth})}
    own = {"random_state": job.seed, "n_jobs": job.jobs}
    estimator = make_estimator("tree", task, settings, **own)
    X, y = data.table(names), data.column(job.target)
    weights = None if job.weight is None else data.column(job.weight)
    with working(f"fitting {data.n_rows:,} rows and {len(names):,} columns"):
        model = estimator.fit(X, y, weights)
    return Subject(model, X, y, weights, fitted=True)


def _loaded(job: Job) -> Subject:
    _refuse(
        job,
        ("drop", "keep", "depth"),
        "is for a tree that is fitted here, and this model is fitted",
    )
    if job.source == "-":
        raise click.UsageError("a model is read from a file, not from standard input")
    if Path(job.source).is_dir():
        raise click.UsageError(f"{job.source} is a directory; give a model or a table")
    model = _load(job)
    if job.data is None:
        return Subject(model)
    rows = read_rows([model], job.data, job.reading, job.target, job.weight)
    return Subject(model, rows.tables[0], rows.target, rows.weights)


def _load(job: Job) -> Any:
    try:
        return silva.load(job.source)
    except ModelFormatError as error:
        if job.data is not None or Path(job.source).suffix == ".silva":
            raise
        raise click.UsageError(
            f"{job.source} is not a model file; to fit a tree to a table, name the column to"
            " predict with --target"
        ) from error


def _refuse(job: Job, options: tuple[str, ...], why: str) -> None:
    for name in options:
        if getattr(job, name):
            raise click.UsageError(f"--{name} {why}")


@contextmanager
def _quietly() -> Iterator[None]:
    """What is odd about the rows was said when they were read."""
    with warnings.catch_warnings(), told_already():
        warnings.filterwarnings("ignore", "X has feature names", UserWarning)
        yield


def _made(found: Subject, job: Job) -> Made:
    return made(
        found.model,
        found.X,
        found.y,
        sample_weight=found.weights,
        cv="auto" if job.cv is None else job.cv,
        title=job.title,
        target=job.target,
        trees=job.trees,
        theme=job.theme,
        min_cell=job.min_cell,
    )


def _is_pruned_away(model: Any) -> bool:
    record = getattr(model, "prune_record_", None)
    return record is not None and model.grown_tree_.n_leaves == 1 < record.leaves_before


def _told(found: Subject, page: Made) -> Iterator[str]:
    """What was fitted and how good it is, in two lines."""
    model, tree = found.model, found.model.grown_tree_
    rows = counted(len(np.asarray(found.y)), "row")
    leaves = counted(tree.n_leaves, "leaf", "leaves")
    record = getattr(model, "prune_record_", None)
    pruned = "" if record is None else f", pruned from {record.leaves_before:,}"
    yield f"fitted a tree to {rows} and {counted(len(tree.schema), 'column')}: {leaves}{pruned}"
    yield _quality(model.summary_, page.document["pruning"])


def _quality(summary: Summary, path: dict[str, Any]) -> str:
    """The score of the tree beside that of a constant prediction; errors as accuracies."""
    told = [f"{summary.train.tree:.4g} on the training rows"]
    if path.get("cv"):
        error = path["cv"][0]
        figure = 1.0 - error if summary.task == "classification" else error
        told.insert(0, f"{figure:.4g} in {path['folds']}-fold cross-validation")
    told.append(f"{summary.train.baseline:.4g} by always predicting the {BASELINE[summary.task]}")
    return f"{MEASURE[summary.task]}: {', '.join(told)}"


def _size(path: str) -> str:
    return f"{max(1, round(Path(path).stat().st_size / 1000)):,} kB"
