"""Slow, obvious versions of the models in leaves, written from their definitions."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from silva.data.schema import Schema
from silva.data.table import Table


def design(table: Table) -> tuple[list[tuple[int, int]], np.ndarray]:
    """The terms (column, code) and their values as float64 (rows, terms), NaN where unknown."""
    terms, values = [], []
    for number, (column, cells) in enumerate(zip(table.schema.columns, table.columns, strict=True)):
        known = np.where(cells < 0, np.nan, cells) if column.levels else cells.astype(float)
        known = np.where(np.isfinite(known), known, np.nan)
        if column.kind != "categorical":
            terms.append((number, -1))
            values.append(known)
        elif column.n_levels <= 10:
            for code in range(column.n_levels):
                terms.append((number, code))
                values.append(np.where(np.isnan(known), np.nan, known == code))
    return terms, np.array(values, dtype=float).reshape(len(terms), -1).T


@dataclass
class Standard:
    """Columns less their mean over their deviation, gaps filled with 0; constant ones dropped."""

    kept: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray
    z: np.ndarray


def standardised(x: np.ndarray, w: np.ndarray) -> Standard:
    known = ~np.isnan(x)
    filled = np.where(known, x, 0.0)
    weight = np.maximum((known * w[:, None]).sum(axis=0), 1e-300)
    mean = (filled * w[:, None]).sum(axis=0) / weight
    z = np.where(known, x - mean, 0.0)
    deviation = np.sqrt((w[:, None] * z**2).sum(axis=0) / w.sum())
    varies = np.array([len(np.unique(col[~np.isnan(col)])) > 1 for col in x.T], dtype=bool)
    kept = np.flatnonzero(varies & (deviation > 0))
    return Standard(kept, mean[kept], deviation[kept], z[:, kept] / deviation[kept])


def ridge(z: np.ndarray, y: np.ndarray, w: np.ndarray, penalty: float) -> np.ndarray:
    """Weighted least squares with penalty rows appended, by a QR factorisation."""
    root = np.sqrt(w)[:, None]
    rows = np.vstack((z * root, math.sqrt(penalty) * np.eye(z.shape[1])))
    target = np.concatenate((y * root[:, 0], np.zeros(z.shape[1])))
    return np.linalg.lstsq(rows, target, rcond=None)[0]


def aicc(weight: float, n_terms: int, residual: float) -> float:
    """-2 log-likelihood of normal errors + 2 q + its small-sample term, constants left out."""
    q = n_terms + 2
    if weight - q - 1 <= 0:
        return math.inf
    return weight * math.log(max(residual, 1e-12)) + 2 * q + 2 * q * (q + 1) / (weight - q - 1)


def forward_models(z: np.ndarray, y: np.ndarray, w: np.ndarray, penalty: float):
    """Sets of terms, each one term larger: the one that lowers the penalised error most."""
    chosen: list[int] = []
    while len(chosen) < z.shape[1]:
        scores = {}
        for term in set(range(z.shape[1])) - set(chosen):
            if told_by(z[:, chosen], z[:, term], w):
                continue
            tried = sorted([*chosen, term])
            b = ridge(z[:, tried], y, w, penalty)
            error = (w * (y - z[:, tried] @ b) ** 2).sum() + penalty * (b**2).sum()
            scores[term] = error
        if not scores:
            return
        chosen.append(min(scores, key=lambda term: (scores[term], term)))
        yield sorted(chosen)


def told_by(others: np.ndarray, column: np.ndarray, w: np.ndarray) -> bool:
    """Whether a column of deviation 1 is a linear function of the others."""
    b = ridge(others, column, w, 0.0)
    return bool((w * (column - others @ b) ** 2).sum() / w.sum() < 1e-9)


def chosen_ridge(z: np.ndarray, y: np.ndarray, w: np.ndarray, penalty: float):
    """The forward model of least AICc (y has mean 0 and deviation 1), and all criteria."""
    best, answer, criteria = aicc(w.sum(), 0, 1.0), ([], np.zeros(0)), []
    criteria.append(best)
    waited = 0
    for terms in forward_models(z, y, w, penalty):
        b = ridge(z[:, terms], y, w, penalty)
        residual = (w * (y - z[:, terms] @ b) ** 2).sum() / w.sum()
        criteria.append(aicc(w.sum(), len(terms), residual))
        waited += 1
        if criteria[-1] < best:
            best, answer, waited = criteria[-1], (terms, b), 0
        if waited == 5:
            break
    return *answer, criteria


def logistic(z: np.ndarray, is_class: np.ndarray, w: np.ndarray, penalty: float) -> np.ndarray:
    """Intercept and weights that minimise the penalised loss, by a general optimiser."""

    def loss(b):
        odds = b[0] + z @ b[1:]
        slope = 1 / (1 + np.exp(-odds)) - is_class
        value = (w * (np.logaddexp(0, odds) - is_class * odds)).sum()
        gradient = np.concatenate(([(w * slope).sum()], z.T @ (w * slope) + penalty * b[1:]))
        return value + penalty / 2 * (b[1:] ** 2).sum(), gradient

    start = np.zeros(z.shape[1] + 1)
    options = {"gtol": 1e-10, "maxiter": 10_000}
    return minimize(loss, start, jac=True, method="BFGS", options=options).x


def answer(linear, model: int, schema: Schema, row: list[float]) -> float:
    """What a stored model tells a row of codes and numbers, one entry after the other."""
    total = linear.intercept[model]
    for entry in range(linear.start[model], linear.start[model + 1]):
        x = row[linear.column[entry]]
        coded = schema.columns[linear.column[entry]].levels is not None
        if not math.isfinite(x) or (coded and x < 0):
            continue
        if linear.code[entry] >= 0:
            x = float(x == linear.code[entry])
        total += linear.weight[entry] * (x - linear.center[entry])
    return min(max(total, linear.low[model]), linear.high[model])


def all_subsets(n_terms: int):
    """Every set of terms."""
    sizes = range(n_terms + 1)
    return itertools.chain.from_iterable(itertools.combinations(range(n_terms), k) for k in sizes)
