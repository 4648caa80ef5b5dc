"""The work behind `silva rules` and `silva show --rules`."""

from typing import Any, NamedTuple

import silva
from silva.cli.output import require_output, say, say_csv, say_json
from silva.cli.rows import read_rows
from silva.cli.showing import chosen_tree
from silva.cli.tables.options import TableOptions


class RuleRows(NamedTuple):
    """The rows that rules are measured on."""

    path: str
    target: str
    weight: str | None
    reading: TableOptions


def print_rules(
    path: str,
    number: int | None,
    rows: RuleRows | None,
    *,
    order: str,
    simplify: bool | str,
    digits: int | str | None,
    style: str,
) -> None:
    """Load, read, make the rules, print."""
    require_output("the rules")
    heading, model = chosen_tree(silva.load(path), path, number)
    measured: dict[str, Any] = {}
    if rows is not None:
        found = read_rows([model], rows.path, rows.reading, rows.target, rows.weight)
        measured = {"X": found.tables[0], "y": found.target, "sample_weight": found.weights}
        measured["target"] = rows.target
    listed = silva.rules(model, order=order, simplify=simplify, digits=digits, **measured)
    if style == "json":
        say_json(listed.to_dict())
    elif style == "csv":
        say_csv(listed.columns())
    else:
        say("\n".join(filter(None, (heading, str(listed)))))
