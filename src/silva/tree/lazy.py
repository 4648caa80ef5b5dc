"""Values that are computed when they are first asked for."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

Value = TypeVar("Value")


class lazy(Generic[Value]):  # noqa: N801, a decorator like property
    """A property that is computed once for each instance and kept in its `__dict__`.

    It has no lock, unlike `functools.cached_property` of Python 3.11: that one is shared by all
    instances, and a fork while another thread holds it blocks the new process forever. Two threads
    that ask at the same time compute equal values twice.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: object | None, owner: type) -> Self | Value:
        if instance is None:
            return self
        value = self._compute(instance)
        vars(instance)[self._name] = value
        return value
