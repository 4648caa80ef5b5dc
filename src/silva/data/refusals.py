"""The words of every refusal that more than one reader needs: what was seen, and the way out."""

import numpy as np

from silva.errors import DataError, DataTypeError

LARGEST_EXACT_INTEGER = 2**53


def complex_numbers(name: str) -> DataTypeError:
    return DataTypeError(
        f"column {name!r} holds complex numbers. Complex data not supported: "
        "take the real and the imaginary part apart, as two columns of numbers"
    )


def dates(name: str, seen: str, fix: str) -> DataTypeError:
    """`fix` shows, in the container's own words, how to turn the column into a number."""
    return DataTypeError(
        f"column {name!r} holds dates or times ({seen}), which have no single reading as a number. "
        f"Convert it first, for example with {fix}, or into parts such as year, month and weekday"
    )


def nested_values(name: str, seen: str) -> DataTypeError:
    return DataTypeError(
        f"column {name!r} holds nested or binary values ({seen}); a column must hold one number, "
        "string or boolean per row. Give each part a column of its own, or drop the column"
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
    return DataTypeError(
        f"cannot read {type(data).__name__} as a table. Give a two-dimensional NumPy array, a list "
        "of rows, a SciPy sparse matrix, or a pandas, polars, pyarrow or DuckDB table"
    )
