"""Files that are written whole or not at all: the one home of `save`, `report` and the verbs.

The new content goes to a draft beside the file: an unpredictable name that did not exist, locked
while it is written. The draft then takes the place of the file in one step, so that readers see
the old content or the new one. A process that is killed leaves its draft, which nobody locks any
more; the next one that writes the same file removes it.
"""

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO

from silva.errors import ModelFormatError

try:
    import fcntl
except ImportError:  # no such locks here: drafts that were left behind stay
    fcntl = None  # type: ignore[assignment]

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_LONGEST_NAME = 50
"""Drafts keep this many characters of the file's name: file systems limit names."""


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file. A file of that name is replaced at once, or stays as it was.

    Raises ModelFormatError where the name is that of a pipe, a device or a socket.
    """
    with replacing(path) as stream:
        stream.write(data)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A stream that becomes the file when the block ends, unless it ends by an error.

    A new file gets the permissions that the umask leaves; one that is replaced keeps its own. A
    link is followed: the file that it points to is replaced.
    """
    target = target_of(path)
    try:
        _remove_abandoned(target)
        with _draft(target) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            os.replace(stream.name, target)
    except OSError as error:
        raise _about(error, path) from error
    _sync_folder(target.parent)


def target_of(path: str | os.PathLike[str]) -> Path:
    """The file to write for this name, behind all links: a regular file, or a new one.

    Replacing a pipe, a device or a socket would delete it, so that is refused.
    """
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        mode = os.stat(path).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise ModelFormatError(
                f"{os.fspath(path)}: is not a regular file; give the name of a file"
            )
    return Path(os.path.realpath(path))


@contextmanager
def _draft(target: Path) -> Iterator[IO[bytes]]:
    """A new file beside the target, with its permissions and locked; gone unless it was renamed."""
    old = target.stat() if target.is_file() else None
    stream = _locked_draft(target, 0o666 if old is None else 0o600)
    try:
        with stream:
            if old is not None:
                _take_after(stream.fileno(), old)
            yield stream
    finally:
        with contextlib.suppress(OSError):
            os.unlink(stream.name)


def _locked_draft(target: Path, mode: int) -> IO[bytes]:
    """A new draft; tried again if another process removed it as abandoned before the lock."""
    while True:
        name = target.with_name(f"{_prefix(target)}{secrets.token_hex(8)}.part")
        how = partial(_opened, mode=mode)
        stream = open(name, "xb", opener=how)  # noqa: SIM115, the caller closes it
        _locks(stream.fileno(), wait=True)
        if os.fstat(stream.fileno()).st_nlink:
            return stream
        stream.close()


def _opened(path: str, flags: int, mode: int) -> int:
    return os.open(path, flags | _NO_LINK, mode)


def _prefix(target: Path) -> str:
    return f".{target.name[:_LONGEST_NAME]}."


def _take_after(handle: int, old: os.stat_result) -> None:
    """Give the draft the permissions and, where that is allowed, owner and group of the file."""
    for owner in ((old.st_uid, -1), (-1, old.st_gid)):
        with contextlib.suppress(PermissionError):
            os.fchown(handle, *owner)
    new, mode = os.fstat(handle), stat.S_IMODE(old.st_mode)
    if new.st_gid != old.st_gid:
        mode &= ~stat.S_IRWXG  # what one group may read is not for another
    if stat.S_IMODE(new.st_mode) != mode:
        os.fchmod(handle, mode)


def _remove_abandoned(target: Path) -> None:
    """Remove the drafts of this file that nobody writes any more."""
    if fcntl is None:
        return
    ours = re.compile(re.escape(_prefix(target)) + r"[0-9a-f]{16}\.part")
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        for one in entries:
            if ours.fullmatch(one.name):
                _remove_unlocked(one.path)


def _remove_unlocked(path: str) -> None:
    handle = os.open(path, os.O_RDWR | os.O_NONBLOCK | _NO_LINK)
    try:
        found = os.fstat(handle)
        if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and _locks(handle):
            os.unlink(path)
    finally:
        os.close(handle)


def _locks(handle: int, wait: bool = False) -> bool:
    """Lock an open file; whether it worked, which not every file system allows."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (OSError, AttributeError):
        return False
    return True


def _about(error: OSError, path: str | os.PathLike[str]) -> OSError:
    """The same error with the name that the user gave, not that of the draft."""
    if error.errno is None:
        return error
    return OSError(error.errno, error.strerror, os.fspath(path))


def _sync_folder(folder: Path) -> None:
    """Make the new name itself durable, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
