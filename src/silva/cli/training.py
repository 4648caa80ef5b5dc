"""The work behind `silva fit`: from options to a fitted, printed and saved model."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import count
from typing import Any, get_args

import click
import numpy as np
from sklearn.base import clone

import silva
from silva.cli.config import written_options
from silva.cli.drawing import form_of, write_picture
from silva.cli.estimators import NESTED, make_estimator, parse_settings, takes_tree_parameters
from silva.cli.files import refuse_output, writing
from silva.cli.fitted import Fitted, print_fitted
from silva.cli.rows import no_such, warn_of_missing
from silva.cli.tables.options import TableOptions
from silva.cli.tables.read import DataFile, read_data
from silva.cli.terminal import note, percentages, working
from silva.data.bind import bind_training, told_already
from silva.data.suspects import hardly_repeats
from silva.data.table import Task
from silva.errors import DataError
from silva.estimators.progress import search_line
from silva.estimators.stages import held_out_rows_only_test
from silva.inspect.cross_validated import CrossValidated, cross_validated
from silva.messages import counted, listed
from silva.progress import listening

MOST_NUMBERED_CLASSES = 10
_PARAMETER_OPTIONS = {
    "criterion": "criterion",
    "splits": "splits",
    "missing": "missing",
    "unseen": "unseen",
    "plan": "plan",
    "leaf": "leaf",
    "prune": "prune",
    "depth": "max_depth",
    "max_leaf_nodes": "max_leaf_nodes",
    "objective": "objective",
    "bound": "bound",
    "delta": "delta",
    "leaf_penalty": "leaf_penalty",
    "time_limit": "time_limit",
}
"""Options for single parameters, and what estimators call them."""


@dataclass(frozen=True, slots=True)
class Job:
    """The options of `silva fit`."""

    data: str
    target: str
    output: str | None
    plot: str | None
    model: str
    task: str
    weight: str | None
    drop: tuple[str, ...]
    keep: tuple[str, ...]
    criterion: str | None
    splits: tuple[str, ...]
    missing: str | None
    unseen: str | None
    plan: str | None
    leaf: str | None
    depth: int | None
    max_leaf_nodes: int | None
    objective: str | None
    bound: str | None
    delta: float | None
    leaf_penalty: float | None
    time_limit: float | None
    prune: str | None
    settings: tuple[str, ...]
    cv: int | None
    held_out: float | None
    validate: str | None
    show_nodes: int
    max_listed: int | None
    seed: int
    jobs: int
    force: bool
    style: str
    save_config: str | None
    reading: TableOptions


def train(job: Job) -> None:
    """Read, fit, save, print: no file is lost where nobody reads the output."""
    _refuse(job)
    settings = all_settings(job)
    with working(f"reading {job.data}"):
        data = read_data(job.data, job.reading, target=job.target)
    if not data.n_rows:
        raise DataError(f"{job.data} has no rows below its header; there is nothing to learn from")
    names = learnable(data, job.target, job.drop, job.keep, job.weight)
    task = chosen_task(job.task, job.target, data)
    own = {"random_state": job.seed, "n_jobs": job.jobs}
    estimator = make_estimator(job.model, task, settings, **own)
    training, held_out = _rows(job, data, names)
    told = f"fitting {training.n_rows:,} rows and {len(names):,} columns"
    with working(told) as update, watched(clone(estimator), update) as begun:
        model = _fit(begun, training, held_out, names, job)
    _write_files(model, job)
    n_others = None if held_out is None else held_out.n_rows
    found = Fitted(model, training.n_rows, n_others, job.held_out is not None)
    again = None if job.cv is None else lambda: _cross_validated(estimator, training, names, job)
    print_fitted(found, job.style, job.show_nodes, job.max_listed, again)
    if job.output is not None:
        note(f"saved the model in {job.output}")


@contextmanager
def watched(estimator: Any, update: Callable[[str], None]) -> Iterator[Any]:
    """The estimator, whose progress is shown while it is fitted."""
    with listening(percentages(update)):
        if "on_progress" not in estimator.get_params(deep=False):
            yield estimator
            return
        estimator.set_params(on_progress=lambda progress: update(search_line(progress)))
        yield estimator
        estimator.set_params(on_progress=None)


def _write_files(model: Any, job: Job) -> None:
    if job.output is not None:
        silva.save(model, job.output)
    if job.plot is not None:
        write_picture(model, job.plot)
    if job.save_config is not None:
        with writing(job.save_config) as stream:
            stream.write(written_options(click.get_current_context()))


def _refuse(job: Job) -> None:
    """Refuse what cannot be, before any work is done for it."""
    if job.held_out is not None and job.validate is not None:
        raise click.UsageError("--held-out and --validate exclude each other; give one of them")
    for path in (job.output, job.plot, job.save_config):
        refuse_output(path, job.force)
    _refuse_size(job, "--depth", job.depth, 1)
    _refuse_size(job, "--max-leaf-nodes", job.max_leaf_nodes, 2)
    _refuse_plot(job)


def _refuse_size(job: Job, option: str, size: int | None, least: int) -> None:
    """A search may find that no split is best; whatever grows has one."""
    if size is not None and size < least and job.model != "optimal":
        raise click.UsageError(
            f"{option} {size}: give at least {least}; only --model optimal takes {size}"
        )


def _refuse_plot(job: Job) -> None:
    if job.plot is None:
        return
    form_of(job.plot, "--plot")
    if job.model not in ("tree", "stump", "optimal"):
        raise click.UsageError(
            f"--plot draws one tree, and --model {job.model} has many: save the model with"
            " --output and draw one of its trees by silva plot --tree N"
        )


def feature_names(
    data: DataFile, target: str, dropped: Sequence[str], weight: str | None = None
) -> list[str]:
    """The columns to learn from, in the file's order: not target, weights and dropped ones."""
    others = [("--target", target), *(("--drop", name) for name in dropped)]
    others += [] if weight is None else [("--weight", weight)]
    for option, name in others:
        if name not in data.names:
            raise DataError(f"{option} {name!r}: {no_such('column', name, data.names)}")
    left_out = {name for _, name in others}
    names = [name for name in data.names if name not in left_out]
    if not names:
        fix = "--drop fewer columns" if dropped else "add columns to learn from"
        raise DataError(f"no column is left to learn from beside {target!r}; {fix}")
    return names


def learnable(
    data: DataFile,
    target: str,
    dropped: Sequence[str],
    kept: Sequence[str],
    weight: str | None = None,
) -> list[str]:
    """The same without row numbers, identifiers and free text, but for the kept ones; said."""
    names = feature_names(data, target, dropped, weight)
    for name in kept:
        if name not in names:
            raise DataError(f"--keep {name!r}: {no_such('column', name, names)}")
    table = bind_training(data.table(names))
    hardly = [
        column.name
        for column, values in zip(table.schema.columns, table.columns, strict=True)
        if column.name not in kept and hardly_repeats(column, values)
    ]
    if hardly:
        note(f"left out {listed(hardly, 10)}: values hardly repeat (--keep COLUMN to use one)")
    rest = [name for name in names if name not in hardly]
    if not rest:
        raise DataError(f"no column is left to learn from beside {target!r}; --keep some")
    return rest


def choose_task(values: np.ndarray) -> tuple[Task, str]:
    """The task that a target suggests, and why: text and few whole numbers are classes."""
    if values.dtype.kind not in "iuf":
        return "classification", "its values are not numbers"
    distinct = np.unique(values[~np.isnan(values)])
    if len(distinct) > MOST_NUMBERED_CLASSES:
        return "regression", f"it holds {counted(len(distinct), 'different number')}"
    if np.array_equal(distinct, np.rint(distinct)):
        return "classification", f"it holds only {counted(len(distinct), 'different whole number')}"
    return "regression", "it holds numbers that are not whole"


def all_settings(job: Job) -> dict[str, Any]:
    """What --set and the options for single parameters say together; both for one is refused."""
    settings = parse_settings(job.settings)
    prefix = "" if takes_tree_parameters(job.model) else NESTED
    for name, parameter in _PARAMETER_OPTIONS.items():
        value, key = getattr(job, name), f"{prefix}{parameter}"
        if value is None or value == ():
            continue
        if key in settings:
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} and --set {key} say the same; give one of them")
        settings[key] = list(value) if name == "splits" else value
    return settings


def hold_out(data: DataFile, fraction: float, seed: int) -> tuple[DataFile, DataFile]:
    """Training rows and a random share of held-out rows, each in the file's order."""
    n_held_out = round(fraction * data.n_rows)
    if not 0 < n_held_out < data.n_rows:
        raise DataError(
            f"--held-out {fraction} of {data.n_rows} rows leaves no row on one side; "
            "choose another fraction"
        )
    order = np.random.default_rng(seed).permutation(data.n_rows)
    return data.take(np.sort(order[n_held_out:])), data.take(np.sort(order[:n_held_out]))


def chosen_task(asked: str, target: str, data: DataFile) -> Task:
    """The task that was asked for, or that the target suggests, which is said."""
    warn_of_missing(data, target)
    tasks: dict[str, Task] = {one: one for one in get_args(Task)}
    if asked in tasks:
        return tasks[asked]
    task, reason = choose_task(data.column(target))
    note(f"{task} of {target!r}, because {reason} (--task overrides this)")
    return task


def _rows(job: Job, data: DataFile, names: Sequence[str]) -> tuple[DataFile, DataFile | None]:
    if job.held_out is not None:
        return hold_out(data, job.held_out, job.seed)
    if job.validate is None:
        return data, None
    wanted = [*names, job.target, *([] if job.weight is None else [job.weight])]
    return data, read_data(job.validate, job.reading, data.wanted(wanted), wanted, job.target)


def _fit(
    estimator: Any, data: DataFile, held_out: DataFile | None, names: Sequence[str], job: Job
) -> Any:
    weights = _weights(data, job)
    if held_out is None:
        return estimator.fit(data.table(names), data.column(job.target), weights)
    absent = [name for name in (*names, job.target) if name not in held_out.names]
    if absent:
        raise DataError(f"--validate: the file lacks the column {absent[0]!r} of the training data")
    with nullcontext() if job.held_out is None else held_out_rows_only_test():
        return estimator.fit(
            data.table(names),
            data.column(job.target),
            weights,
            X_val=held_out.table(names),
            y_val=held_out.column(job.target),
            sample_weight_val=_weights(held_out, job),
        )


def _weights(data: DataFile, job: Job) -> Any:
    if job.weight is None:
        return None
    if job.weight not in data.names:
        raise DataError(f"--validate: the file lacks the column {job.weight!r} of the weights")
    return data.column(job.weight)


def _cross_validated(
    estimator: Any, data: DataFile, names: Sequence[str], job: Job
) -> CrossValidated:
    assert job.cv is not None
    n_folds, done = job.cv, count()

    def fit_and_predict(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        far("folds", next(done) / n_folds)
        part = data.take(train)
        model = _fit(clone(estimator), part, None, names, job)
        return np.asarray(model.predict(data.take(test).table(names)))

    task, target, weights = estimator._task, data.column(job.target), _weights(data, job)
    with working(f"fitting {n_folds} times again") as update, told_already():
        far = percentages(update)
        return cross_validated(fit_and_predict, task, target, n_folds, job.seed, weights)
