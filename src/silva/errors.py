"""Every exception and warning that silva raises on purpose."""

import sys
import warnings
from types import FrameType

_INNER = ("silva", "sklearn", "joblib")
_REPORTED = "_silva_reported"


class SilvaError(Exception):
    """The base of all errors that silva raises."""


class DataError(SilvaError, ValueError):
    """A table, target or weight that cannot be used; names the column, what was seen, the fix."""


class DataTypeError(DataError, TypeError):
    """Data of a kind that has no reading as a table (complex numbers, periods, a scalar)."""


class PlanError(SilvaError, ValueError):
    """A training choice that is not possible, or two that contradict each other."""


class ModelFormatError(SilvaError, ValueError):
    """Bytes that are not a valid model file; names the array and the position."""


class SplitKindError(SilvaError, TypeError):
    """A view (such as scikit-learn's arrays) that cannot show a split kind of this tree."""


class DataWarning(UserWarning):
    """Data that is used, but perhaps not as its owner expects."""


def warn(message: str, category: type[Warning] = DataWarning) -> None:
    """Warn in the name of the line that called silva, however deep inside silva this is.

    Python shows a warning once for each such line; the frames of scikit-learn and joblib are passed
    over too.
    """
    _, level = _outermost_call()
    warnings.warn(message, category, stacklevel=level)


def is_news(*facts: str) -> bool:
    """Whether these facts are asked about for the first time during the call of the user.

    That is the outermost call of silva, scikit-learn or joblib, such as the `fit` of a search: its
    fits on folds share what was reported. The facts are kept among the locals of that call's frame,
    so that they end with it, and the next call begins anew.
    """
    frame, _ = _outermost_call()
    reported: set[tuple[str, ...]] = frame.f_locals.setdefault(_REPORTED, set())
    if facts in reported:
        return False
    reported.add(facts)
    return True


def _outermost_call() -> tuple[FrameType, int]:
    """The frame that the user's line called, and the stack level of that line for the caller."""
    caller = sys._getframe(1)
    frame, level = caller, 2
    while frame.f_back is not None and _is_inner(str(frame.f_back.f_globals.get("__name__"))):
        frame, level = frame.f_back, level + 1
    return frame, level


def _is_inner(module: str) -> bool:
    return module.split(".", 1)[0] in _INNER
