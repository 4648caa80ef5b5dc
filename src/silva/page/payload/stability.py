"""How much the tree owes to the rows it happened to see: a record of `silva.stability`."""

from typing import Any

import numpy as np

from silva.inspect.record import plain
from silva.inspect.stability import Stability, mean_pair, range_words
from silva.messages import counted
from silva.page.payload.privacy import masked
from silva.tree.words import number, percent

MOST_CUTS = 5
N_BINS = 10


def stability(record: Stability | None, min_cell: int | None = None) -> dict[str, Any] | None:
    """The record without its rows: sizes, distances, cuts of each level, and bins of disagreement.

    `disagreement` counts rows by their share of pairs of trees that tell them different classes (of
    numbers, by mean difference): bins of equal width from 0 to the largest.
    """
    if record is None:
        return None
    is_few = min_cell is not None and record.n_kept < min_cell
    return {
        "words": "" if is_few else str(record),
        "summary": _summary(record, is_few),
        "samples": record.samples,
        "share": record.share,
        "rows_kept": None if is_few else record.n_kept,
        "leaves": record.leaves.tolist(),
        "depths": record.depths.tolist(),
        "answers_apart": mean_pair(record.answer_distance),
        "structure_apart": mean_pair(record.structure_distance),
        "central": record.central,
        "disagreement": _bins(record.disagreement, min_cell),
        "levels": [_level(record, level) for level in range(len(record.cuts.column_share))],
        "bias_variance": plain(record.bias_variance) if record.bias_variance else None,
    }


def _summary(record: Stability, is_few: bool) -> str:
    """Sizes of the trees, and how far two of them are apart."""
    rows = "" if is_few else f", each on {counted(record.n_kept, 'row')}"
    apart = mean_pair(record.answer_distance)
    differ = f"have predictions {number(apart, 4)} apart (root mean square)"
    if record.task == "classification":
        differ = f"predict different classes for {percent(apart)} of the rows"
    return (
        f"{counted(record.samples, record.unit)} were grown{rows} ({percent(record.share)} of all)."
        f" They have {range_words(record.leaves)} leaves and depth {range_words(record.depths)}."
        f" Two of them {differ}; their structure is"
        f" {number(mean_pair(record.structure_distance), 3)} apart"
        f" ({record.meaning})."
    )


def _bins(values: np.ndarray, min_cell: int | None) -> dict[str, Any]:
    high = float(values.max())
    counts = np.histogram(values, N_BINS, (0.0, high or 1.0))[0].tolist()
    return {"high": high, "rows": masked(counts, min_cell)}


def _level(record: Stability, level: int) -> dict[str, Any]:
    """The columns that trees ask about at a level, and their most frequent cuts."""
    share = record.cuts.column_share[level]
    order = np.argsort(-share, kind="stable")
    cuts = [cut for cut in record.cuts.cuts if cut.level == level][:MOST_CUTS]
    return {
        "columns": [[record.cuts.columns[one], float(share[one])] for one in order if share[one]],
        "cuts": [[cut.short_words, cut.trees] for cut in cuts],
    }
