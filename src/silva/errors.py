"""Every exception and warning that silva raises on purpose."""

import sys
import warnings

_INNER = ("silva", "sklearn")


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

    Python shows a warning once for each such line; scikit-learn's frames are passed over too.
    """
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and _is_inner(str(frame.f_globals.get("__name__"))):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_inner(module: str) -> bool:
    return module.split(".", 1)[0] in _INNER
