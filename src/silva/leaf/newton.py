"""Newton's method with step halving, for many small logistic models at once.

Each round asks the core once for the sums over rows of every model that is not finished.
"""

import math
from dataclasses import dataclass

import numpy as np

from silva.leaf.terms import Group, LeafData

MOST_ROUNDS = 200
MOST_HALVINGS = 40
CONVERGED = 1e-12
"""A step that promises less than this share of the loss is the last; rounding may hide its gain."""

CHUNK_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class Problem:
    """One class against the rest in a leaf: its terms, its weight and the share of the class."""

    group: Group
    code: int
    weight: float
    share: float


@dataclass(frozen=True, slots=True)
class Fit:
    """Standardised coefficients (intercept first), their loss, and the range of the log-odds."""

    coefficients: np.ndarray
    loss: float
    low: float
    high: float


class _Descent:
    """One model on its way down: the last point accepted and the step being tried."""

    def __init__(self, problem: Problem, ridge: float) -> None:
        size = len(problem.group.terms) + 1
        self.problem = problem
        self.penalty = np.full(size, ridge)
        self.penalty[0] = 0.0
        self.fit = Fit(np.zeros(size), math.inf, 0.0, 0.0)
        self.tried = np.zeros(size)
        self.tried[0] = math.log(problem.share) - math.log1p(-problem.share)
        self.step = np.zeros(size)
        self.objective = math.inf
        self.halvings = 0
        self.is_last = False
        self.finished = False

    def judge(self, sums: tuple[float, np.ndarray, np.ndarray, float, float]) -> None:
        """Take the point that was tried and set out on a new step, or try half of the old one."""
        loss, gradient, hessian, low, high = sums
        objective = loss + 0.5 * float(self.penalty @ self.tried**2)
        slack = CONVERGED * self.objective if self.is_last else 0.0
        if objective <= self.objective + slack:
            self.fit, self.objective = Fit(self.tried, loss, low, high), objective
            self._set_out(gradient + self.penalty * self.tried, hessian)
        else:
            self._halve()

    def _set_out(self, slope: np.ndarray, hessian: np.ndarray) -> None:
        try:
            self.step = -np.linalg.solve(hessian + np.diag(self.penalty), slope)
        except np.linalg.LinAlgError:
            self.step = np.zeros_like(slope)
        promised = -0.5 * float(slope @ self.step)
        self.finished = self.is_last or not promised > 0.0
        self.is_last = promised <= CONVERGED * self.objective
        self.halvings = 0
        self.tried = self.fit.coefficients + self.step

    def _halve(self) -> None:
        self.step = 0.5 * self.step
        self.halvings += 1
        self.finished = self.is_last or self.halvings > MOST_HALVINGS
        self.tried = self.fit.coefficients + self.step


def minimise(data: LeafData, problems: list[Problem], ridge: float) -> list[Fit]:
    """The coefficients that minimise loss + ridge / 2 * (sum of squares without the intercept)."""
    descents = [_Descent(problem, ridge) for problem in problems]
    for part in _parts(descents):
        _descend(data, part)
    return [descent.fit for descent in descents]


def _descend(data: LeafData, descents: list[_Descent]) -> None:
    running = descents
    for _ in range(MOST_ROUNDS):
        if not running:
            return
        sums = data.logistic(
            [one.problem.group for one in running],
            [one.problem.code for one in running],
            [one.tried for one in running],
        )
        for one, found in zip(running, sums, strict=True):
            one.judge(found)
        running = [one for one in running if not one.finished]


def _parts(descents: list[_Descent]) -> list[list[_Descent]]:
    """The models in parts whose Hessians fit in a bounded piece of memory."""
    parts: list[list[_Descent]] = []
    cells = CHUNK_CELLS
    for one in descents:
        if cells >= CHUNK_CELLS:
            parts.append([])
            cells = 0
        parts[-1].append(one)
        cells += len(one.penalty) ** 2
    return parts
