"""One reader for each kind of container; `open_frame` finds the right one."""

from silva.data.frames.open import open_frame, open_series

__all__ = ["open_frame", "open_series"]
