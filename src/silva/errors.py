"""Every exception and warning that silva raises on purpose."""


class SilvaError(Exception):
    """The base of all errors that silva raises."""


class DataError(SilvaError, ValueError):
    """A table, target or weight that cannot be used; names the column, what was seen, the fix."""


class DataTypeError(DataError, TypeError):
    """Data of a kind that has no reading as a table (complex numbers, dates, a scalar)."""


class PlanError(SilvaError, ValueError):
    """A training choice that is not possible, or two that contradict each other."""


class ModelFormatError(SilvaError, ValueError):
    """Bytes that are not a valid model file; names the array and the position."""


class SplitKindError(SilvaError, TypeError):
    """A view (such as scikit-learn's arrays) that cannot show a split kind of this tree."""


class DataWarning(UserWarning):
    """Data that is used, but perhaps not as its owner expects."""
