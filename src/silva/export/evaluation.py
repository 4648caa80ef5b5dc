"""Measures of a model as text: figures beside the baseline's, classes, the confusion matrix."""

from collections.abc import Mapping, Sequence

from silva.inspect.evaluation import BASELINE, ClassFigures, Evaluation, Figure
from silva.messages import counted
from silva.tree import words

MOST_CLASSES = 20


def evaluation_text(found: Evaluation) -> str:
    """What `print(evaluation)` shows."""
    weighted = ", weighted" if found.weighted else ""
    head = f"{found.title} on {counted(found.rows, 'row')}{weighted}"
    lines = [f"{head}; baseline: {BASELINE[found.task]}", *_figure_lines(found.figures)]
    if found.impossible:
        rows = counted(found.impossible, "row")
        lines.append(f"  the log loss is infinite: {rows} got probability 0 for the true class")
    if len(found.classes) > 2:
        lines.append("  AUC is the mean over the classes, each against the rest")
    if found.classes:
        lines += ["", *_class_lines(found.classes), "", *_confusion_lines(found)]
    return "\n".join(lines)


def _confusion_lines(found: Evaluation) -> list[str]:
    assert found.confusion is not None
    if len(found.classes) > MOST_CLASSES:
        return [f"confusion matrix: {len(found.classes)} classes, see to_dict()"]
    labels = [words.value(one) for one in found.labels]
    known = labels[: found.confusion.shape[1]]
    widths = [max(8, len(one) + 2) for one in known]
    first = max(10, *(len(one) for one in labels)) + 2
    heads = "".join(f"{one:>{width}}" for one, width in zip(known, widths, strict=True))
    lines = ["confusion matrix (lines: true class, columns: predicted class)"]
    lines.append(f"  {'':<{first}}{heads}")
    for label, counts in zip(labels, found.confusion.tolist(), strict=True):
        cells = "".join(f"{one:>{w}.6g}" for one, w in zip(counts, widths, strict=True))
        lines.append(f"  {label:<{first}}{cells}")
    return lines


def _figure_lines(figures: Sequence[Figure]) -> list[str]:
    lines = [f"  {'':<20}{'model':>12}{'baseline':>12}   95% interval of the model"]
    for one in figures:
        interval = _interval(one.low, one.high)
        lines.append(f"  {one.measure:<20}{_figure(one.model)}{_figure(one.baseline)}   {interval}")
    return [line.rstrip() for line in lines]


def _figure(value: float | None) -> str:
    return f"{'not defined':>12}" if value is None else f"{value:>12.5g}"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.5g} to {high:.5g}"


def _class_lines(classes: Sequence[ClassFigures]) -> list[str]:
    shown = classes[:MOST_CLASSES]
    width = max(8, *(len(words.value(one.label)) for one in shown)) + 2
    lines = [f"  {'class':<{width}}{'rows':>8}{'precision':>11}{'':<20}{'recall':>8}{'F1':>27}"]
    for one in shown:
        cells: Mapping[str, str] = {
            name: f"{_cell(getattr(one, name)):>8} {_between(one, name):<18}"
            for name in ("precision", "recall")
        }
        label = words.value(one.label)
        shares = f"{cells['precision']} {cells['recall']}{_cell(one.f1):>8}"
        lines.append(f"  {label:<{width}}{one.rows:>8.6g}   {shares}")
    hidden = len(classes) - len(shown)
    lines += [f"  and {counted(hidden, 'more class', 'more classes')}"] if hidden else []
    return [line.rstrip() for line in lines]


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _between(one: ClassFigures, name: str) -> str:
    low, high = getattr(one, f"{name}_low"), getattr(one, f"{name}_high")
    return "" if low is None else f"({low:.3f} to {high:.3f})"
