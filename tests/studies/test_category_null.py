"""The simulation of first splits among columns of noise: columns, shares, the table, the figure."""

import numpy as np
import pytest

from benchmarks import category_null
from benchmarks.category_null import Setting, chosen_shares, noise


def test_columns_of_noise_have_their_levels():
    pytest.importorskip("pandas")
    columns = noise(np.random.default_rng(0), 400)
    assert tuple(columns) == category_null.COLUMNS
    counts = [columns[name].nunique() for name in category_null.COLUMNS]
    assert counts[:4] == [400, 2, 5, 20]
    assert counts[-1] == 400


def test_shares_count_first_splits_but_no_leaves():
    pytest.importorskip("pandas")
    setting = Setting(20, "2 classes", "subset", "fair")
    chosen = iter([0, 0, -1, 3])
    shares = chosen_shares(setting, 4, lambda *_: [next(chosen)])
    assert shares == pytest.approx([2 / 3, 0, 0, 1 / 3, 0, 0, 0])


def test_large_tables_and_forests_need_fewer_tables():
    counts = [
        category_null.n_tables(Setting(n_rows, "normal", model, "fair"), 2000)
        for n_rows, model in ((200, "subset"), (5000, "multiway"), (1000, "forest"))
    ]
    assert counts == [2000, 500, 200]


def test_a_column_of_many_levels_must_not_beat_the_number():
    assert category_null.verdict(np.array([0.4, 0.6, 0, 0, 0, 0, 0])) == "at most the number"
    worst = category_null.verdict(np.array([0.2, 0, 0, 0, 0.5, 0.3, 0]))
    assert worst == "100 levels more often"


def test_the_null_command_prints_and_draws(monkeypatch, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    monkeypatch.setattr(category_null, "silva_splits", lambda *_: [0, 1])
    file = tmp_path / "null.svg"
    arguments = ["--repeats", "2", "--rows", "1000", "--jobs", "1", "--figure", str(file)]
    assert category_null.main(arguments) == 0
    printed = capsys.readouterr().out
    assert "| 1,000 | normal | multiway | plain | 50.0 | 50.0 | 0.0 |" in printed
    drawn = file.read_text()
    assert "trees, multiway splits" in drawn
    assert "equal shares" in drawn


def test_a_figure_needs_the_tables_that_it_shows(capsys):
    with pytest.raises(SystemExit):
        category_null.main(["--rows", "200", "--figure", "x.svg"])
    assert "add 1000 to --rows" in capsys.readouterr().err
