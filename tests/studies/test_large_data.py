"""How time and memory grow with the table: the fits, the table of figures, the curves."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import large_data
from benchmarks.large_data import Cost, Fit

COST = Cost(0.25, 0.5, 3 * 2**20)


def test_one_thing_varies_in_each_sweep():
    for sweep, fits in large_data.sweeps(4).items():
        fixed = {replace(fit, **{sweep: getattr(fits[0], sweep)}, model="tree") for fit in fits}
        assert len(fixed) == 1
        assert len(set(fits)) == len(fits)


def test_no_more_threads_than_there_are():
    assert max(fit.threads for fit in large_data.sweeps(3)["threads"]) == 2


def test_tables_are_as_asked():
    X, y = large_data.table_of(Fit(rows=3_000, classes=7, missing=0.2))
    assert X.shape == (3_000, 20)
    assert np.isnan(X).mean() == pytest.approx(0.2, abs=0.02)
    assert np.bincount(y).tolist() == [429, 429, 428, 429, 428, 429, 428]
    X, _ = large_data.table_of(Fit(rows=100, columns=50, filled=0.1))
    assert X.nnz == Fit(rows=100, columns=50, filled=0.1).cells == 500


def test_a_fit_costs_time_and_memory():
    cost = large_data.measure_here(Fit("forest", rows=20_000))
    assert cost.cpu > 0
    assert cost.wall > 0
    assert cost.peak > 0


def test_the_best_run_counts():
    runs = iter([Cost(2, 3, 10), Cost(1, 4, 20)])
    assert large_data.best_of(Fit(), 2, lambda _: next(runs)) == Cost(1, 3, 10)


def test_a_line_tells_what_varied_and_bytes_a_cell():
    fit = Fit("forest", rows=20_000, columns=5_000, filled=0.01)
    text = large_data.line("filled", fit, COST)
    assert text == ("| filled: 1.0% | forest | 20,000 x 5,000 | 0.500 | 0.250 | 3.0 MiB | 3.1 |")


def test_curves_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    costs = {
        name: [(fit, Cost(0.25, 1 / fit.threads, 100)) for fit in fits]
        for name, fits in large_data.sweeps(4).items()
    }
    assert large_data.curve(costs, "threads", "tree") == ([1, 2, 4], [1, 2, 4])
    large_data.draw(costs, tmp_path / "curves.svg")
    assert "threads" in (tmp_path / "curves.svg").read_text()
