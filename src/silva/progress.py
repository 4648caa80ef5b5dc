"""Progress of long work, for a listener. Imports nothing, so that every layer may report."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, float], object]
"""Takes what is done and the share of it that is done, from 0 to 1."""

_LISTENER: ContextVar[Listener | None] = ContextVar("_LISTENER", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Work inside reports its progress to the listener."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


@contextmanager
def part(number: int, n_parts: int) -> Iterator[None]:
    """Progress reported inside is that of this one of so many parts of the work."""
    whole = _LISTENER.get()
    if whole is None:
        yield
        return
    with listening(lambda what, share: whole(what, (number + share) / n_parts)):
        yield


def is_heard() -> bool:
    """Whether there is a listener."""
    return _LISTENER.get() is not None


def report_progress(what: str, share: float) -> None:
    """Report how far the work is, if there is a listener."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(what, share)
