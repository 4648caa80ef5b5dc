"""What a model file keeps of an exact search: its report."""

import math
from dataclasses import asdict, replace
from typing import Any, get_args

from silva.errors import ModelFormatError, SilvaError
from silva.model_file.container import is_count, json_object
from silva.optimal.objective import checked_costs
from silva.optimal.report import Progress, SearchFacts, SearchReport, Stop
from silva.tree.check import check
from silva.tree.tree import Tree

_COUNTS = ("work", "left_out")
_NUMBERS = ("objective", "lower_bound", "seconds", "tolerance")
_FIELDS = tuple(SearchReport.__dataclass_fields__)


def encode_search(facts: SearchFacts) -> dict[str, Any]:
    """The facts as JSON takes them; of the history only what the report says."""
    return {"report": None if facts.report is None else asdict(facts.report)}


def decode_search(where: str, found: Any) -> SearchFacts | None:
    """The facts that `encode_search` wrote; ModelFormatError for anything else."""
    if found is None:
        return None
    found = json_object(where, {"costs": None, **json_object(where, found)}, ("report", "costs"))
    report = None
    if found["report"] is not None:
        report = SearchReport(**json_object(f"{where}.report", found["report"], _FIELDS))
    facts = SearchFacts(report)
    check_search(where, facts)
    if report is None:
        return facts
    end = Progress(report.seconds, report.work, report.objective, report.lower_bound)
    return SearchFacts(report, (end,))


def with_costs(where: str, found: Any, tree: Tree) -> Tree:
    """The tree with the costs that stand here in files whose trees do not have them."""
    costs = found.get("costs") if isinstance(found, dict) else None
    if costs is None:
        return tree
    try:
        matrix = checked_costs(costs, 0 if tree.classes is None else len(tree.classes))
    except SilvaError as error:
        raise ModelFormatError(f"{where}.costs: {error}") from error
    assert matrix is not None
    return check(replace(tree, costs=tuple(map(tuple, matrix.tolist()))))


def check_search(where: str, facts: Any) -> None:
    """Raise ModelFormatError for facts that no search leaves behind."""
    if not isinstance(facts, SearchFacts) or not isinstance(facts.history, tuple):
        raise ModelFormatError(f"{where}: must be the facts of a search")
    for progress in facts.history:
        if not (isinstance(progress, Progress) and all(map(_is_number, progress))):
            raise ModelFormatError(f"{where}.history: must be points of progress")
    if facts.report is not None:
        _check_report(f"{where}.report", facts.report)


def _check_report(where: str, report: Any) -> None:
    if not isinstance(report, SearchReport):
        raise ModelFormatError(f"{where}: must be the report of a search")
    for name in _NUMBERS:
        if not _is_number(getattr(report, name)) or getattr(report, name) < 0:
            raise ModelFormatError(f"{where}.{name}: must be a finite number of at least 0")
    for name in _COUNTS:
        if not is_count(getattr(report, name)):
            raise ModelFormatError(f"{where}.{name}: must be a whole number of at least 0")
    if not isinstance(report.measure, str):
        raise ModelFormatError(f"{where}.measure: must be text")
    if type(report.proved) is not bool:
        raise ModelFormatError(f"{where}.proved: must be true or false")
    if report.stopped not in get_args(Stop):
        raise ModelFormatError(f"{where}.stopped: must be one of {get_args(Stop)}")
    if report.lower_bound > report.objective:
        raise ModelFormatError(f"{where}.lower_bound: must not exceed the objective")


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)
