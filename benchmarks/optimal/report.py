"""The tables in Markdown, and whether the targets are met."""

import math
from collections.abc import Mapping, Sequence

from benchmarks.optimal.cases import NO_FILE, PENALTIES, Case
from benchmarks.optimal.measure import Figure, memory_of

Results = Mapping[Case, Mapping[str, Figure]]
Verdict = tuple[str, bool]
"""A line under a table, and whether it is as it should be."""

MUST_PROVE = ("rice", "occupancy", "bidding")
FASTER_CASES, FASTER_SHARE = 27, 32
SLOWER_FACTOR, SPARE_SECONDS = 1.2, 0.05
MEMORY_EXCESS, PROCESS_BYTES = 1.1, 2**20
GREEDY = ("greedy", "scikit-learn")


def markdown(head: str, rows: Sequence[Sequence[str]]) -> str:
    """A table whose columns are named in `head`, separated by commas."""
    names = [name.strip() for name in head.split(",")]
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def value_cells(case: Case, figure: Figure | None) -> list[str]:
    """Value, proved or the gap, CPU seconds."""
    if figure is None or "failed" in figure:
        return ["" if figure is None else figure["failed"], "", ""]
    gap = "" if figure["gap"] is None else f" (gap {figure['gap']:.4g})"
    proved = {True: "yes", False: f"no{gap}", None: ""}[figure["proved"]]
    return [shown(case, value_of(case, figure)), proved, f"{figure['cpu']:.4f}"]


def value_of(case: Case, figure: Figure) -> float:
    return case.reached(figure["errors"], figure["splits"], figure["n"])


def shown(case: Case, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if case.depth else f"{value:.6f}"


def known_cells(case: Case, figure: Figure | None) -> list[str]:
    """The known value, and whether the figure agrees with it."""
    known = ("" if case.settled else "<= ") + shown(case, case.value)
    if figure is None or "failed" in figure:
        return [known, ""]
    verdict = case.agrees(value_of(case, figure), bool(figure["proved"]))
    return [known, {True: "yes", False: "NO", None: "open"}[verdict]]


def shape_cells(case: Case, figures: Mapping[str, Figure]) -> list[str]:
    """Table, rows, columns and limit."""
    one = next((figure for figure in figures.values() if "n" in figure), {})
    how = str(case.depth) if case.depth else case.penalty
    return [case.table, str(one.get("n", "")), str(one.get("p", "")), how]


def versus(results: Results, ours: str, theirs: str) -> str:
    """A row a case: both contenders, the ratio, and the known value.

    `search s` is the compiled search alone, where it can be told apart.
    """
    head = (
        f"table, n, p, depth, {ours}, proved, CPU s, search s, {theirs}, proved, CPU s, search s, "
        "times, known, agrees"
    )
    rows = []
    for case, figures in results.items():
        mine, other = figures.get(ours), figures.get(theirs)
        rows.append([
            *shape_cells(case, figures), *value_cells(case, mine), search_cell(mine),
            *value_cells(case, other), search_cell(other), ratio_text(mine, other),
            *known_cells(case, mine or other),
        ])  # fmt: skip
    return markdown(head, rows)


def search_cell(figure: Figure | None) -> str:
    seconds = (figure or {}).get("details", {}).get("solver")
    return "" if seconds is None else f"{seconds:.4f}"


def proved(figure: Figure | None) -> bool:
    return bool(figure and figure.get("proved"))


def ratio_text(mine: Figure | None, other: Figure | None) -> str:
    """How many times as long the peer took; a bound where only one proved its tree."""
    if not (mine and other) or "failed" in mine or "failed" in other:
        return ""
    sign = {(True, True): "", (True, False): "> ", (False, True): "< "}
    key = (proved(mine), proved(other))
    return f"{sign[key]}{other['cpu'] / mine['cpu']:.2f}" if key in sign else "neither"


def geometric_mean(ratios: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def speed(results: Results, ours: str, theirs: str) -> tuple[int, int, float, int]:
    """Cases where silva is faster, cases compared, the mean ratio where both proved, their number.

    A peer that did not prove its tree in time counts as slower than one that did.
    """
    pairs = [(f[ours], f[theirs]) for f in results.values() if ours in f and theirs in f]
    both = [other["cpu"] / mine["cpu"] for mine, other in pairs if proved(mine) and proved(other)]
    ahead = sum(proved(mine) and not proved(other) for mine, other in pairs)
    faster = ahead + sum(ratio > 1 for ratio in both)
    return faster, len(pairs), geometric_mean(both), len(both)


def binary_verdicts(results: Results, ours: str, theirs: str) -> list[Verdict]:
    faster, n_cases, mean, n_both = speed(results, ours, theirs)
    enough = faster * FASTER_SHARE >= FASTER_CASES * n_cases
    return [
        (f"faster on {faster} of {n_cases} (target {FASTER_CASES} of {FASTER_SHARE})", enough),
        (f"{mean:.2f} times as fast in the geometric mean of {n_both} (target 2)", mean >= 2),
    ]


def continuous_verdicts(results: Results, ours: str, theirs: str) -> list[Verdict]:
    faster, n_cases, mean, n_both = speed(results, ours, theirs)
    open_ones = [
        case.name
        for case, figures in results.items()
        if case.depth == 3 and case.table in MUST_PROVE and not proved(figures.get(ours))
    ]
    named = ", ".join(open_ones) or "none"
    return [
        (f"faster on {faster} of {n_cases}", True),
        (f"{mean:.2f} times as fast in the geometric mean of {n_both} (target 5)", mean >= 5),
        (f"not proved though they should be: {named}", not open_ones),
    ]


def alone(results: Results, ours: str) -> str:
    """A row a case without a peer; seconds as published, on another machine."""
    head = f"table, n, p, limit, {ours}, proved, CPU s, splits, known, agrees, published s"
    rows = []
    for case, figures in results.items():
        mine = figures.get(ours)
        published = PENALTIES.get((case.table, case.penalty), (None, None, None))[2]
        rows.append([
            *shape_cells(case, figures), *value_cells(case, mine),
            str((mine or {}).get("splits", "")), *known_cells(case, mine),
            "" if published is None else f"{published:g}",
        ])  # fmt: skip
    return markdown(head, rows)


def alone_verdicts(results: Results, ours: str) -> list[Verdict]:
    wanted = [case for case in results if case.settled and case.value is not None]
    reached = sum(proved(results[case].get(ours)) for case in wanted)
    return [(f"{reached} of {len(wanted)} settled values proved", reached == len(wanted))]


def incumbent(results: Results, ours: str) -> str:
    """The tree of no time at all beside greedy ones: errors, and CPU seconds."""
    head = f"table, n, p, depth, {ours}, greedy, scikit-learn, {ours} s, greedy s, allowed s, ok"
    rows = []
    for case, figures in results.items():
        errors = [errors_cell(figures.get(name)) for name in (ours, *GREEDY)]
        times = [seconds_cell(figures.get(name)) for name in (ours, "greedy")]
        judged = ["", ""]
        if whole(figures, (ours, *GREEDY)):
            good = never_worse(figures, ours) and in_time(figures, ours)
            judged = [f"{allowed(figures):.4f}", "yes" if good else "NO"]
        rows.append([*shape_cells(case, figures), *errors, *times, *judged])
    return markdown(head, rows)


def errors_cell(figure: Figure | None) -> str:
    """The errors, or why there are none."""
    return "" if figure is None else str(figure.get("errors", figure.get("failed")))


def seconds_cell(figure: Figure | None) -> str:
    return "" if figure is None or "failed" in figure else f"{figure['cpu']:.4f}"


def whole(figures: Mapping[str, Figure], names: Sequence[str]) -> bool:
    """Whether each of these contenders has answered."""
    return all(name in figures and "failed" not in figures[name] for name in names)


def failures(figures: Mapping[str, Figure]) -> list[str]:
    return ["; ".join(f"{name}: {f['failed']}" for name, f in figures.items() if "failed" in f)]


def allowed(figures: Mapping[str, Figure]) -> float:
    return SLOWER_FACTOR * float(figures["greedy"]["cpu"]) + SPARE_SECONDS


def in_time(figures: Mapping[str, Figure], ours: str) -> bool:
    return float(figures[ours]["cpu"]) <= allowed(figures)


def never_worse(figures: Mapping[str, Figure], ours: str) -> bool:
    return bool(figures[ours]["errors"] <= min(figures[name]["errors"] for name in GREEDY))


def incumbent_verdicts(results: Results, ours: str) -> list[Verdict]:
    answered = [one for one in results.values() if whole(one, (ours, *GREEDY))]
    good = sum(never_worse(figures, ours) for figures in answered)
    quick = sum(in_time(figures, ours) for figures in answered)
    n_cases = len(results)
    ratio = geometric_mean([one[ours]["cpu"] / one["greedy"]["cpu"] for one in answered])
    return [
        (f"{ratio:.2f} times the time of greedy in the geometric mean", True),
        (f"no worse than either greedy tree on {good} of {n_cases}", good == n_cases),
        (f"within {SLOWER_FACTOR} x greedy + {SPARE_SECONDS} s on {quick}", quick == n_cases),
    ]


def memory(results: Results) -> str:
    """The same search with the default limit and with a tenth of what it used."""
    head = (
        "table, n, p, limit, value, proved, MB, CPU s, limit MB, value, proved, MB, peak MB, "
        "CPU s, ok"
    )
    rows = []
    for case, figures in results.items():
        row = shape_cells(case, figures)
        if not whole(figures, ("free", "tight")):
            rows.append([*row, *failures(figures), *[""] * 10])
            continue
        free, tight = figures["free"], figures["tight"]
        value, was_proved, cpu = value_cells(case, free)
        row += [value, was_proved, megabytes(memory_of(free)), cpu, megabytes(tight["limit"])]
        value, was_proved, cpu = value_cells(case, tight)
        row += [value, was_proved, megabytes(memory_of(tight)), megabytes(tight["peak"]), cpu]
        rows.append([*row, "yes" if keeps_limit(case, figures) else "NO"])
    return markdown(head, rows)


def megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 2**20:.1f}"


def keeps_limit(case: Case, figures: Mapping[str, Figure]) -> bool:
    """Within a tenth of the limit (the peak of the process: and what it takes anyway), and no value
    that contradicts the other run."""
    if not whole(figures, ("free", "tight")):
        return False
    free, tight = figures["free"], figures["tight"]
    same = value_of(case, free) == value_of(case, tight) or not (proved(free) and proved(tight))
    most = MEMORY_EXCESS * tight["limit"]
    return same and memory_of(tight) <= most and tight["peak"] <= most + PROCESS_BYTES


def memory_verdicts(results: Results) -> list[Verdict]:
    kept = sum(keeps_limit(case, figures) for case, figures in results.items())
    return [(f"limit kept, value the same on {kept} of {len(results)}", kept == len(results))]


def contradictions(results: Results) -> list[Verdict]:
    """Every value that what is known excludes."""
    return [
        (f"{case.name}: {name} says {shown(case, value_of(case, figure))}, known is {known}", False)
        for case, figures in results.items()
        for name, figure in figures.items()
        if "failed" not in figure and figure["proved"] is not None
        and case.agrees(value_of(case, figure), bool(figure["proved"])) is False
        for known in [known_cells(case, figure)[0]]
    ]  # fmt: skip


def body(family: str, results: Results, ours: str) -> tuple[str, list[Verdict]]:
    """The table of one family and what it shows."""
    match family:
        case "binary":
            theirs = "pystreed"
            return versus(results, ours, theirs), binary_verdicts(results, ours, theirs)
        case "continuous":
            theirs = "pycontree"
            return versus(results, ours, theirs), continuous_verdicts(results, ours, theirs)
        case "incumbent":
            return incumbent(results, ours), incumbent_verdicts(results, ours)
        case "memory":
            return memory(results), memory_verdicts(results)
    return alone(results, ours), alone_verdicts(results, ours)


def section(family: str, results: Results, ours: str) -> tuple[str, bool]:
    """The table of one family with its verdicts, and whether all is as it should be."""
    table, judged = body(family, results, ours)
    ran = any(ours in figures or "free" in figures for figures in results.values())
    verdicts = [*(judged if ran else ()), *contradictions(results)]
    lines = [f"- {text}: {'met' if met else 'MISSED'}" for text, met in verdicts]
    missing = [f"- no file here: {', '.join(NO_FILE[family])}"] if family in NO_FILE else []
    text = "\n".join([f"## {family}", "", table, "", *lines, *missing, ""])
    return text, all(met for _, met in verdicts)
