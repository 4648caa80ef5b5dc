"""The processes of the contenders: asked one after the other, ended where they do not stop."""

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.optimal.cases import Case
from benchmarks.optimal.contenders import PEERS, Question

PROJECT = Path(__file__).resolve().parents[2]
MOST_TIMES, SPARE_SECONDS = 15, 60.0
"""On a busy machine a search gets more time (see `worker`); reading the table takes some too."""


class Worker:
    """The process of one contender, started when it is asked first."""

    def __init__(self, contender: str, python: str, isa: str | None, data: Path) -> None:
        self.contender, self.data = contender, data
        self._command = [python, "-m", "benchmarks.optimal.worker", contender]
        self._environment = os.environ | ({"SILVA_ISA": isa} if isa else {}) | ONE_THREAD
        self._process: subprocess.Popen[str] | None = None

    def ask(self, case: Case, question: Question) -> dict[str, Any]:
        """The figures of one fit; `failed` says why there are none."""
        process = self._process = self._process or self._started()
        told = {
            "source": case.source,
            "table": case.table,
            "data": str(self.data),
            "watched": case.family.startswith("memory"),
            "question": asdict(question),
        }
        print(json.dumps(told), file=process.stdin, flush=True)
        patience = MOST_TIMES * question.seconds + SPARE_SECONDS
        if not select.select([process.stdout], [], [], patience)[0]:
            self.end()
            return {"failed": f"ended from outside after {patience:.0f} s"}
        line = process.stdout.readline()
        if not line:
            self.end()
            return {"failed": f"the process ended by itself ({process.returncode})"}
        return json.loads(line)

    def _started(self) -> subprocess.Popen[str]:
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        return subprocess.Popen(self._command, cwd=PROJECT, env=self._environment, **pipes)

    def end(self) -> None:
        if self._process:
            self._process.kill()
            self._process.communicate()
        self._process = None


ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@contextmanager
def workers(
    contenders: Mapping[str, str | None], data: Path, peer_python: str | None
) -> Iterator[dict[str, Worker]]:
    """A process for each contender; the instruction set of each, or None for the best."""
    made = {
        name: Worker(name, pythons(name, peer_python), isa, data)
        for name, isa in contenders.items()
    }
    try:
        yield made
    finally:
        for worker in made.values():
            worker.end()


def pythons(contender: str, peer_python: str | None) -> str:
    """The interpreter of a contender: peers may be installed apart."""
    return (peer_python if contender in PEERS else None) or sys.executable
