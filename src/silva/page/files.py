"""The page as a file: refused early where it cannot be written, replaced at once or not at all."""

import errno
import os
from pathlib import Path

from silva.errors import DataError
from silva.tree.store import target_of, write_bytes


def refuse_path(path: str | os.PathLike[str]) -> None:
    """Raise where no file of that name can be, before any work is done for it."""
    name, target = os.fspath(path), target_of(path)
    if target.is_dir():
        example = os.path.join(name, "report.html")
        raise DataError(f"path={name!r} is a folder: give the name of a file, such as {example!r}.")
    if not target.parent.is_dir():
        raise DataError(
            f"path={name!r} cannot be written: there is no folder {str(target.parent)!r}. Make it"
            " first, or give another path."
        )
    if not os.access(target.parent, os.W_OK):
        why = f"no permission to write into {str(target.parent)!r}; give another path"
        raise PermissionError(errno.EACCES, why, name)


def write(path: str | os.PathLike[str], text: str) -> Path:
    """Write the file, whole or not at all; an error leaves a file that was there as it was."""
    try:
        write_bytes(path, text.encode())
    except OSError as error:
        why = (
            f"{error.strerror}; make room or give another path. A file that was there is as it was"
        )
        raise OSError(error.errno, why, os.fspath(path)) from error
    return Path(path)
