"""The command: choose cases and peers, run them one after the other, print and store the table."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

MOST_THREADS = "2"
os.environ["OMP_NUM_THREADS"] = MOST_THREADS  # OpenMP reads it once, before any import

from benchmarks import report  # noqa: E402
from benchmarks.cases import CASES  # noqa: E402
from benchmarks.data import DATA_FOLDER, two_classes  # noqa: E402
from benchmarks.peers import PEERS, Peer, Work, available  # noqa: E402
from benchmarks.rows import Row, Skip  # noqa: E402
from benchmarks.settings import Settings  # noqa: E402

QUICK_SCALE = 0.05
WARM_ROWS = 2_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen cases; the exit code is 1 when a target was missed, 2 without silva."""
    options = parser().parse_args(arguments)
    settings = settings_from(options)
    peers, missing = available(options.peers)
    print(report.environment(settings, peers, missing), flush=True)
    if "silva" not in peers:
        return 2
    warm(peers)
    rows = []
    for name in options.only or CASES:
        rows += run_case(name, settings, peers)
    print(report.table(rows))
    print(report.verdict(rows))
    if options.json:
        report.write_json(options.json, settings, peers, rows)
    return 1 if any(row.met is False for row in rows) else 0


def warm(peers: Mapping[str, Peer]) -> None:
    """One small fit and prediction each, so that loading code is nobody's fit."""
    X, y = two_classes(WARM_ROWS)
    for peer in peers.values():
        peer.predict(peer.fit(X, y, Work(max_depth=8, threads=2)), X)


def run_case(name: str, settings: Settings, peers: Mapping[str, Peer]) -> list[Row]:
    """The rows of one case, or one row that says why it was skipped; progress goes to stderr."""
    print(f"running {name} ...", file=sys.stderr, flush=True)
    try:
        rows = CASES[name](settings, peers)
    except Skip as reason:
        rows = [report.skipped_row(name, str(reason))]
    if settings.full_size:
        rows = [row.judged() for row in rows]
    print(report.table(rows), file=sys.stderr, flush=True)
    return rows


def settings_from(options) -> Settings:
    """The sizes and repeats that the options ask for."""
    scale = options.scale or (QUICK_SCALE if options.quick else 1.0)
    repeats = options.repeats or (1 if options.quick else 3)
    return Settings(scale, repeats, options.data, peers_named=options.peers is not None)


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    made.add_argument("--only", nargs="+", metavar="CASE", choices=list(CASES), help="some cases")
    made.add_argument("--peers", nargs="+", metavar="PEER", choices=list(PEERS), help="some peers")
    made.add_argument("--quick", action="store_true", help="1/20 of the rows, one repeat")
    made.add_argument("--scale", type=float, help="multiply every number of rows by this")
    made.add_argument("--repeats", type=int, help="runs of each contender; the best counts")
    made.add_argument("--json", type=Path, metavar="FILE", help="also write the rows to FILE")
    made.add_argument("--data", type=Path, default=DATA_FOLDER, help="folder of covertype.csv.gz")
    return made
