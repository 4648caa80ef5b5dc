"""The command: choose cases and peers, run them one after the other, print and store the table."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

MOST_THREADS = "2"
os.environ["OMP_NUM_THREADS"] = MOST_THREADS  # OpenMP reads it once, before any import

from benchmarks import isa, report  # noqa: E402
from benchmarks.cases import CASES  # noqa: E402
from benchmarks.data import DATA_FOLDER, two_classes  # noqa: E402
from benchmarks.peers import PEERS, Peer, Work, available  # noqa: E402
from benchmarks.rows import Row, Skip  # noqa: E402
from benchmarks.settings import Settings  # noqa: E402

ISAS = ("avx512", "avx2", "baseline")
QUICK_SCALE = 0.05
WARM_ROWS = 2_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen cases; the exit code is 1 when a target was missed, 2 without silva."""
    options = parsed(arguments)
    settings = settings_from(options)
    peers, missing = available(options.peers)
    print(report.environment(settings, peers, missing), flush=True)
    if "silva" not in peers:
        return 2
    run = compared if options.isa else run_cases
    rows = run(options, settings, peers)
    print(report.table(rows))
    print(report.verdict(rows))
    if options.isa:
        print(isa.shares(rows))
    if options.json:
        report.write_json(options.json, settings, peers, rows)
    return 1 if any(row.met is False for row in rows) else 0


def run_cases(options, settings: Settings, peers: Mapping[str, Peer]) -> list[Row]:
    """Case after case, in this process."""
    warm(peers)
    rows = []
    for name in options.only or CASES:
        rows += run_case(name, settings, peers)
    return rows


def compared(options, settings: Settings, peers: Mapping[str, Peer]) -> list[Row]:
    """Case after case, each instruction set in a process of its own."""
    from silva import _core

    known = [name for name in _core.instruction_sets() if name in options.isa]
    if not known:
        raise SystemExit(f"--isa: this machine has {', '.join(_core.instruction_sets())} only")
    rows = []
    with isa.workers(known, settings, list(peers)) as started:
        for name in options.only or [name for name in CASES if name not in isa.OTHER_CASES]:
            rows += told(isa.rows_of, name, settings, options.isa, started)
    return rows


def warm(peers: Mapping[str, Peer]) -> None:
    """One small fit and prediction each, so that loading code is nobody's fit."""
    X, y = two_classes(WARM_ROWS)
    for peer in peers.values():
        peer.predict(peer.fit(X, y, Work(max_depth=8, threads=2)), X)


def run_case(name: str, settings: Settings, peers: Mapping[str, Peer]) -> list[Row]:
    """The rows of one case, or one row that says why it was skipped."""
    try:
        return told(lambda case: CASES[case](settings, peers), name, settings)
    except Skip as reason:
        return [report.skipped_row(name, str(reason))]


def told(run: Callable[..., list[Row]], name: str, settings: Settings, *more: Any) -> list[Row]:
    """The rows of one case, judged where they are of full size; progress goes to stderr."""
    print(f"running {name} ...", file=sys.stderr, flush=True)
    rows = run(name, *more)
    if settings.full_size:
        rows = [row.judged() for row in rows]
    print(report.table(rows), file=sys.stderr, flush=True)
    return rows


def settings_from(options) -> Settings:
    """The sizes and repeats that the options ask for."""
    scale = options.scale or (QUICK_SCALE if options.quick else 1.0)
    repeats = options.repeats or (1 if options.quick else 3)
    return Settings(scale, repeats, options.data, peers_named=options.peers is not None)


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options; exits where two of them contradict each other."""
    made = parser()
    options = made.parse_args(arguments)
    others = set(options.only or ()) & set(isa.OTHER_CASES)
    if options.isa and others:
        made.error(f"--isa compares times, which are not what {', '.join(sorted(others))} measures")
    return options


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    made.add_argument("--only", nargs="+", metavar="CASE", choices=list(CASES), help="some cases")
    made.add_argument("--peers", nargs="+", metavar="PEER", choices=list(PEERS), help="some peers")
    made.add_argument(
        "--isa",
        nargs="+",
        metavar="SET",
        choices=ISAS,
        help=f"compare instruction sets, a row for each: {', '.join(ISAS)}",
    )
    made.add_argument("--quick", action="store_true", help="1/20 of the rows, one repeat")
    made.add_argument("--scale", type=float, help="multiply every number of rows by this")
    made.add_argument("--repeats", type=int, help="runs of each contender; the best counts")
    made.add_argument("--json", type=Path, metavar="FILE", help="also write the rows to FILE")
    made.add_argument("--data", type=Path, default=DATA_FOLDER, help="folder of covertype.csv.gz")
    return made
