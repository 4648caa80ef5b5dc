"""Which of C4.5's generalised rules are kept, in which order, and the default class."""

import math

import numpy as np
from scipy.special import gammaln

from silva.inspect.rules.c45_drafts import Draft, Rows, Sole

THEORY = 0.5
"""What a bit of a rule counts beside a bit that names a wrongly covered row."""


def ordered(drafts: list[Draft], rows: Rows, n_classes: int) -> tuple[list[Draft], int]:
    """The rules that are kept, in their order, and the default class."""
    kept = {
        code: shortest([one for one in drafts if one.code == code], code, rows)
        for code in range(n_classes)
    }
    found: list[Draft] = []
    left = np.ones(len(rows.codes), dtype=bool)
    while kept:
        wrong = {code: _false_positives(kept[code], code, rows, left) for code in kept}
        code = min(kept, key=lambda one: (wrong[one], one))
        chosen = sorted(kept.pop(code), key=lambda one: (one.rate, one.node))
        found += chosen
        for one in chosen:
            left &= ~one.covered
    default = _default(rows, left, n_classes)
    return polished(found, default, rows), default


def _false_positives(drafts: list[Draft], code: int, rows: Rows, left: np.ndarray) -> float:
    covered = np.any([one.covered for one in drafts], axis=0) if drafts else np.zeros_like(left)
    return float(rows.weights[covered & left & (rows.codes != code)].sum())


def _default(rows: Rows, left: np.ndarray, n_classes: int) -> int:
    """The class with most weight among the rows left, then among all; the first of equals."""
    known = rows.codes >= 0
    among, total = (
        np.bincount(rows.codes[part], rows.weights[part], minlength=n_classes)
        for part in (known & left, known)
    )
    return max(range(n_classes), key=lambda code: (among[code], total[code], -code))


def shortest(drafts: list[Draft], code: int, rows: Rows) -> list[Draft]:
    """The rules of a class that describe it most briefly."""
    kept = dict(enumerate(drafts))
    bits = np.array([_bits(one, rows) for one in drafts])
    covering = Sole.of([one.covered for one in drafts], len(rows.codes))
    of_class, others = (
        np.where(is_it, rows.weights, 0.0) for is_it in (rows.codes == code, rows.codes != code)
    )
    total = (float(of_class.sum()), float(others.sum()))
    covered = covering.times > 0
    right, wrong = float(of_class[covered].sum()), float(others[covered].sum())
    theory = float(bits.sum())
    cost = float(_description(right, wrong, total, theory, len(kept)))
    while kept:
        rights, wrongs = right - covering.sums(of_class), wrong - covering.sums(others)
        costs = _description(rights, wrongs, total, theory - bits, len(kept) - 1)
        dropped = min(kept, key=lambda i: costs[i])
        if costs[dropped] >= cost:
            break
        cost, right, wrong = (float(one[dropped]) for one in (costs, rights, wrongs))
        theory -= float(bits[dropped])
        covering.remove(dropped)
        del kept[dropped]
    return list(kept.values())


def _bits(draft: Draft, rows: Rows) -> float:
    """The bits of a rule: of each condition its column and one of the column's values or levels;
    the order of the conditions says nothing."""
    count = len(draft.conditions)
    each = math.log2(len(rows.table.schema)) + math.log2(max(2, len(rows.codes)))
    return max(0.0, count * each - math.lgamma(count + 1) / math.log(2))


def _description(
    right: np.ndarray | float,
    wrong: np.ndarray | float,
    total: tuple[float, float],
    bits: np.ndarray | float,
    n_rules: int,
) -> np.ndarray:
    """The bits of rules and of the rows on which they are wrong.

    The rules cover rows of the class (`right`) and others (`wrong`); `total` are all of both.
    """
    inside, lacking = right + wrong, total[0] - right
    exceptions = _choices(inside, wrong) + _choices(sum(total) - inside, lacking)
    theory = np.maximum(0.0, bits - math.lgamma(n_rules + 1) / math.log(2))
    return np.asarray(exceptions + THEORY * theory)


def _choices(n: np.ndarray | float, k: np.ndarray | float) -> np.ndarray:
    """The bits that name k of n rows."""
    rest = np.maximum(n - k, 0.0)
    ways = gammaln(np.maximum(n, 0.0) + 1) - gammaln(np.maximum(k, 0.0) + 1) - gammaln(rest + 1)
    return np.asarray(ways / math.log(2))


def first_match(drafts: list[Draft], default: int, rows: Rows) -> np.ndarray:
    """The class code that the list predicts for each row."""
    found = np.full(len(rows.codes), default, dtype=np.int64)
    for draft in reversed(drafts):
        found[draft.covered] = draft.code
    return found


def polished(drafts: list[Draft], default: int, rows: Rows) -> list[Draft]:
    """Without the rules whose omission makes no more errors, the last ones first."""
    kept = list(drafts)
    errors = rows.errors(first_match(kept, default, rows))
    for draft in reversed(drafts):
        without = [one for one in kept if one is not draft]
        fewer = rows.errors(first_match(without, default, rows))
        if fewer <= errors:
            kept, errors = without, fewer
    return kept
