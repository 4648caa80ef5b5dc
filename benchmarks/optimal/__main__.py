"""`python -m benchmarks.optimal`: the exact search beside pystreed and pycontree.

Contenders run in processes of their own and take turns, with one thread each and the same limit of
time; CPU seconds, the best of several runs. The exit code is 1 when a target was missed.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.data import DATA_FOLDER
from benchmarks.optimal import report
from benchmarks.optimal.cases import FAMILIES, Case
from benchmarks.optimal.contenders import PEERS
from benchmarks.optimal.measure import Figure, Found, Plan, compared, read, squeezed, write
from benchmarks.optimal.processes import Worker, workers

SECONDS, LONG_SECONDS, REPEATS = 10.0, 60.0, 3
RIVALS = {
    "binary": ("pystreed",),
    "continuous": ("pycontree",),
    "incumbent": ("greedy", "scikit-learn"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    seconds = options.seconds or (LONG_SECONDS if options.long else SECONDS)
    plan = Plan(options.repeats, seconds, read(options.peers_from, PEERS))
    found: Found = {}
    good = True
    load = ", ".join(f"{one:.2f}" for one in os.getloadavg())
    print(f"{seconds:g} s a run, best of {options.repeats}; load {load}\n", flush=True)
    for family in options.only or FAMILIES:
        results = measured(family, options, plan)
        remember(found, family, results, options.json)
        text, met = report.section(family, results, options.silva)
        print(text, flush=True)
        good = good and met
    return 0 if good else 1


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.optimal", description=__doc__)
    made.add_argument("--only", nargs="+", choices=list(FAMILIES), metavar="FAMILY")
    made.add_argument("--tables", nargs="+", metavar="TABLE", help="some tables only")
    made.add_argument("--depths", nargs="+", type=int, metavar="N", help="some depths only")
    made.add_argument("--silva", choices=("silva", "core"), default="silva",
                      help="the estimator, or the search of the core alone")  # fmt: skip
    made.add_argument("--contenders", nargs="+", metavar="NAME", help="some contenders only")
    made.add_argument("--isa", help="the instruction set of silva: avx512, avx2, baseline")
    made.add_argument("--repeats", type=int, default=REPEATS)
    made.add_argument("--seconds", type=float, help="the limit of every run")
    made.add_argument("--long", action="store_true", help=f"{LONG_SECONDS:g} s a run")
    made.add_argument("--json", type=Path, metavar="FILE", help="keep the figures")
    made.add_argument("--peers-from", type=Path, metavar="FILE", help="peers as FILE has them")
    made.add_argument("--peer-python", metavar="PROGRAM", help="a Python that has the peers")
    made.add_argument("--data", type=Path, default=DATA_FOLDER, metavar="DIR")
    return made


def measured(family: str, options: argparse.Namespace, plan: Plan) -> dict[Case, dict[str, Figure]]:
    """Every chosen case of a family."""
    names = [options.silva, *RIVALS.get(family, ())]
    chosen = [name for name in names if name in (options.contenders or names)]
    isas = {name: None if name in PEERS else options.isa for name in chosen}
    results = {}
    with workers(isas, options.data, options.peer_python) as asked:
        for case in cases_of(family, options):
            print(f"{family}: {case.name} ...", file=sys.stderr, flush=True)
            results[case] = run(case, asked, plan, options.silva)
    return results


def cases_of(family: str, options: argparse.Namespace) -> list[Case]:
    return [
        case
        for case in FAMILIES[family]()
        if case.table in (options.tables or [case.table])
        and case.depth in (options.depths or [case.depth])
    ]


def run(case: Case, asked: Mapping[str, Worker], plan: Plan, silva: str) -> dict[str, Figure]:
    """The figures of one case."""
    if case.family.startswith("memory"):
        return squeezed(case, asked[silva], plan)
    return compared(case, asked, plan)


def remember(
    found: Found, family: str, results: Mapping[Case, dict[str, Figure]], file: Path | None
) -> None:
    """Keep the figures of a family that compares, after each family anew."""
    if family not in ("incumbent", "memory"):
        for case, figures in results.items():
            found.setdefault(case.key, {}).update(figures)
    if file:
        write(file, found)


if __name__ == "__main__":
    sys.exit(main())
