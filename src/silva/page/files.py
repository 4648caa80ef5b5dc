"""The page as a file: refused early where it cannot be written, replaced at once or not at all."""

import errno
import os
from pathlib import Path
from typing import Any

from silva.checks import refuse
from silva.errors import DataError, ModelFormatError
from silva.files import target_of, write_bytes

FULL = (errno.ENOSPC, errno.EDQUOT)


def refuse_path(path: str | os.PathLike[str]) -> None:
    """Raise where no file of that name can be, before any work is done for it."""
    name = _file_name(path)
    try:
        target = target_of(name)
    except ModelFormatError as error:
        raise DataError(f"path={name!r} is not a regular file: give the name of a file.") from error
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


def _file_name(path: Any) -> str:
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(name, str) or not name or "\0" in name:
        refuse("path", path, "use the name of a file, such as 'report.html'")
    return name


def write(path: str | os.PathLike[str], text: str) -> Path:
    """Write the file, whole or not at all; an error leaves a file that was there as it was."""
    try:
        write_bytes(path, text.encode())
    except OSError as error:
        advice = "make room or give another path" if error.errno in FULL else "give another path"
        why = f"{error.strerror}; {advice}. A file that was there is unchanged"
        raise OSError(error.errno, why, os.fspath(path)) from error
    return Path(path)
