"""One reader for each kind of container; `open_frame` finds the right one."""

from silva.data.frames.open import (
    is_sparse,
    open_frame,
    open_series,
    readable_again,
    sparse_columns,
)

__all__ = ["is_sparse", "open_frame", "open_series", "readable_again", "sparse_columns"]
