"""The work behind `silva info`."""

from pathlib import Path

import silva
from silva.cli.output import require_output, say, say_json
from silva.inspect.info import model_info
from silva.messages import counted
from silva.model_file import container, store


def print_info(path: str, style: str) -> None:
    """Load, print."""
    require_output("the facts")
    found = model_info(silva.load(path))
    written = store.read_as(_versions, path)
    size = Path(path).stat().st_size
    if style == "json":
        say_json({"file": path, "bytes": size, **written, **found.to_dict()})
        return
    by, version = written["library_version"], written["format_version"]
    say(f"{path}: {counted(size, 'byte')}, format {version}, written by silva {by}\n{found}")


def _versions(data: bytes) -> dict[str, str]:
    header, _ = container.read_header(data)
    metadata = container.read_metadata(header)
    return {name: metadata.get(name, "") for name in ("format_version", "library_version")}
