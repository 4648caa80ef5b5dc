"""The table, the machine it was made on, and the same as JSON."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.peers import Peer, version
from benchmarks.rows import Row
from benchmarks.settings import Settings

IDLE_LOAD = 0.5
HEADINGS = ("work", "measure", "silva", "peer", "theirs", "result", "target", "met", "notes")
ISA_HEADINGS = ("instruction set", "of best")


def environment(settings: Settings, peers: Mapping[str, Peer], missing: Mapping[str, str]) -> str:
    """Machine, versions, sizes, and why a peer is not there."""
    lines = [
        f"machine   {processor()}, {os.cpu_count()} CPUs, {platform.platform()}",
        f"load      {load()}",
        f"python    {platform.python_version()}, numpy {library_version('numpy')}",
        *(f"peer      {name} {version(peer)}" for name, peer in peers.items()),
        *(f"skipped   {name}: {reason}" for name, reason in missing.items()),
        f"sizes     {settings.scale:g} of the full rows, best of {settings.repeats}",
        "notes     silva's figure / the peer's; 'times' is theirs / silva",
    ]
    return "\n".join(lines) + "\n"


def processor() -> str:
    """The name of the CPU."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def load() -> str:
    """How busy the machine is before the run; other work spoils wall times most."""
    if not hasattr(os, "getloadavg"):
        return "unknown"
    busy = os.getloadavg()[0]
    warning = " (NOT IDLE: do not trust the rows with 2 threads)" if busy > IDLE_LOAD else ""
    return f"{busy:.2f} in the last minute{warning}"


def library_version(name: str) -> str:
    """The installed version of a library."""
    from importlib.metadata import version as installed

    return installed(name)


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table with aligned columns."""
    cells = [HEADINGS, *(row_cells(row) for row in rows)]
    if any(row.isa for row in rows):
        cells = [with_isa(line, isa) for line, isa in zip(cells, isa_cells(rows), strict=True)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rule = tuple("-" * width for width in widths)
    lines = [cells[0], rule, *cells[1:]]
    return "\n".join(table_line(line, widths) for line in lines) + "\n"


def table_line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return "| " + " | ".join(padded) + " |"


def row_cells(row: Row) -> tuple[str, ...]:
    """The texts of one row, in the order of the headings."""
    result = "" if row.value is None else f"{row.value:.2f} {row.unit}"
    target = str(row.target) if row.target else ""
    met = {True: "yes", False: "NO", None: "-"}[row.met]
    figures = number(row.silva), row.peer, number(row.theirs)
    return (row.work, row.measure, *figures, result, target, met, row.note)


def isa_cells(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Instruction set and share of the best one's speed, under their headings."""
    shares = ("" if row.share is None else f"{row.share:.0%}" for row in rows)
    return [ISA_HEADINGS, *zip((row.isa for row in rows), shares, strict=True)]


def with_isa(line: tuple[str, ...], isa: tuple[str, str]) -> tuple[str, ...]:
    """The cells of a line with those about instruction sets after silva's figure."""
    return (*line[:2], isa[0], line[2], isa[1], *line[3:])


def number(value: float | None) -> str:
    """Four significant digits; nothing for no value."""
    return "" if value is None else f"{value:.4g}"


def skipped_row(case: str, reason: str) -> Row:
    """A row for a case that could not run."""
    return Row(case, case, note=f"skipped: {reason}")


def verdict(rows: Sequence[Row]) -> str:
    """How many targets were met, and which were not."""
    judged = [row for row in rows if row.met is not None]
    missed = [f"  missed: {row.work}, {missed_by(row)}" for row in judged if not row.met]
    if not judged:
        return "targets are judged at full size only"
    return "\n".join([f"{len(judged) - len(missed)} of {len(judged)} targets met", *missed])


def missed_by(row: Row) -> str:
    return f"{row.peer} ({row.isa})" if row.isa else row.peer


def write_json(
    path: Path, settings: Settings, peers: Mapping[str, Peer], rows: Sequence[Row]
) -> None:
    """Everything that was printed, for other programs."""
    content = {
        "processor": processor(),
        "python": platform.python_version(),
        "versions": {name: version(peer) for name, peer in peers.items()},
        "scale": settings.scale,
        "repeats": settings.repeats,
        "rows": [asdict(row) for row in rows],
    }
    path.write_text(json.dumps(content, indent=1) + "\n")
