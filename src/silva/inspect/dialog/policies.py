"""What becomes of answers that are no value: "I do not know" and "another value"."""

from silva.inspect.dialog.known import Known, known_part
from silva.inspect.dialog.phrases import values_words
from silva.inspect.dialog.source import Source
from silva.inspect.dialog.walk import narrowed
from silva.inspect.rules.conditions import is_empty
from silva.tree.splits import STOP, Distance, Oblique, Split, has_own_branch, n_known_children


def unknown_way(source: Source, node: int, known: Known, refused: bool) -> str:
    """Where "I do not know" leads."""
    name = source.lexicon.names[known.values.column]
    if refused:
        return f"not possible, the model refuses rows without {name}"
    split = source.split(node)
    if split is None:
        return "the model of the leaf leaves its term out"
    return _way(source, node, split, split.missing_child, known)


def unseen_way(source: Source, node: int, known: Known, refused: bool) -> str:
    """Where "another value" leads."""
    name = source.lexicon.names[known.values.column]
    if refused:
        return f"not possible, the model refuses other values of {name}"
    split = source.split(node)
    if split is None:
        return "the model of the leaf leaves its term out"
    return _way(source, node, split, unseen_child(split), known)


def unseen_child(split: Split) -> int:
    """The child of unseen values, which splits of several columns treat as missing."""
    return split.missing_child if isinstance(split, Oblique | Distance) else split.unseen_child


def _way(source: Source, node: int, split: Split, child: int, known: Known) -> str:
    if child == STOP:
        return f"ends here with the prediction {source.prediction_words(source.constant(node))}"
    if has_own_branch(split) and child == n_known_children(split):
        return "takes the branch of missing values"
    why = "the larger branch" if child == source.larger_child(node) else "learned in training"
    told = "" if isinstance(split, Oblique | Distance) else _child_words(source, node, child, known)
    if told:
        return f"counts as {told}, {why}"
    return f"takes {why}" if why == "the larger branch" else f"takes the branch {why}"


def _child_words(source: Source, node: int, child: int, known: Known) -> str:
    """The known values that lead to a child; "" if there are none."""
    values = dict(source.ways(node)).get(child)
    part = None if values is None else known_part(narrowed(known.values, values))
    return "" if part is None or is_empty(part) else values_words(part, source)
