"""The words of every refusal that more than one reader needs: what was seen, and the way out."""

from collections.abc import Sequence

import numpy as np

from silva.errors import DataError, DataTypeError

LARGEST_EXACT_INTEGER = 2**53


def complex_numbers(name: str) -> DataTypeError:
    return DataTypeError(
        f"column {name!r} holds complex numbers. Complex data not supported: "
        "take the real and the imaginary part apart, as two columns of numbers"
    )


def dates(name: str, seen: str) -> DataTypeError:
    """Of a target or of weights."""
    return DataTypeError(
        f"the {name!r} column holds dates or times ({seen}), where a number or a label is needed. "
        "Convert it first, for example into days since the first one: "
        "(values - values.min()) / np.timedelta64(1, 'D')"
    )


def times_as_categories(name: str) -> DataError:
    return DataError(
        f"categorical_features names the column {name!r}, which holds dates or times: these have "
        "an order and are read as numbers. Leave it out of categorical_features, or give the "
        "column as text, for example with astype(str), or its parts, such as month and weekday"
    )


def mixed_times(
    name: str, rows: tuple[int, int], values: Sequence[object], same_sort: bool
) -> DataError:
    """Two values of a column that cannot be compared; `same_sort`: for lack of a time zone."""
    what, fix = "mixes dates, durations or times of day", "Give each sort a column of its own"
    if same_sort:
        what = "mixes times with and without a time zone"
        fix = "Give all of them a time zone, or none"
    one, other = (f"{value!s} in row {row}" for value, row in zip(values, rows, strict=True))
    return DataError(f"column {name!r} {what} ({one}, {other}), which have no common order. {fix}")


def dates_among_others(name: str, rows: tuple[int, int], values: Sequence[object]) -> DataError:
    """Of a column with a date in the first row and something else in the second."""
    return DataError(
        f"column {name!r} mixes dates or times with other values ({values[0]!s} in row {rows[0]},"
        f" {values[1]!r} in row {rows[1]}), which have no common order. Convert all to dates, with"
        " missing for the rest"
    )


def zoned_time_of_day(name: str, row: int, value: object) -> DataTypeError:
    return DataTypeError(
        f"column {name!r} holds the time of day {value!s} with a time zone in row {row}, which "
        "names no instant without a date. Give dates with their times, or drop the time zone with "
        "value.replace(tzinfo=None)"
    )


def periods(name: str, seen: str) -> DataTypeError:
    return DataTypeError(
        f"column {name!r} holds periods ({seen}), which are spans of time, not dates or times. "
        "Convert it first to their starts with data[name].dt.to_timestamp()"
    )


def lengths_that_vary(name: str, seen: str) -> DataTypeError:
    return DataTypeError(
        f"column {name!r} holds dates or times ({seen}) whose unit has no fixed length. Convert it "
        "first, into days or seconds, or into whole numbers with astype('int64')"
    )


def nested_values(name: str, seen: str) -> DataTypeError:
    return DataTypeError(
        f"column {name!r} holds nested or binary values ({seen}); a column must hold one number, "
        "string or boolean per row. Give each part a column of its own, or drop the column"
    )


def code_beyond_dictionary(name: str, code: int, n_values: int) -> DataError:
    return DataError(
        f"column {name!r} is an Arrow dictionary of {n_values} values with the code {code}; codes "
        f"must be from 0 to {n_values - 1}. Build it again, for example from its text with "
        "pyarrow.array(texts).dictionary_encode()"
    )


def not_a_value(name: str, row: int, value: object) -> DataTypeError:
    shown = repr(value)
    shown = shown if len(shown) <= 40 else shown[:37] + "..."
    return DataTypeError(
        f"column {name!r} holds {shown} of type {type(value).__name__} in row {row}; "
        "every argument must be a string, a boolean or a real number. "
        "Convert the column, for example with str() or float(), or drop it"
    )


def mixed_values(name: str, row: int, value: object, other: object) -> DataError:
    """`value` in `row` is the first text, `other` the first value that is none."""
    sort = "booleans" if isinstance(other, bool | np.bool_) else "numbers"
    return DataError(
        f"column {name!r} mixes text and {sort} (first text: {value!r} in row {row}), which have "
        f"no common order, such as {value!r} and {other!r}. Convert all to text, for example with "
        "astype(str), or all to numbers with missing for the rest"
    )


def inexact_integer(name: str, row: int, value: object) -> DataError:
    return DataError(
        f"column {name!r} holds the integer {value} in row {row}, beyond 2**53, where "
        "neighbouring integers are one and the same float64. Subtract an offset or divide first; "
        "an identifier is better dropped or listed in categorical_features"
    )


def inexact_number(name: str, row: int, value: object) -> DataError:
    return DataError(
        f"column {name!r} holds {value!r} in row {row}, which float64 cannot hold exactly. "
        "Round it yourself if that is acceptable: values.astype(float)"
    )


def one_dimension(seen: str) -> DataError:
    return DataError(
        f"expected a table with rows and columns, got {seen} with 1 dimension. "
        "Reshape your data: data.reshape(-1, 1) if it is a single column, "
        "data.reshape(1, -1) if it is a single row"
    )


def one_series(seen: str) -> DataError:
    return DataError(
        f"expected a table with rows and columns, got a {seen}, which has 1 dimension. Reshape "
        "your data: data.to_frame() is a table of a single column; a row of a pandas table stays "
        "a table as data.iloc[[0]]"
    )


def wrong_dimensions(seen: str, n: int) -> DataError:
    return DataError(
        f"expected a table with rows and columns, got {seen} with {n} dimensions. "
        "Reshape your data to two dimensions, one row per case: data.reshape(len(data), -1)"
    )


def not_flat(name: str, shape: tuple[int, ...]) -> DataError:
    return DataError(
        f"the {name} have shape {shape}; give one dimension with a value per row, for example "
        f"with {name}.ravel(), or the column of a table by its name"
    )


def label_of_bytes(row: int, label: bytes) -> DataTypeError:
    return DataTypeError(
        f"the target holds the bytes {label!r:.40} in row {row}; labels are text, booleans or "
        "numbers, and predicted text would never equal the bytes. Decode them first, for example "
        "with numpy.char.decode(labels, 'utf-8')"
    )


def not_a_series(values: object, name: str) -> DataTypeError:
    return DataTypeError(
        f"cannot read {values!r:.40} of type {type(values).__name__} as the {name}: give a "
        "one-dimensional array, list or series with a value per row"
    )


def not_a_table(data: object) -> DataTypeError:
    if isinstance(data, dict):
        return DataTypeError(
            "cannot read dict as a table. Give a dict of columns as pandas.DataFrame(data); a dict"
            " of single values is a row, which a fitted model predicts and explains"
        )
    return DataTypeError(
        f"cannot read {type(data).__name__} as a table. Give a two-dimensional NumPy array, a list "
        "of rows, a SciPy sparse matrix, or a pandas, polars, pyarrow or DuckDB table"
    )
