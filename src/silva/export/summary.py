"""Summaries of fits as text: the size of a model, and its figures beside the baseline's."""

from collections.abc import Mapping

from silva.data.table import Task
from silva.ensemble.boost import Stop
from silva.inspect.boost_summary import BoostSummary
from silva.inspect.forest_summary import ForestSummary
from silva.inspect.summary import BASELINE, MEASURE, Comparison, Summary
from silva.messages import counted

GUARANTEED = "guaranteed"
GUARANTEE = "  guaranteed: new rows are predicted at least this accurately, with 95% confidence"
SECOND: dict[Task, tuple[str, str]] = {"classification": ("auc", "AUC"), "regression": ("r2", "R2")}
CHOSE = "  pruning looked at the validation rows: this score is optimistic"
NO_FIGURES = "  set oob_score=True, or give X_val and y_val, to learn how it does on new rows"
WHY: dict[Stop | None, str] = {
    None: "",
    "perfect": "; stopped at a tree without errors",
    "chance": "; stopped where a tree was no better than chance",
    "interrupted": "; interrupted",
}


def tree_summary(found: Summary) -> str:
    """What `print(model.summary_)` shows of one tree."""
    head = f"{counted(found.leaves, 'leaf', 'leaves')}, depth {found.depth}"
    measure, baseline = MEASURE[found.task], BASELINE[found.task]
    given = "validation" if found.chose else "held-out"
    parts = {"training": found.train, given: found.held_out}
    floors = {"training": found.train_floor, given: found.held_out_floor}
    lines = _table(found.task, "tree", baseline, parts, floors)
    return "\n".join([f"{head}; {measure}:", *lines, *([CHOSE] if found.chose else [])])


def forest_summary(found: ForestSummary) -> str:
    """What `print(model.summary_)` shows of a forest."""
    head = (
        f"{counted(found.trees, 'tree', 'trees')}, {found.leaves:.1f} leaves each,"
        f" depth at most {found.depth}; {MEASURE[found.task]}:"
    )
    parts = {"out-of-bag": found.oob, "held-out": found.held_out}
    if not any(parts.values()):
        return f"{head}\n{NO_FIGURES}"
    return "\n".join([head, *_table(found.task, "forest", BASELINE[found.task], parts)])


def boost_summary(found: BoostSummary) -> str:
    """What `print(model.summary_)` shows of boosted trees."""
    head = (
        f"{counted(found.trees, 'tree', 'trees')} of at most"
        f" {counted(found.leaves, 'leaf', 'leaves')}, depth {found.depth}{WHY[found.stopped]};"
        f" {MEASURE['classification']}:"
    )
    parts = {"training": found.training, "held-out": found.held_out}
    lines = _table("classification", "boosted", BASELINE["classification"], parts)
    return "\n".join([head, *lines])


def _table(
    task: Task,
    model: str,
    baseline: str,
    parts: Mapping[str, Comparison | None],
    floors: Mapping[str, float | None] | None = None,
) -> list[str]:
    """The figures of each part as lines below their headings."""
    shown = {name: part for name, part in parts.items() if part is not None}
    firm = {name: _firm((floors or {}).get(name), part.baseline) for name, part in shown.items()}
    field, second = SECOND[task]
    figures = {name: _figure(getattr(part, field)) for name, part in shown.items()}
    columns = [(second, figures, 10), (GUARANTEED, firm, 13)]
    kept = [column for column in columns if any(column[1].values())]
    lines = [_line("", "rows", model, baseline, *((head, width) for head, _, width in kept))]
    for name, part in shown.items():
        label = f"{name} (weighted)" if part.weighted else name
        tree, other = (_text(task, figure) for figure in (part.tree, part.baseline))
        more = ((cells[name] or "-", width) for _, cells, width in kept)
        lines.append(_line(label, str(part.rows), tree, other, *more))
    return [*lines, *([GUARANTEE] if any(firm.values()) else [])]


def _line(label: str, rows: str, tree: str, baseline: str, *more: tuple[str, int]) -> str:
    cells = "".join(f"{cell:>{width}}" for cell, width in more)
    return f"  {label:<20}{rows:>10}{tree:>12}{baseline:>17}{cells}"


def _firm(floor: float | None, baseline: float) -> str:
    """A guarantee; one that the majority class exceeds without any tree says nothing."""
    return "" if floor is None or floor < baseline else f"{floor:.4f}"


def _figure(figure: float | None) -> str:
    return "" if figure is None else f"{figure:.4f}"


def _text(task: Task, value: float) -> str:
    return f"{value:.4f}" if task == "classification" else f"{value:.6g}"
