"""Compare the exact search with brute force on as many random cases as asked for.

    python -m tests.optimal.fuzz --cases 100000 --seed 0

Every case has its own seed: `--cases 1 --seed S` repeats one.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from typing import Any

import numpy as np

from tests.optimal.optimal_cases import (
    ENGINES,
    Case,
    bound_choices,
    draw_question,
    drawn_from,
    finish,
    random_case,
)

UPPERS = (None, None, -1, 0, 1, 2)


def check_all_settings(case: Case) -> None:
    """Both engines, with all bounds, with none, and without each one."""
    for engine in ENGINES:
        for without in bound_choices():
            finish(case, case.search(engine=engine, without=list(without)))


def random_settings(rng: np.random.Generator) -> dict[str, Any]:
    choices = list(bound_choices())
    return {
        "engine": ENGINES[rng.integers(2)],
        "without": list(choices[rng.integers(len(choices))]),
        "memory": int((1 << 12, 1 << 16, 1 << 28)[rng.integers(3)]),
        "n_threads": int((1, 1, 1, 2, 4)[rng.integers(5)]),
    }


def check_seed(seed: int) -> None:
    """One random case with random settings; then another question, and the first one again.

    At times there is an upper bound around the optimum.
    """
    case, rng = random_case(seed), np.random.default_rng([seed, 1])
    question = draw_question(drawn_from(rng), case.table.weights)
    other = Case(case.table, question)
    search = (other if other.needs_table else case).search(**random_settings(rng))
    for asked in (case, other, case):
        shift = UPPERS[rng.integers(len(UPPERS))]
        finish(asked, search, None if shift is None else max(0, asked.best[0] + shift))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="seed of the first case")
    parser.add_argument("--all-settings", action="store_true", help="every engine and bound")
    chosen = parser.parse_args(arguments)
    mismatches = 0
    for seed in range(chosen.seed, chosen.seed + chosen.cases):
        try:
            check_seed(seed)
            if chosen.all_settings:
                check_all_settings(random_case(seed))
        except Exception:
            mismatches += 1
            print(f"seed {seed}:\n{random_case(seed)}\n{traceback.format_exc(limit=-2)}")
    print(f"{chosen.cases} cases, {mismatches} mismatches")
    return min(mismatches, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
