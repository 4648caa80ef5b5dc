"""How far long work is, for whoever listens. Imports nothing, so that every layer may tell."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, float], object]
"""Takes what is done and the share of it that is done, from 0 to 1."""

_LISTENER: ContextVar[Listener | None] = ContextVar("_LISTENER", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Work inside tells the listener how far it is."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


@contextmanager
def part(number: int, n_parts: int) -> Iterator[None]:
    """What is told inside is about this one of so many parts of the work."""
    whole = _LISTENER.get()
    if whole is None:
        yield
        return
    with listening(lambda what, share: whole(what, (number + share) / n_parts)):
        yield


def is_heard() -> bool:
    """Whether somebody listens."""
    return _LISTENER.get() is not None


def tell(what: str, share: float) -> None:
    """Say how far the work is, where somebody listens."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(what, share)
