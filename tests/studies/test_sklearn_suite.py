"""scikit-learn's own tests on silva's classes: the command, its rules, and their documentation.

Everyday: the two short files. SILVA_THOROUGH runs all four.
"""

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn.ensemble
import sklearn.tree
from sklearn.base import clone

import silva
from benchmarks.sklearn_reasons import RULES, Rule
from benchmarks.sklearn_suite import (
    FILES,
    FOLDER,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    Failure,
    any_text,
    explains,
    rule_of,
    stale_rules,
    stand_ins,
)

PROJECT = Path(__file__).resolve().parents[2]
PAGE = (PROJECT / "docs" / "scikit_learn.md").read_text()


def command(*arguments):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.sklearn_suite", *arguments],
        cwd=PROJECT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def counts(printed):
    """The table of the command: file -> tests, passed, documented, failed."""
    rows = re.findall(r"^(\w+) +(\d+) +(\d+) +(\d+) +(\d+)$", printed, re.MULTILINE)
    return {file: tuple(map(int, numbers)) for file, *numbers in rows}


def documented_counts():
    rows = re.findall(
        r"^\| `(test_\w+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE
    )
    by_test = {test: tuple(map(int, numbers)) for test, *numbers in rows}
    return {file: by_test[Path(path).stem] for file, path in FILES.items()}


def check_run(*files):
    done = command(*files)
    assert done.returncode == 0, done.stdout + done.stderr
    expected = documented_counts()
    assert counts(done.stdout) == {file: expected[file] for file in files or FILES}


def test_bagging_and_boosting_fail_for_documented_reasons_only():
    check_run("bagging", "boosting")


@pytest.mark.skipif("SILVA_THOROUGH" not in os.environ, reason="half a minute: SILVA_THOROUGH=1")
def test_all_files_fail_for_documented_reasons_only():
    check_run()


def test_every_reason_is_explained_and_every_explanation_used():
    section = PAGE.split("## What differs, by reason")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)
    assert sorted(rows) == sorted({rule.reason for rule in RULES})


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.test != "*"], ids=str)
def test_rules_name_tests_that_are_there(rule):
    """Cheap: the functions of the installed files, without their parameters."""
    files = FILES if rule.file == "*" else [rule.file]
    source = "".join((FOLDER / FILES[file]).read_text() for file in files)
    names = re.findall(r"^def (test_\w+)\(", source, re.MULTILINE)
    assert any(Rule("", "", rule.test.split("[")[0]).covers("tree", name) for name in names)


def test_a_rule_needs_file_name_and_words():
    rule = Rule("reason", "went wrong", "test_a*[x-?]", "tree")
    assert explains(rule, Failure("tree", "test_ab[x-1]", "it went wrong"))
    assert not explains(rule, Failure("forest", "test_ab[x-1]", "it went wrong"))
    assert not explains(rule, Failure("tree", "test_ab[x-12]", "it went wrong"))
    assert not explains(rule, Failure("tree", "test_ab[x-1]", "it failed"))


def test_a_failure_without_a_rule_and_a_rule_without_a_failure_are_seen():
    assert rule_of(Failure("tree", "test_iris", "assert 0.5 > 0.9")) is None
    refused = Failure("tree", "test_x", "does not have scikit-learn's 'absolute_error'.")
    assert rule_of(refused).reason == "criteria"
    assert len(stale_rules(list(FILES), [refused])) == len(RULES) - 1
    assert all(rule.file == "tree" for rule in stale_rules(["tree"], []))


def test_class_names_are_replaced_and_given_back():
    theirs = sklearn.tree.DecisionTreeClassifier, sklearn.ensemble.RandomForestRegressor
    with stand_ins():
        assert sklearn.tree.DecisionTreeClassifier is silva.TreeClassifier
        assert sklearn.ensemble.RandomForestRegressor is silva.ForestRegressor
    assert (sklearn.tree.DecisionTreeClassifier, sklearn.ensemble.RandomForestRegressor) == theirs


@pytest.mark.parametrize("kind", [ExtraTreeClassifier, ExtraTreeRegressor])
def test_extra_trees_are_trees_with_other_defaults(kind):
    assert kind().get_params()["splitter"] == "random"
    assert clone(kind(splitter="best", max_depth=2)).get_params()["splitter"] == "best"
    model = kind(random_state=0).fit([[0.0], [1.0]], [0, 1])
    assert pickle.loads(pickle.dumps(model)).predict([[1.0]]).tolist() == [1]


def test_any_text_counts_what_is_raised_and_not_its_words():
    with any_text():
        with pytest.raises(ValueError, match="other words"):
            int("x")
        with pytest.raises(pytest.fail.Exception), pytest.raises(ValueError, match="x"):
            pass
    with pytest.raises(AssertionError), pytest.raises(ValueError, match="other words"):
        int("x")
