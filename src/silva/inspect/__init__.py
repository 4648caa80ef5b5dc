"""Reasons, checks and figures of fitted models. Names are loaded when they are first used."""

from importlib import import_module
from typing import Any

from silva.messages import no_such_name

_HOMES: dict[str, str] = {
    "Checkup": "silva.inspect.table_check",
    "Dialog": "silva.inspect.dialog",
    "Differences": "silva.inspect.model_differences",
    "Evaluation": "silva.inspect.evaluation",
    "Explanation": "silva.inspect.explain",
    "Explanations": "silva.inspect.explain",
    "Flip": "silva.inspect.flip_search",
    "Flips": "silva.inspect.flip_search",
    "ModelInfo": "silva.inspect.info",
    "Paired": "silva.inspect.paired_predictions",
    "Rule": "silva.inspect.rules",
    "RuleList": "silva.inspect.rules",
    "checkup": "silva.inspect.table_check",
    "differences": "silva.inspect.model_differences",
    "evaluate": "silva.inspect.evaluation",
    "flips": "silva.inspect.flip_search",
    "mcnemar": "silva.inspect.paired_predictions",
    "model_info": "silva.inspect.info",
    "paired": "silva.inspect.paired_predictions",
    "parse_rule": "silva.inspect.rules",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise no_such_name(__name__, name, _HOMES)
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
