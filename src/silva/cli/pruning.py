"""The work behind `silva prune`."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

import silva
from silva.cli.estimators import parse_settings
from silva.cli.files import refuse_output
from silva.cli.output import say
from silva.cli.rows import no_such, read_rows
from silva.cli.tables.options import TableOptions
from silva.cli.terminal import note, working
from silva.errors import DataError, PlanError
from silva.estimators.prune_fitted import PrunedModel, Role, prune_fitted
from silva.inspect.subject import one_tree
from silva.prune.names import NAMED
from silva.tree.tree import Tree

PRUNERS = NAMED | {
    "critical_value": ("silva.prune.critical_value", "CriticalValue"),
    "max_leaves": ("silva.prune.optimal", "MaxLeaves"),
}


def prune_model(
    model: str,
    data: str | None,
    target: str | None,
    weight: str | None,
    name: str,
    settings: Sequence[str],
    role: Role | None,
    output: str,
    force: bool,
    reading: TableOptions,
) -> None:
    """Load, read, prune, save, print."""
    refuse_output(output, force)
    pruner = pruner_named(name, settings)
    fitted = silva.load(model)
    one_tree(fitted, "prune")
    rows: tuple[Any, ...] = ()
    if data is not None:
        found = read_rows([fitted], data, reading, target, weight)
        rows = (found.tables[0], found.target, found.weights, role)
    with working("pruning"):
        done = _pruned(fitted, pruner, rows, name)
    silva.save(done.model, output)
    say(str(done.record))
    note(f"saved the model in {output}")


def pruner_named(name: str, settings: Sequence[str]) -> Any:
    """The pruner of this name with these settings; UsageError for what does not exist."""
    if name not in PRUNERS:
        raise click.UsageError(f"--prune {name!r}: {no_such('pruner', name, sorted(PRUNERS))}")
    module, kind_name = PRUNERS[name]
    kind = getattr(import_module(module), kind_name)
    known = list(kind.__dataclass_fields__)
    given = parse_settings(settings)
    for key in given:
        if key not in known:
            raise click.UsageError(f"--set {key}: {no_such('setting', key, known)}")
    try:
        return kind(**given)
    except TypeError:
        raise click.UsageError(f"--prune {name} needs --set {known[0]}=VALUE") from None


def _pruned(fitted: Any, pruner: Any, rows: tuple[Any, ...], name: str) -> PrunedModel:
    try:
        return prune_fitted(fitted, pruner, *rows)
    except PlanError as error:
        raise DataError(_in_files(error, name, rows, isinstance(fitted, Tree))) from error


def _in_files(error: PlanError, name: str, rows: tuple[Any, ...], is_bare: bool) -> str:
    """What a pruner lacks, in the words of somebody who gives files."""
    text = str(error)
    if "Evidence(" not in text:
        return text
    if not rows:
        return f"{name} looks at rows: give the table DATA and its --target"
    if "grow" in text and is_bare:
        return (
            f"{name} grows more trees, and a bare tree does not say how it was grown: save its"
            " estimator, or choose another pruner"
        )
    return f"{name} looks at other rows than these: give --rows training or --rows validation"
