"""What `silva fit` prints of a fitted model."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import silva
from silva.cli.output import say, say_json
from silva.cli.showing import overview
from silva.cli.terminal import draws_unicode
from silva.export.model_dict import model_dict, tree_dicts
from silva.inspect.cross_validated import CrossValidated
from silva.messages import counted
from silva.prune.fitting import PRUNING_ROWS

Again = Callable[[], CrossValidated]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A model with the rows that made it and the others (None: there are none).

    `only_tested` says that the others chose nothing.
    """

    model: Any
    n_training: int
    n_others: int | None
    only_tested: bool

    @property
    def n_pruning(self) -> int:
        """How many of the training rows pruned the tree that the others grew."""
        record = getattr(self.model, "prune_record_", None)
        return 0 if record is None else record.evidence.get(PRUNING_ROWS, 0)

    def to_dict(self) -> dict[str, Any]:
        """The counts of the rows, and the model."""
        other = "held_out" if self.only_tested else "validation"
        rows = {"training": self.n_training, "pruning": self.n_pruning, other: self.n_others or 0}
        trees = None if hasattr(self.model, "trees_") else list(tree_dicts(self.model))
        return {"rows": {"held_out": 0, "validation": 0} | rows, **model_dict(self.model)} | {
            "trees": trees
        }


def print_fitted(
    found: Fitted, style: str, show_nodes: int, max_listed: int | None, again: Again | None
) -> None:
    """Print the model and its figures; `again` cross-validates it."""
    if style == "json":
        folds = None if again is None else again().to_dict()
        say_json(found.to_dict() | {"cross_validation": folds})
        return
    say(_text(found.model, show_nodes, max_listed))
    for line in _below(found):
        say(line)
    if again is not None:
        say(str(again()))


def _text(model: Any, show_nodes: int, max_listed: int | None) -> str:
    if hasattr(model, "trees_"):
        return overview(model)
    tree = silva.to_text(
        model, max_nodes=show_nodes, max_listed=max_listed, ascii_only=not draws_unicode()
    )
    return f"{tree}\n\n{model.summary_}"


def _below(found: Fitted) -> list[str]:
    """Lines about the rows, the pruning and the search."""
    record = getattr(found.model, "prune_record_", None)
    report = getattr(found.model, "search_report_", None)
    lines = []
    if record is not None:
        lines.append("; ".join(filter(None, (f"pruned by {record.headline}", record.note))))
    if report is not None:
        lines.append(str(report))
    return [*lines, *([_parts(found)] if found.only_tested else [])]


def _parts(found: Fitted) -> str:
    """How many rows did what."""
    training, pruning = found.n_training, found.n_pruning
    roles = f" ({training - pruning:,} to grow, {pruning:,} to prune)" if pruning else ""
    tested = counted(found.n_others or 0, "held-out row")
    return f"{counted(training, 'training row')}{roles}; {tested}, which chose nothing"
