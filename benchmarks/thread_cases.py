"""One big tree on more and more threads, beside its own single thread and histogram trees."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from benchmarks import data
from benchmarks.peers import Peer, Work
from benchmarks.rows import Row, Target, times_row
from benchmarks.settings import Settings
from benchmarks.timing import Timing, take_turns, usable_cpus

Peers = Mapping[str, Peer]
ROWS, DEPTH = 1_000_000, 8
SPEEDUPS = {2: Target(">=", 1.75), 16: Target(">=", 7)}
HISTOGRAMS = ("LightGBM", "XGBoost hist")  # both need a limit of the depth


def threads(settings: Settings, peers: Peers) -> list[Row]:
    """A full tree and one of depth 8 with 1, 2, 4, ... threads, as many as there are CPUs."""
    X, y = data.two_classes(settings.rows(ROWS))
    counts = list(doublings(usable_cpus()))
    rows = []
    for depth, name in ((None, "full tree"), (DEPTH, f"depth {DEPTH}")):
        rivals = [] if depth is None else [name for name in HISTOGRAMS if name in peers]
        runs = {
            (peer, n): partial(peers[peer].fit, X, y, Work(max_depth=depth, threads=n))
            for n in counts
            for peer in ("silva", *rivals)
        }
        timings = take_turns(runs, settings.repeats)
        for n in counts:
            text = f"{name}, {len(y):,} x 20, {n} {'thread' if n == 1 else 'threads'}"
            rows += thread_rows(text, n, rivals, timings)
    return rows


def thread_rows(
    text: str, n: int, rivals: list[str], timings: Mapping[tuple[str, int], Timing]
) -> list[Row]:
    """silva with n threads beside its own single thread, and beside each rival with n threads."""
    ours, one = timings["silva", n], timings["silva", 1]
    place = "threads", text, "wall s", ours.wall
    note = f"CPU s {ours.cpu:.3f} / {one.cpu:.3f}"
    rows = []
    if n > 1:
        rows.append(times_row(*place, "silva, 1 thread", one.wall, SPEEDUPS.get(n), note))
    for name in rivals:
        theirs = timings[name, n]
        note = f"CPU s {ours.cpu:.3f} / {theirs.cpu:.3f}"
        rows.append(times_row(*place, name, theirs.wall, Target(">", 1), note))
    return rows


def doublings(most: int) -> Iterator[int]:
    """1, 2, 4, ... and not more than `most`."""
    n = 1
    while n <= most:
        yield n
        n *= 2


CASES: tuple[Callable[[Settings, Peers], list[Row]], ...] = (threads,)
