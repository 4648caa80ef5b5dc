"""One process of a comparison of instruction sets: it runs cases with the one of SILVA_ISA.

Started by `isa`, which sends the name of a case on standard input. Messages are lines of JSON:
"turn" before something is timed and "done" after it, each of which waits for an answer, and at last
the rows of the case. Other output goes to standard error.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from benchmarks import timing
from benchmarks.peers import PEERS, Peer, StandIn
from benchmarks.rows import Skip
from benchmarks.run import warm
from benchmarks.settings import Settings


def main() -> None:
    """Run every case that is asked for, until standard input ends."""
    told = json.loads(sys.argv[1])
    settings = Settings(**told["settings"] | {"data_folder": Path(told["settings"]["data_folder"])})
    peers = peers_of(told["peers"], told["follows"])
    talk = Talk(own_output())
    timing.turn = talk.turn
    warm(peers)
    for line in sys.stdin:
        talk.say(**outcome(line.strip(), settings, peers))


class Talk:
    """What this process says to the one that started it."""

    def __init__(self, output: TextIO) -> None:
        self._output = output

    def say(self, **message: Any) -> None:
        print(json.dumps(message), file=self._output, flush=True)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Time something while no other process does anything."""
        self.say(at="turn")
        sys.stdin.readline()
        yield
        self.say(at="done")
        sys.stdin.readline()


def own_output() -> TextIO:
    """Standard output for messages alone: what libraries print goes to standard error."""
    messages = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return messages


def peers_of(names: list[str], follows: bool) -> dict[str, Peer]:
    """The peers, or silva in their places in a process that follows another one."""
    return {name: StandIn(name) if follows and name != "silva" else PEERS[name] for name in names}


def outcome(case: str, settings: Settings, peers: dict[str, Peer]) -> dict[str, Any]:
    """The rows of a case, or why it was skipped."""
    from benchmarks.cases import CASES

    try:
        rows = CASES[case](settings, peers)
    except Skip as reason:
        return {"skipped": str(reason)}
    return {"rows": [asdict(row) for row in rows]}


if __name__ == "__main__":
    main()
