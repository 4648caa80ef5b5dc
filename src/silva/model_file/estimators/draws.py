"""How a forest drew its rows and columns, as a model file holds it."""

from base64 import b64decode, b64encode
from binascii import Error
from typing import Any

from silva.data.bind import MOST_ROWS
from silva.ensemble.draws import DIGEST_SIZE, ColumnDraws, RowDraws, column_draws
from silva.ensemble.plan import MOST_DRAWS, ForestPlan
from silva.errors import ModelFormatError, PlanError
from silva.model_file.container import is_count, json_object
from silva.model_file.estimators.save_load import KEY

ROWS, COLUMNS = f"{KEY}.rows", f"{KEY}.columns"
SAMPLINGS = ("bootstrap", "subsample", "all")


def encode_rows(draws: RowDraws | None) -> dict[str, Any] | None:
    """Bytes are written in base 64."""
    if draws is None:
        return None
    unused = None if draws.unused is None else b64encode(draws.unused).decode()
    return draws._asdict() | {"unused": unused, "digest": b64encode(draws.digest).decode()}


def decode_rows(found: Any) -> RowDraws | None:
    """What `encode_rows` wrote; ModelFormatError for anything else."""
    if found is None:
        return None
    found = json_object(ROWS, found, RowDraws._fields)
    if not (is_count(found["n_rows"]) and is_count(found["n_samples"]) and found["n_samples"]):
        raise ModelFormatError(f"{ROWS}: n_rows and n_samples must be numbers above 0")
    if not (isinstance(found["sampling"], str) and found["sampling"] in SAMPLINGS):
        raise ModelFormatError(f"{ROWS}.sampling: must be one of {', '.join(SAMPLINGS)}")
    for name in ("digest", "unused"):
        if found[name] is not None:
            found[name] = _bytes(f"{ROWS}.{name}", found[name])
    draws = RowDraws(**found)
    _check_draws(draws)
    return draws


def encode_columns(draws: ColumnDraws) -> dict[str, Any]:
    return draws._asdict()


def columns_of(found: Any, n_columns: int, plan: ForestPlan) -> ColumnDraws:
    """What `encode_columns` wrote; an old file leaves it to the parameters."""
    if found is None:
        return _by_parameters(n_columns, plan)
    draws = ColumnDraws(**json_object(COLUMNS, found, ColumnDraws._fields))
    check_columns(draws, n_columns)
    return draws


def check_columns(draws: ColumnDraws, n_columns: int) -> None:
    """Raise ModelFormatError where so many columns cannot be drawn in this way."""
    is_number = type(draws.n_columns) is type(draws.n_drawn) is int
    if not is_number or draws.n_columns != n_columns or not 1 <= draws.n_drawn <= n_columns:
        raise ModelFormatError(f"{COLUMNS}: does not draw from {n_columns} columns")
    if not isinstance(draws.with_copies, bool):
        raise ModelFormatError(f"{COLUMNS}.with_copies: must be true or false")


def _by_parameters(n_columns: int, plan: ForestPlan) -> ColumnDraws:
    try:
        return column_draws(n_columns, plan)
    except PlanError as error:
        raise ModelFormatError(f"{KEY}.params: {error}") from error


def _bytes(where: str, found: Any) -> bytes:
    try:
        return b64decode(found, validate=True)
    except (Error, TypeError, ValueError):
        raise ModelFormatError(f"{where}: must be bytes in base 64") from None


def _check_draws(draws: RowDraws) -> None:
    if not isinstance(draws.digest, bytes) or len(draws.digest) != DIGEST_SIZE:
        raise ModelFormatError(f"{ROWS}.digest: must have {DIGEST_SIZE} bytes")
    n_drawable = draws.n_rows
    if draws.unused is not None:
        if len(draws.unused) != (draws.n_rows + 7) // 8:
            raise ModelFormatError(f"{ROWS}.unused: must have a bit for each of the rows")
        n_drawable -= int(draws.is_unused().sum())
    most = MOST_DRAWS if draws.sampling == "bootstrap" else n_drawable
    if not (0 < n_drawable <= MOST_ROWS and draws.n_samples <= most):
        raise ModelFormatError(f"{ROWS}: {draws.n_samples} draws of {n_drawable} rows do not exist")
