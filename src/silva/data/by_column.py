"""Choices for single columns, kept as a value that cannot change."""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any


class ByColumn(Mapping[Any, Any]):
    """A frozen copy of a mapping from column names or indices to choices, in its order."""

    __slots__ = ("_choices",)

    def __init__(self, choices: Mapping[Any, Any]) -> None:
        self._choices = dict(choices)

    def __getitem__(self, column: Hashable) -> Any:
        return self._choices[column]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._choices)

    def __len__(self) -> int:
        return len(self._choices)

    def __hash__(self) -> int:
        return hash(frozenset(self._choices.items()))

    def __repr__(self) -> str:
        return repr(self._choices)
