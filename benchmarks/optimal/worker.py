"""One process that fits what it is told: `python -m benchmarks.optimal.worker CONTENDER`.

Questions and figures are lines of JSON. What libraries print goes to standard error. A process of
its own for each contender: one that crashes or does not stop takes nobody with it.
"""

import gc
import json
import sys
import time
import warnings
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from benchmarks.isa_worker import own_output
from benchmarks.memory import give_back_free_memory, peak_bytes, reset_peak
from benchmarks.optimal.contenders import CONTENDERS, Contender, Question
from benchmarks.optimal.tables import table

WARM = Question(depth=2)
BLOCK, BLOCK_SECONDS = 10, 0.2
"""Fits of milliseconds are repeated: the first one after another table finds cold caches."""
FULL_SHARE, LEAST_SHARE = 0.95, 0.1
"""Shares of a core: less than the first is disturbed, more than tenfold time is not given."""


def main() -> None:
    """Answer every question until standard input ends."""
    output = own_output()
    warnings.simplefilter("ignore")
    contender = CONTENDERS[sys.argv[1]]
    for line in sys.stdin:
        print(json.dumps(answered(contender, json.loads(line))), file=output, flush=True)


def answered(contender: Contender, told: dict[str, Any]) -> dict[str, Any]:
    """The figures of one fit, or what went wrong."""
    try:
        X, y = table(told["source"], told["table"], Path(told["data"]))
        contender(X[:40, :3], y[:40] % 2, WARM)  # loading code is nobody's fit
        run = watched if told["watched"] else best
        return run(contender, X, y, Question(**told["question"]))
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"}


def best(contender: Contender, X: Any, y: Any, asked: Question) -> dict[str, Any]:
    """The quickest of a block of fits, each from nothing: one where it takes long."""
    figures = [undisturbed(contender, X, y, asked)]
    while len(figures) < BLOCK and sum(figure["cpu"] for figure in figures) < BLOCK_SECONDS:
        figures.append(fitted(contender, X, y, asked))
    return min(figures, key=lambda figure: figure["cpu"])


def undisturbed(contender: Contender, X: Any, y: Any, asked: Question) -> dict[str, Any]:
    """A fit that had its limit in CPU time. All limits are wall time: where other programs took a
    part of it and nothing was proved, once more with as much as makes up for it."""
    figure = fitted(contender, X, y, asked)
    share = max(figure["cpu"] / figure["wall"], LEAST_SHARE)
    if figure["proved"] is False and asked.seconds > 0 and share < FULL_SHARE:
        return fitted(contender, X, y, replace(asked, seconds=asked.seconds / share))
    return figure


def fitted(contender: Contender, X: Any, y: Any, asked: Question) -> dict[str, Any]:
    """CPU and wall seconds of one fit, and its answer."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    read = contender(X, y, asked)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {"cpu": cpu, "wall": wall, "n": len(y), "p": X.shape[1], **asdict(read())}


def watched(contender: Contender, X: Any, y: Any, asked: Question) -> dict[str, Any]:
    """The same, and how far the fit raised the peak of memory."""
    give_back_free_memory()
    before = reset_peak()
    figure = fitted(contender, X, y, asked)
    return figure | {"peak": peak_bytes() - before}


if __name__ == "__main__":
    main()
