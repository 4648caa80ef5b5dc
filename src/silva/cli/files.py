"""Result files out; `-` stands for standard output. Tables in: see `tables`."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from silva.errors import DataError
from silva.files import replacing, target_of


def refuse_output(path: str | None, force: bool) -> None:
    """Raise when the file cannot be written or is there already, before any work is done for it."""
    if path is None or path == "-":
        return
    target_of(path)
    if not force and Path(path).exists():
        raise DataError(f"{path} exists already; give --force to overwrite it, or another name")
    folder = Path(path).parent
    if not folder.is_dir():
        raise DataError(f"{path} cannot be written: there is no folder {folder}; make it first")


@contextmanager
def writing(path: str | None) -> Iterator[IO[str]]:
    """A text stream that becomes the file only when all went well; None is standard output."""
    if path is None or path == "-":
        if sys.stdout is None:
            raise DataError("standard output is closed; give the name of a file with --output")
        yield sys.stdout
        return
    with replacing(path) as stream:
        text = io.TextIOWrapper(stream, "utf-8", newline="")
        try:
            yield text
        finally:
            text.detach()
