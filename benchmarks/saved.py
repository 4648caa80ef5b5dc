"""Figures in a file, one JSON line each, so that a study can be stopped and resumed."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

Figure = TypeVar("Figure")


def recalled(file: Path | None, kind: type[Figure]) -> list[Figure]:
    """The figures that earlier runs wrote."""
    if file is None or not file.exists():
        return []
    return [kind(**json.loads(line)) for line in file.read_text().splitlines()]


def remember(file: Path | None, figure: Any) -> None:
    """Append a figure (a dataclass), if there is a file."""
    if file is not None:
        with file.open("a") as lines:
            lines.write(json.dumps(asdict(figure)) + "\n")
