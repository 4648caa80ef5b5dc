"""The arithmetic of the category study and its tables in Markdown.

Scores are arrays of fold scores, a row for each shuffle. Differences are printed in points (100
times the score). A method without figures for a table is left out there.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from benchmarks.category_methods import METHODS, PAIRS, Family
from benchmarks.category_tables import AS_THEY_COME, CLEAN, COLUMNS, JUNK, NAMED, USEFUL
from benchmarks.prune_sets import SETS, half

Scores = dict[tuple[str, str, str], np.ndarray]
"""By table, variant and method."""

TASKS = ("classification", "regression")
HALVES = {0: "choice half", 1: "report half"}
FAMILIES: dict[Family, str] = {"tree": "trees", "forest": "forests", "boosting": "boosting"}
TARGETS: dict[Family, tuple[float, float]] = {"tree": (1.0, 0.3), "forest": (0.5, 0.1)}
"""The largest mean loss by a useless column, in points, and the one aimed at."""

KEPT_TARGET = 0.9
LEAST_WIN = 0.01
"""A share of the plain gain's win is judged on tables where it wins at least this much."""

SAME = 6
"""Scores are compared by this many decimals."""


def report(scores: Scores, names: Sequence[str]) -> str:
    """All tables, those of half 1 beside those of half 0."""
    sections = [loss_section(scores, names, family) for family in FAMILIES]
    sections += [useful_section(scores, names), kept_section(scores, names)]
    sections += [clean_section(scores, names), named_section(scores, names)]
    return "\n\n".join(section for section in sections if section)


def difference(scores: Scores, table: str, method: str, more: str, less: str) -> float | None:
    """The mean score of one variant minus that of another; None where one is missing."""
    first, second = scores.get((table, more, method)), scores.get((table, less, method))
    if first is None or second is None:
        return None
    return float(first.mean() - second.mean())


def mean_of(found: Iterable[float | None]) -> float | None:
    present = [one for one in found if one is not None]
    return float(np.mean(present)) if present else None


def mean_loss(scores: Scores, names: Sequence[str], method: str, variant: str) -> float | None:
    """Clean score minus score with the column, mean over the tables."""
    return mean_of(difference(scores, name, method, CLEAN, variant) for name in names)


def mean_losses(scores: Scores, names: Sequence[str], method: str) -> dict[str, float | None]:
    """The mean loss by each useless column, and under "mean" their mean."""
    losses = {variant: mean_loss(scores, names, method, variant) for variant in JUNK}
    return {**losses, "mean": mean_of(losses.values())}


def table_losses(scores: Scores, names: Sequence[str], method: str) -> list[float]:
    """The mean loss by a useless column on each table that is there."""
    found = [mean_losses(scores, [name], method)["mean"] for name in names]
    return [one for one in found if one is not None]


def loss_error(losses: Sequence[float]) -> float | None:
    """The standard error of the mean over the tables."""
    return float(np.std(losses, ddof=1) / np.sqrt(len(losses))) if len(losses) > 1 else None


def win(scores: Scores, table: str, method: str) -> float | None:
    """Score with the useful town minus clean score."""
    return difference(scores, table, method, USEFUL, CLEAN)


def wins_of_both(scores: Scores, names: Sequence[str], fair: str, plain: str) -> np.ndarray:
    """A row (win of fair, win of plain) for each table that has both."""
    pairs = ((win(scores, name, fair), win(scores, name, plain)) for name in names)
    return np.array([pair for pair in pairs if None not in pair], float).reshape(-1, 2)


def kept_share(wins: np.ndarray) -> float | None:
    """The mean win of fair over that of plain; None where plain wins nothing on average."""
    if not len(wins) or wins[:, 1].mean() <= 0:
        return None
    return float(wins[:, 0].mean() / wins[:, 1].mean())


def enough(wins: np.ndarray) -> np.ndarray:
    """The tables where plain wins enough for a share of it to mean something."""
    return wins[wins[:, 1] >= LEAST_WIN]


def mean_share(wins: np.ndarray) -> float | None:
    """The mean of the tables' own shares."""
    return mean_of(wins[:, 0] / wins[:, 1])


def standard_error(differences: np.ndarray) -> float:
    """Of the mean over the folds of a shuffle, averaged over the shuffles."""
    n_folds = differences.shape[1]
    return float((differences.std(axis=1, ddof=1) / np.sqrt(n_folds)).mean())


def compared(scores: Scores, table: str, fair: str, plain: str) -> tuple[float, float] | None:
    """Fair minus plain on the clean table, and the standard error of that."""
    first, second = scores.get((table, CLEAN, fair)), scores.get((table, CLEAN, plain))
    if first is None or second is None:
        return None
    return float((first - second).mean()), standard_error(first - second)


def rank_of_fair(difference: float) -> float:
    """1 where fair is better, 2 where it is worse, 1.5 for a tie."""
    return 1.5 - 0.5 * float(np.sign(round(difference, SAME)))


def by_half(names: Sequence[str]) -> dict[str, list[str]]:
    """The tables of each half, those that there are."""
    parts = {HALVES[one]: [name for name in names if half(name) == one] for one in (1, 0)}
    return {title: part for title, part in parts.items() if part}


def of_task(names: Sequence[str], task: str) -> list[str]:
    return [name for name in names if SETS[name].task == task]


def methods_in(scores: Scores, family: Family | None = None) -> list[str]:
    known = {method for _, _, method in scores}
    return [one for one in METHODS if one in known and family in (None, METHODS[one].family)]


def loss_section(scores: Scores, names: Sequence[str], family: Family) -> str:
    """The loss by each useless column; the last column judges the mean."""
    methods = methods_in(scores, family)
    if not methods:
        return ""
    lines = []
    for title, part in by_half(names).items():
        for method in methods:
            losses = mean_losses(scores, part, method)
            apart = [mean_losses(scores, of_task(part, task), method)["mean"] for task in TASKS]
            single = table_losses(scores, part, method)
            spread = (loss_error(single), float(np.median(single)) if single else None)
            row = [points(loss) for loss in (*losses.values(), *spread, *apart)]
            lines.append([method, title, *row, verdict(losses["mean"], family)])
    head = [FAMILIES[family], "tables", *JUNK, "mean", "its error"]
    head += ["median table", "of accuracy", "of R2", "target"]
    return titled(f"Loss by a useless column, {FAMILIES[family]}, points", head, lines)


def verdict(loss: float | None, family: Family) -> str:
    if loss is None or family not in TARGETS:
        return ""
    most, aim = TARGETS[family]
    if 100 * loss <= aim:
        return f"aim met (<= {aim:g})"
    return f"met (<= {most:g})" if 100 * loss <= most else f"missed (<= {most:g})"


def useful_section(scores: Scores, names: Sequence[str]) -> str:
    """What the useful town wins over leaving it out."""
    parts = by_half(names)
    lines = []
    for method in methods_in(scores):
        wins = [mean_of(win(scores, one, method) for one in part) for part in parts.values()]
        lines.append([method, *map(points, wins)])
    return titled("Win by the useful town over leaving it out, points", ["method", *parts], lines)


def kept_section(scores: Scores, names: Sequence[str]) -> str:
    """What fair keeps of the wins of plain."""
    lines = []
    for title, part in by_half(names).items():
        for fair, plain in PAIRS:
            wins = wins_of_both(scores, part, fair, plain)
            if len(wins):
                lines.append([fair, title, *kept_cells(wins)])
    head = ["method", "tables", "win of fair", "win of plain", "kept", "where plain wins"]
    head += ["kept there", "mean share there", f"target there (>= {KEPT_TARGET:.0%})"]
    title = "Share of the plain gain's win by the useful town that the fair gain keeps"
    return titled(title, head, lines) if lines else ""


def kept_cells(wins: np.ndarray) -> list[str]:
    """Of all tables, then of those where plain wins at least a point, which are judged."""
    there = enough(wins)
    share = kept_share(there)
    is_met = "" if share is None else ("met" if share >= KEPT_TARGET else "missed")
    of_all = [*map(points, wins.mean(axis=0)), percent(kept_share(wins)) or "plain wins nothing"]
    count = f"{len(there)} of {len(wins)} tables"
    return [*of_all, count, percent(share), percent(mean_share(there)), is_met]


def clean_section(scores: Scores, names: Sequence[str]) -> str:
    """Fair against plain where nothing was added."""
    lines = []
    for title, part in by_half(names).items():
        for fair, plain in PAIRS:
            found = {name: compared(scores, name, fair, plain) for name in part}
            present = {name: pair for name, pair in found.items() if pair is not None}
            if present:
                lines.append([fair, title, *clean_cells(present)])
    head = ["method", "tables", "mean difference, points", "mean rank (plain's is 3 less it)"]
    title = "Clean tables: fair against plain"
    return titled(title, [*head, "worse by more than a standard error"], lines) if lines else ""


def clean_cells(found: dict[str, tuple[float, float]]) -> list[str]:
    mean = mean_of(one for one, _ in found.values())
    rank = np.mean([rank_of_fair(one) for one, _ in found.values()])
    worse = [
        f"{name} ({points(one)}, error {points(error)})"
        for name, (one, error) in found.items()
        if round(one, SAME) < -error
    ]
    count = f"{len(worse)} of {len(found)}"
    return [points(mean), f"{rank:.2f}", ": ".join(filter(None, [count, ", ".join(worse)]))]


def details(scores: Scores, names: Sequence[str]) -> str:
    """A table for each method: its clean score on every table, and what each column adds."""
    return "\n\n".join(detail_section(scores, names, one) for one in methods_in(scores))


def detail_section(scores: Scores, names: Sequence[str], method: str) -> str:
    lines = []
    for name in names:
        clean = scores.get((name, CLEAN, method))
        if clean is not None:
            added = [points(difference(scores, name, method, one, CLEAN)) for one in COLUMNS]
            lines.append([name, str(half(name)), f"{clean.mean():.3f}", *added])
    return titled(f"{method}: points won", ["table", "half", "clean score", *COLUMNS], lines)


def named_section(scores: Scores, names: Sequence[str]) -> str:
    """Scores on tables with the names of their rows, without them in brackets."""
    tables = [name for name in NAMED if name in names]
    lines = [
        [method, *(beside(scores, table, method) for table in tables)]
        for method in methods_in(scores)
    ]
    title = "Tables as they come, with the names of their rows (score without them)"
    return titled(title, ["method", *tables], lines) if tables else ""


def beside(scores: Scores, table: str, method: str) -> str:
    found = [scores.get((table, variant, method)) for variant in (AS_THEY_COME, CLEAN)]
    if found[0] is None or found[1] is None:
        return ""
    return f"{found[0].mean():.3f} ({found[1].mean():.3f})"


def titled(title: str, head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A heading and a table in Markdown."""
    rule = "|---" * len(head) + "|"
    rows = ["| " + " | ".join(cells) + " |" for cells in (head, *lines)]
    return "\n".join([f"### {title}", "", rows[0], rule, *rows[1:]])


def points(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.2f}"


def percent(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"
