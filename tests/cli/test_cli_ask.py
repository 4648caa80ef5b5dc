"""`silva ask`: the dialog in the terminal and with piped input."""

import io
import re
import sys
from pathlib import Path

import pandas as pd
import pytest

import silva
from silva.cli import asking, output
from silva.cli.main import run

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def folder(examples, tmp_path_factory):
    """Saved models: the course tree, its bare tree, a tree of numbers, a forest."""
    folder = tmp_path_factory.mktemp("models")
    fit = ["fit", str(examples / "course.csv"), "-t", "liked", "--drop", "rating", "-q"]
    assert run([*fit, "-o", str(folder / "course.silva")]) == 0
    silva.save(silva.load(folder / "course.silva").grown_tree_, folder / "tree.silva")
    numbers = [[float(value)] for value in range(8)]
    silva.save(silva.TreeClassifier().fit(numbers, list("aaabbbcc")), folder / "numbers.silva")
    forest = silva.ForestClassifier(2, random_state=0).fit(numbers, list("aaabbbcc"))
    silva.save(forest, folder / "forest.silva")
    return folder


@pytest.fixture
def ask(folder, monkeypatch, capsys):
    def answered(name, text, *options):
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        code = run(["ask", str(folder / name), *options])
        return code, *capsys.readouterr()

    return answered


@pytest.mark.parametrize("name", ["course.silva", "tree.silva"])
def test_answers_lead_to_the_prediction(ask, name):
    code, out, err = ask(name, "yes\nyes\nno\n")
    assert code == 0
    assert err == "Answer with a letter or a value; ? why, < back, q quit.\n"
    assert out.startswith("Sys: yes or no?\n  a  yes\n  b  no\n")
    assert "> yes\n\nAI: yes or no?\n" in out
    assert "Easy" not in out
    assert "\n> no\n\nPrediction: no\n  Sys is yes, AI is yes and Thy is no.\n" in out


def test_the_transcript_of_the_readme_is_what_is_printed(ask):
    text = (ROOT / "README.md").read_text()
    block = re.search(r"```text\n\$ silva ask course.silva\n(.*?)```", text, re.DOTALL)
    hint, shown = block[1].split("\n", 1)
    lines = [line.removeprefix("> ") for line in shown.splitlines() if line.startswith("> ")]
    code, out, err = ask("course.silva", "\n".join(lines) + "\n")
    assert (code, out, err) == (0, shown, hint + "\n")


@pytest.mark.parametrize("answer", ["a", "A", "yes", " YES ", "y"])
def test_letters_words_and_values_are_answers(ask, answer):
    code, out, _ = ask("course.silva", f"{answer}\nno\n")
    assert code == 0
    assert "Sys is yes and AI is no." in out


def test_a_typed_number_is_a_value(ask):
    code, out, _ = ask("numbers.silva", "1\n")
    assert code == 0
    assert "  or type the number\n" in out
    assert "Prediction: a\n  x0 is 1.\n" in out


def test_why_back_and_an_empty_line(ask):
    code, out, _ = ask("course.silva", "yes\n?\n<\n\nback\nno\n")
    assert code == 0
    assert "The prediction can still be no (9 training rows) or yes (1 training row)." in out
    assert out.count("Sys: yes or no?") == 3
    assert "there is nothing to go back to: no question has been answered yet.\n" in out
    assert "Prediction: yes" in out


def test_a_wrong_answer_says_what_is_possible_and_the_question_stays(ask):
    code, out, err = ask("course.silva", "maybe\nno\n", "-q")
    assert code == 0
    assert err == ""
    assert "'maybe' is not a level of Sys: answer no, yes, 'another value' or 'I do not kn" in out
    assert "Prediction: yes" in out


@pytest.mark.parametrize("word", ["q", "Q", "quit"])
def test_quitting_ends_without_a_prediction(ask, word):
    code, out, _ = ask("course.silva", f"yes\n{word}\nno\n")
    assert code == 0
    assert "Prediction" not in out


@pytest.mark.parametrize("text", ["", "yes\n", "yes\nmaybe"])
def test_the_end_of_input_names_the_open_question(ask, text):
    code, out, err = ask("course.silva", text)
    column = "AI" if text else "Sys"
    assert code == 1
    assert "Prediction" not in out
    assert err.endswith(
        f"Error: standard input ended with a question still open: {column}: yes or no?\n"
    )


def test_an_interrupt_is_130(folder, monkeypatch, capsys):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(asking, "_line", interrupted)
    assert run(["ask", str(folder / "course.silva")]) == 130
    assert "Stopped" in capsys.readouterr().err


def test_a_terminal_shows_its_own_prompt(ask, monkeypatch, folder, capsys):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Terminal("no\n"))
    assert run(["ask", str(folder / "course.silva")]) == 0
    out = capsys.readouterr().out
    assert out.count("\n> ") == 1
    assert "Prediction: yes" in out
    monkeypatch.setattr(sys, "stdin", Terminal(""))
    assert run(["ask", str(folder / "course.silva")]) == 1
    assert "Sys: yes or no?" in capsys.readouterr().err


def test_one_leaf_is_answered_without_input(ask, folder):
    silva.save(silva.TreeClassifier().fit([[1.0], [2.0]], ["a", "a"]), folder / "leaf.silva")
    code, out, err = ask("leaf.silva", "")
    assert (code, err) == (0, "")
    assert out.startswith("Prediction: a\n  No question was needed.\n")


def test_models_of_many_trees_are_refused(ask):
    code, out, err = ask("forest.silva", "")
    assert (code, out) == (1, "")
    assert "silva.distil" in err


def test_digits_round_thresholds(ask, folder):
    numbers = [[0.123456789], [0.987654321]]
    silva.save(silva.TreeClassifier().fit(numbers, ["a", "b"]), folder / "digits.silva")
    assert "below 0.56\n" in ask("digits.silva", "q\n", "--digits", "2")[1]
    assert "below 0.555555555\n" in ask("digits.silva", "q\n")[1]
    assert ask("digits.silva", "", "--digits", "0")[0] == 2


def test_names_that_the_terminal_cannot_show_are_escaped(ask, folder, monkeypatch):
    table = pd.DataFrame({"größe\n": [1.0, 2.0]})
    silva.save(silva.TreeClassifier().fit(table, ["ä", "b"]), folder / "names.silva")
    assert "What is 'größe\\n'? (training rows: 1 to 2)\n" in ask("names.silva", "q\n")[1]
    monkeypatch.setattr(output, "draws_unicode", lambda: False)
    code, out, _ = ask("names.silva", "1\r\n")
    assert code == 0
    assert "What is 'gr\\xf6\\xdfe\\n'? (training rows: 1 to 2)\n" in out
    assert "> 1\n\nPrediction: \\xe4\n" in out


def test_input_that_is_no_text_is_refused(folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\n"), encoding="utf-8"))
    assert run(["ask", str(folder / "course.silva")]) == 1
    assert "standard input is not text (invalid start byte)" in capsys.readouterr().err


@pytest.mark.parametrize("stream", ["stdin", "stdout"])
def test_closed_streams_are_named(folder, monkeypatch, capsys, stream):
    monkeypatch.setattr(sys, stream, None)
    assert run(["ask", str(folder / "course.silva")]) == 1
    assert "is closed" in capsys.readouterr().err
