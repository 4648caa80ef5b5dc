"""`--ordered size=S,M,L`: columns of texts whose levels have an order."""

import csv
from collections import Counter
from collections.abc import Sequence

from silva.cli.tables.fields import Loaded
from silva.errors import DataError
from silva.messages import listed, nearest, shown

Levels = tuple[str, ...]


def ordered_levels(loaded: Loaded, choices: Sequence[str]) -> dict[str, Levels]:
    """The levels of each column that --ordered names, lowest first; raises for wrong choices."""
    found: dict[str, Levels] = {}
    for choice in choices:
        name, levels = _parted(choice, loaded.names)
        if name in found:
            raise DataError(
                f"--ordered names the column {name!r} twice; give one list of its levels"
            )
        found[name] = levels
    return found


def not_listed(name: str, cell: str, where: str, levels: Levels) -> DataError:
    near = nearest(cell, levels)
    hint = f" (did you mean {near!r}?)" if near is not None else ""
    return DataError(
        f"column {name!r} holds {shown(cell)} in {where}, which is not among the levels that"
        f" --ordered lists for it: {listed(levels)}{hint}. Add it to the list, or correct the cell"
    )


def _parted(choice: str, names: Sequence[str]) -> tuple[str, Levels]:
    """The column and its levels; the name may hold = itself."""
    ends = [at for at, sign in enumerate(choice) if sign == "="]
    if not ends:
        raise DataError(
            f"--ordered {choice!r} lists no levels; give them lowest first, such as size=S,M,L"
        )
    name = next((choice[:end] for end in reversed(ends) if choice[:end] in names), None)
    if name is None:
        meant = choice[: ends[0]]
        near = nearest(meant, names)
        hint = f"; did you mean {near!r}?" if near is not None else ""
        raise DataError(f"--ordered {meant!r}: there is no such column{hint}")
    return name, _levels(name, choice[len(name) + 1 :])


def _levels(name: str, text: str) -> Levels:
    """The cells of a line of CSV: a level that holds a comma stands in quotes."""
    levels = tuple(cell.strip() for cell in next(csv.reader([text], skipinitialspace=True), []))
    repeated = [level for level, count in Counter(levels).items() if count > 1]
    if len(levels) < 2 or "" in levels or repeated:
        seen = f"lists {listed(repeated)} more than once" if repeated else f"lists {text!r}"
        raise DataError(
            f"--ordered {name} {seen}; give at least two levels, each once, lowest first, such as"
            f" {name}=S,M,L"
        )
    return levels
