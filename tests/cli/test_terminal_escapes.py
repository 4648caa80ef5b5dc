"""Names, labels and levels never steer the terminal of who looks at a table or a model."""

import io
import itertools
import re
import sys

import numpy as np
import pandas as pd
import pytest

import silva
from silva.cli.main import silva as group
from silva.messages import visible

HOSTILE = "\x1b]0;owned\x07\x9b31m\u202e\u2066[red]x[/]\n\rFORGED LINE\u2028\x7f"
STEERING = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
MANY = ("forest", "extra-trees", "bagging", "adaboost")


def rows():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            f"number {HOSTILE}": rng.random(80),
            f"level {HOSTILE}": [f"{letter} {HOSTILE}" for letter in "abcd" * 20],
            f"other {HOSTILE}": [f"{letter} {HOSTILE}" for letter in "xy" * 40],
        }
    )
    chosen = (table.iloc[:, 0] > 0.5) ^ table.iloc[:, 1].str.startswith("a")
    table[f"class {HOSTILE}"] = np.where(chosen, f"yes {HOSTILE}", f"no {HOSTILE}")
    return table


ROWS = rows()
TARGET = ROWS.columns[-1]
X, Y = ROWS.drop(columns=TARGET), ROWS[TARGET]
MODELS = {
    "tree": lambda: silva.TreeClassifier(max_depth=3, prune="cost_complexity"),
    "optimal": lambda: silva.OptimalTreeClassifier(max_depth=1),
    "forest": lambda: silva.ForestClassifier(3, random_state=0, oob_score=True),
    "adaboost": lambda: silva.AdaBoostClassifier(n_estimators=3),
    "numbers": lambda: silva.TreeRegressor(leaf="linear", max_depth=2),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    ROWS.to_csv(folder / "rows.csv", index=False)
    odd = ROWS.astype(object)
    odd.iloc[3, 0] = f"word {HOSTILE}"
    odd.iloc[:, 2] = odd.iloc[:, 2].str.upper()
    odd.to_csv(folder / "odd.csv", index=False)
    ROWS.rename(columns={X.columns[0]: f"{X.columns[0]}?"}).to_csv(folder / "other.csv")
    for name, make in MODELS.items():
        y = ROWS.iloc[:, 0] if name == "numbers" else Y
        silva.save(make().fit(X.iloc[:, 1:] if name == "numbers" else X, y), folder / name)
    return folder


def lines_of(verb, model):
    """Ways to run a verb, some of which fail with a message about the table or the model."""
    target = X.columns[0] if model == "numbers" else TARGET
    files = ["rows.csv", "odd.csv", "other.csv"]
    on_rows = {
        "rules": lambda file: ["rules", model, file, "-t", target],
        "predict": lambda file: ["predict", model, file],
        "explain": lambda file: ["explain", model, file, "--row", "0", "--row", "3"],
        "evaluate": lambda file: ["evaluate", model, file, "-t", target],
        "compare": lambda file: ["compare", model, "tree", file, "-t", target],
        "doctor": lambda file: ["doctor", file, "-t", target],
        "report": lambda file: ["report", file, "-t", target, "-o", "page.html", "--force"],
        "prune": lambda file: [
            *("prune", model, file, "-t", target, "--prune", "reduced_error"),
            *("-o", "pruned", "--force"),
        ],
    }
    alone = {
        "show": [["show", model], ["show", model, "--tree", "0"], ["show", model, "--rules"]],
        "rules": [["rules", model], ["rules", model, "--format", "json"]],
        "info": [["info", model], ["info", model, "--format", "json"]],
        "ask": [["ask", model]],
        "plot": [["plot", model, "--tree", "0", "-o", "x.svg", "--force"]],
        "explain": [["explain", model, "rows.csv", "--all"]],
        "compare": [["compare", model, "forest"], ["compare", model, "numbers"]],
        "report": [["report", model, "-o", "page.html", "--force"]],
        "prune": [["prune", model, "--prune", f"x{HOSTILE}", "-o", "pruned", "--force"]],
    }
    return [*alone.get(verb, []), *(on_rows[verb](file) for file in files if verb in on_rows)]


FITS = [
    [],
    ["--drop", HOSTILE],
    ["--set", f"max_depth={HOSTILE}"],
    ["--prune", f"x{HOSTILE}"],
    ["--held-out", "0.3", "--prune", "reduced_error", "--cv", "2"],
    ["--format", "json"],
    ["--weight", X.columns[1]],
    ["--task", "regression"],
    ["--debug", "--number", X.columns[1]],
    *(["--model", name, "--set", "n_estimators=3"] for name in MANY),
    ["--model", "optimal", "--depth", "1"],
]


def all_lines():
    for file, one in itertools.product(("rows.csv", "odd.csv"), FITS):
        yield ["fit", file, "-t", TARGET, *one]
    yield ["fit", "rows.csv", "-t", f"clas {HOSTILE}"]
    yield ["fit", f"no {HOSTILE}", "-t", "y"]
    yield [f"verb {HOSTILE}"]
    for verb, model in itertools.product(group.commands, MODELS):
        if verb != "fit":
            yield from lines_of(verb, model)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("verb", [*group.commands, None])
def test_nothing_raw_is_printed(verb, folder, monkeypatch, silva_command):
    monkeypatch.chdir(folder)
    ran = 0
    for line in all_lines():
        if line[0] != verb and (verb is not None or line[0] in group.commands):
            continue
        monkeypatch.setattr("sys.stdin", io.StringIO(f"?\n{HOSTILE}\n" + "a\n" * 9))
        code, out, err = silva_command(*line)
        is_data = line[0] == "predict"
        assert code in (0, 1, 2), err
        assert "fault of silva" not in err, line
        for text in (err,) if is_data else (out, err):
            assert not STEERING.search(text), (line, STEERING.search(text), text)
            forged = [one for one in text.splitlines() if one.startswith("FORGED")]
            assert not forged, (line, text)
        ran += code == 0
    assert ran > 0 or verb is None


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_data_are_exact_in_files_and_pipes_and_escaped_on_terminals(
    folder, monkeypatch, silva_command
):
    monkeypatch.chdir(folder)
    line = ["predict", "tree", "rows.csv", "-q"]
    assert silva_command(*line)[0] == 0
    raw = silva_command(*line)[1]
    assert HOSTILE.replace("\r", "") in raw.replace("\r", "")
    assert silva_command(*line, "-o", "out.csv", "--force")[0] == 0
    with open("out.csv", encoding="utf-8", newline="") as stream:
        assert HOSTILE in stream.read()
    shown = Terminal()
    monkeypatch.setattr(sys, "stdout", shown)
    assert silva_command(*line)[0] == 0
    assert not STEERING.search(shown.getvalue())
    assert len(shown.getvalue().splitlines()) == 1 + len(ROWS)


def records():
    for name, make in MODELS.items():
        y = ROWS.iloc[:, 0] if name == "numbers" else Y
        table = X.iloc[:, 1:] if name == "numbers" else X
        model = make().fit(table, y)
        inspected = silva.inspect.model_info(model), silva.rules(model), model.summary_
        yield from (*inspected, silva.explain(model, table[:3])[0])
        yield silva.inspect.evaluate(model, table, y)
        yield silva.inspect.differences(model, make().fit(table[:40], y[:40]))
        if hasattr(model, "grown_tree_"):
            yield from (model.grown_tree_, silva.inspect.Dialog(model))
    yield silva.inspect.checkup(X, Y, "classification", TARGET)


@pytest.mark.filterwarnings("ignore")
def test_printed_records_hold_nothing_raw():
    for record in records():
        text = str(record)
        assert not STEERING.search(text), (type(record), text)
        assert not [one for one in text.splitlines() if one.startswith("FORGED")], text


def test_visible_text_is_left_as_it_is():
    assert visible("a\tb\nc é 漢 ├─ → 👩\u200d👧") == "a\tb\nc é 漢 ├─ → 👩\u200d👧"
    assert visible("\x1b\x07\x7f\x9b\u202e") == r"\x1b\x07\x7f\x9b\u202e"
