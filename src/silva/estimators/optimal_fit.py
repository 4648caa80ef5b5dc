"""What surrounds an exact search in a fit: progress, figures, warnings, and what is kept."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.exceptions import ConvergenceWarning

from silva.errors import PlanError, warn
from silva.messages import counted
from silva.optimal.report import OBJECTIVE, Progress, SearchReport
from silva.optimal.search import Budget
from silva.optimal.study import Study
from silva.prune.evidence import Rows


class Session(NamedTuple):
    """What a fit leaves behind for `resume` and `pareto_path`; neither pickled nor saved."""

    study: Study
    held_out: Rows | None
    column_facts: bytes


def report_of(model: Any, name: str) -> SearchReport:
    """The report of a fitted model's search, for its attribute of this name."""
    model._check_fitted(name)
    report: SearchReport | None = model.search_report_
    if report is None:
        raise AttributeError(
            f"{name}: the tree of this {type(model).__name__} was edited or pruned, and is not"
            " the one that a search found; fit again."
        )
    return report


class SearchFigures:
    """The figures of a fitted model's search as its attributes."""

    @property
    def objective_(self) -> float:
        """The objective of the tree on its training rows."""
        return report_of(self, "objective_").objective

    @property
    def lower_bound_(self) -> float:
        """A proved lower bound of the objective of all trees within the limits."""
        return report_of(self, "lower_bound_").lower_bound

    @property
    def gap_(self) -> float:
        """How much better another tree could be at most."""
        return report_of(self, "gap_").gap

    @property
    def proved_(self) -> bool:
        """Whether no tree within the limits is better."""
        return report_of(self, "proved_").proved

    @property
    def n_work_(self) -> int:
        """Units of work done."""
        return report_of(self, "n_work_").work


def session_of(model: Any, method: str) -> Session:
    """What a fit left behind, for a method that needs it."""
    model._check_fitted(method)
    session: Session | None = vars(model).get("_session")
    if session is None:
        raise PlanError(
            f"{method}: this {type(model).__name__} comes from a file, a pickle, a copy or an"
            " edit, which do not keep the search and its rows; fit again."
        )
    return session


def both(*watches: Callable[[Progress], object] | None) -> Callable[[Progress], object] | None:
    """One function that tells all of these; None without any."""
    heard = [watch for watch in watches if watch is not None]
    if not heard:
        return None

    def watch(progress: Progress) -> None:
        for one in heard:
            one(progress)

    return watch


def warn_about(report: SearchReport, max_bins: int | None, budget: Budget) -> None:
    """Say what a result lacks; no time at all asks for the greedy tree, and is no surprise."""
    _warn_of_bins(report, max_bins)
    if budget.seconds != 0:
        _warn_of_gap(report)


def _warn_of_bins(report: SearchReport, max_bins: int | None) -> None:
    if report.left_out:
        thresholds = counted(report.left_out, "threshold")
        warn(
            f"max_bins={max_bins} leaves out {thresholds}: the search and its proof are about trees"
            " of the others. max_bins=None tries all.",
            UserWarning,
        )


def _warn_of_gap(report: SearchReport) -> None:
    """Say what a search lacks that ended at a limit; one that was asked to end at a gap is done."""
    if report.proved or report.stopped == "gap":
        return
    why = f"reached its {report.stopped} limit"
    if report.stopped == "interrupted":
        why = "was interrupted"
    smaller = "max_depth, max_leaf_nodes"
    if report.measure == OBJECTIVE:
        smaller += ", leaf_penalty"
    warn(
        f"the search {why} before the proof: {found_so_far(report)}. Call resume(), raise the"
        f" limit, or ask for a smaller tree ({smaller}).",
        ConvergenceWarning,
    )


def found_so_far(report: SearchReport) -> str:
    """The best tree of a search without a proof, and what is proved about all others."""
    return (
        f"the tree has {report.measure} {report.objective:.6g}, no tree has less than"
        f" {report.lower_bound:.6g} (gap {report.gap:.4g})"
    )
