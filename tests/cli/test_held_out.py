"""`fit --held-out`: the rows that test the model choose nothing about it."""

import numpy as np
import pandas as pd
import pytest

import silva
from silva.cli.main import run
from silva.cli.training import hold_out
from silva.model_file.store import dumps

N = 120
PRUNERS = ("auto", "cost_complexity", "reduced_error", "accuracy_threshold", "pessimistic")
SHUFFLES = 3


def table(task, seed=0):
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame({"a": rng.random(N), "b": rng.integers(0, 4, N), "weight": 1.0})
    rows.loc[::7, "a"] = np.nan
    noisy = rows["a"].fillna(0.5) + 0.1 * rows["b"] + 0.4 * rng.random(N)
    rows["y"] = noisy if task == "regression" else np.where(noisy > 0.9, "yes", "no")
    return rows


class Numbers:
    """The rows as the command holds them out."""

    n_rows = N

    def take(self, rows):
        return rows


def fitted(rows, folder, *arguments):
    rows.to_csv(folder / "rows.csv", index=False)
    line = ["fit", str(folder / "rows.csv"), "-t", "y", "--weight", "weight", "-q", "--force"]
    assert run([*line, "-o", str(folder / "m.silva"), *arguments]) == 0
    model = silva.load(folder / "m.silva")
    trees = getattr(model, "trees_", None) or [model.grown_tree_]
    return model, b"".join(map(dumps, trees))


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize(
    "chosen",
    [
        *(["--prune", name] for name in PRUNERS),
        ["--plan", "CART"],
        ["--plan", "C45"],
        ["--model", "forest", "--set", "n_estimators=3", "--prune", "reduced_error"],
        ["--model", "adaboost", "--set", "n_estimators=3"],
        ["--model", "optimal", "--depth", "2"],
    ],
    ids=" ".join,
)
def test_targets_of_held_out_rows_change_the_figure_alone(task, chosen, tmp_path, capsys):
    only_classes = {"C45", "adaboost", "optimal"} & set(chosen)
    if task == "regression" and only_classes:
        pytest.skip("for classification only")
    rows = table(task)
    if "accuracy_threshold" in chosen and task == "regression":
        pytest.skip("for classification only")
    _, held_out = hold_out(Numbers(), 0.3, 0)
    arguments = [*chosen, "--held-out", "0.3"]
    model, expected = fitted(rows, tmp_path, *arguments)
    assert model.summary_.held_out.rows == len(held_out)
    assert not getattr(model.summary_, "chose", False)
    figures = {model.summary_.held_out}
    for seed in range(SHUFFLES):
        other = rows.copy()
        order = np.random.default_rng(seed).permutation(held_out)
        other.loc[held_out, "y"] = rows.loc[order, "y"].to_numpy()
        again, found = fitted(other, tmp_path, *arguments)
        assert found == expected
        figures.add(again.summary_.held_out)
    assert len(figures) > 1


def test_three_parts_are_counted(tmp_path, capsys):
    fitted(table("classification"), tmp_path, "--prune", "reduced_error", "--held-out", "0.25")
    out = capsys.readouterr().out
    assert "chosen by 18 of 90 rows that the tree did not grow from" in out
    last = out.splitlines()[-1]
    assert last == (
        "90 training rows (72 to grow, 18 to prune); 30 held-out rows, which chose nothing"
    )
    assert "this score is optimistic" not in out


def test_a_validation_file_still_chooses_and_says_so(tmp_path, capsys):
    rows = table("classification")
    rows[:40].to_csv(tmp_path / "validation.csv", index=False)
    chosen = ["--prune", "reduced_error", "--validate", str(tmp_path / "validation.csv")]
    model, _ = fitted(rows[40:].reset_index(drop=True), tmp_path, *chosen)
    assert model.summary_.chose
    out = capsys.readouterr().out
    assert "chosen by 40 validation rows" in out
    assert "this score is optimistic" in out


def test_the_tree_is_that_of_the_training_rows(tmp_path, capsys):
    rows = table("classification")
    train, _ = hold_out(Numbers(), 0.3, 0)
    X, y = rows.loc[train, ["a", "b"]].reset_index(drop=True), rows["y"].to_numpy()[train]
    for name in ("auto", "reduced_error"):
        _, found = fitted(rows, tmp_path, "--prune", name, "--held-out", "0.3")
        alone = silva.TreeClassifier(prune=name, random_state=0).fit(X, y, np.ones(len(y)))
        read = silva.load(tmp_path / "m.silva")
        assert (read.predict(rows[["a", "b"]]) == alone.predict(rows[["a", "b"]])).all()
        assert found == dumps(alone.grown_tree_)
