"""The work behind `silva fit`: from options to a fitted, printed and saved tree."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import click
import numpy as np

import silva
from silva.cli.files import refuse_output
from silva.cli.tables.options import TableOptions
from silva.cli.tables.read import DataFile, read_data
from silva.cli.terminal import draws_unicode, note, working
from silva.data.names import counted, listed, nearest
from silva.data.table import Task
from silva.errors import DataError

Model = silva.TreeClassifier | silva.TreeRegressor

ESTIMATORS: dict[Task, type[Model]] = {
    "classification": silva.TreeClassifier,
    "regression": silva.TreeRegressor,
}
MOST_NUMBERED_CLASSES = 10
_OWN_OPTIONS = {"random_state": "--seed", "n_jobs": "--jobs"}
_PARAMETER_OPTIONS = ("criterion", "splits", "missing", "unseen", "plan", "leaf", "prune")
_WORDS = {"None": None, "True": True, "False": False}


@dataclass(frozen=True, slots=True)
class Job:
    """The options of `silva fit`."""

    data: str
    target: str
    output: str | None
    task: Task | Literal["auto"]
    drop: tuple[str, ...]
    criterion: str | None
    splits: tuple[str, ...]
    missing: str | None
    unseen: str | None
    plan: str | None
    leaf: str | None
    prune: str | None
    settings: tuple[str, ...]
    held_out: float | None
    validate: str | None
    show_nodes: int
    max_listed: int | None
    seed: int
    jobs: int
    force: bool
    reading: TableOptions


def train(job: Job) -> None:
    """Read, fit, save, print: a model is not lost where nobody reads the output."""
    if job.held_out is not None and job.validate is not None:
        raise click.UsageError("--held-out and --validate exclude each other; give one of them")
    refuse_output(job.output, job.force)
    settings = all_settings(job)
    with working(f"reading {job.data}"):
        data = read_data(job.data, job.reading)
    if not data.n_rows:
        raise DataError(f"{job.data} has no rows below its header; there is nothing to learn from")
    names = feature_names(data, job.target, job.drop)
    estimator = make_estimator(_task(job, data), settings, job)
    training, held_out = _rows(job, data, names)
    with working(f"growing a tree on {training.n_rows:,} rows and {len(names):,} columns"):
        model = _fit(estimator, training, held_out, names, job.target)
    if job.output is not None:
        silva.save(model, job.output)
    click.echo(_text(model, job))
    click.echo(f"\n{model.summary_}")
    if (record := model.prune_record_) is not None:
        click.echo("; ".join(filter(None, (f"pruned by {record.headline}", record.note))))
    if job.output is not None:
        note(f"saved the model in {job.output}")


def _text(model: Model, job: Job) -> str:
    return silva.to_text(
        model,
        max_nodes=job.show_nodes,
        max_listed=job.max_listed,
        ascii_only=not draws_unicode(),
    )


def feature_names(data: DataFile, target: str, dropped: Sequence[str]) -> list[str]:
    """The columns to learn from: all but the target and the dropped ones, in the file's order."""
    for option, name in [("--target", target), *(("--drop", name) for name in dropped)]:
        if name not in data.names:
            raise DataError(f"{option} {name!r}: {_no_such('column', name, data.names)}")
    names = [name for name in data.names if name != target and name not in dropped]
    if not names:
        fix = "--drop fewer columns" if dropped else "add columns to learn from"
        raise DataError(f"no column is left to learn from beside {target!r}; {fix}")
    return names


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


def parse_settings(settings: Sequence[str]) -> dict[str, Any]:
    """`key=value` texts as keyword arguments; a value is None, True, False, JSON or text."""
    return dict(_parse_setting(setting) for setting in settings)


def all_settings(job: Job) -> dict[str, Any]:
    """What --set and the options for single parameters say together; both for one is refused."""
    settings = parse_settings(job.settings)
    for name in _PARAMETER_OPTIONS:
        value = getattr(job, name)
        if not value:
            continue
        if name in settings:
            raise click.UsageError(f"--{name} and --set {name} say the same; give one of them")
        settings[name] = list(value) if name == "splits" else value
    return settings


def make_estimator(task: Task, settings: dict[str, Any], job: Job) -> Model:
    known = ESTIMATORS[task]().get_params()
    for name in settings:
        if name in _OWN_OPTIONS:
            raise click.UsageError(f"--set {name}: give {_OWN_OPTIONS[name]} instead")
        if name not in known:
            raise click.UsageError(f"--set {name}: {_no_such('parameter', name, sorted(known))}")
    return ESTIMATORS[task](**settings, random_state=job.seed, n_jobs=job.jobs)


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


def _task(job: Job, data: DataFile) -> Task:
    if job.task != "auto":
        return job.task
    task, reason = choose_task(data.column(job.target))
    note(f"{task} of {job.target!r}, because {reason} (--task overrides this)")
    return task


def _rows(job: Job, data: DataFile, names: Sequence[str]) -> tuple[DataFile, DataFile | None]:
    if job.held_out is not None:
        return hold_out(data, job.held_out, job.seed)
    if job.validate is None:
        return data, None
    wanted = [*names, job.target]
    return data, read_data(job.validate, job.reading, data.wanted(wanted), wanted)


def _fit(
    estimator: Model, data: DataFile, held_out: DataFile | None, names: Sequence[str], target: str
) -> Model:
    if held_out is None:
        return estimator.fit(data.table(names), data.column(target))
    absent = [name for name in (*names, target) if name not in held_out.names]
    if absent:
        raise DataError(f"--validate: the file lacks the column {absent[0]!r} of the training data")
    return estimator.fit(
        data.table(names),
        data.column(target),
        X_val=held_out.table(names),
        y_val=held_out.column(target),
    )


def _parse_setting(setting: str) -> tuple[str, Any]:
    name, equals, text = setting.partition("=")
    if not (name and equals):
        raise click.UsageError(f"--set {setting!r} is not of the form key=value")
    if text in _WORDS:
        return name, _WORDS[text]
    try:
        return name, json.loads(text)
    except json.JSONDecodeError:
        return name, text


def _no_such(what: str, name: str, known: Sequence[str]) -> str:
    near = nearest(name, known)
    hint = f"did you mean {near!r}?" if near is not None else f"known are {listed(known, 30)}"
    return f"there is no such {what}; {hint}"
