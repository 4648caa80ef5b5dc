"""scikit-learn's own tests of trees, forests, bagging and boosting, run on silva's classes.

    python -m benchmarks.sklearn_suite [tree forest bagging boosting] [--verbose] [--any-text]

Nothing is copied: pytest imports the test files of the installed scikit-learn while its class names
stand for silva's classes. For each file the command prints how many tests passed, failed for a
documented reason, and failed. Reasons are listed in `sklearn_reasons` and explained in
docs/scikit_learn.md. The exit code is 1 when a failure is unexplained, or when a rule that explains
failures matches none. `--any-text` takes any text of an expected error or warning, so that a test
goes on where silva words it in its own way.
"""

import argparse
import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import sklearn
import sklearn.ensemble
import sklearn.inspection
import sklearn.tree

import silva
from benchmarks.sklearn_reasons import RULES, Rule

FILES = {
    "tree": "tree/tests/test_tree.py",
    "forest": "ensemble/tests/test_forest.py",
    "bagging": "ensemble/tests/test_bagging.py",
    "boosting": "ensemble/tests/test_weight_boosting.py",
}
FOLDER = Path(sklearn.__file__).parent
OPTIONS = ["-p", "no:terminal", "-p", "no:cacheprovider", "-c", "/dev/null", "-W", "ignore"]


def with_defaults(base: type, name: str, **defaults: Any) -> type:
    """A subclass of an estimator that has other defaults."""

    def start(self: Any, *args: Any, **given: Any) -> None:
        base.__init__(self, *args, **{**defaults, **given})  # type: ignore[misc]

    signature = inspect.signature(base.__init__)  # type: ignore[misc]
    changed = [
        one.replace(default=defaults.get(one.name, one.default))
        for one in signature.parameters.values()
    ]
    start.__signature__ = signature.replace(parameters=changed)  # type: ignore[attr-defined]
    return type(name, (base,), {"__init__": start, "__module__": __name__})


ExtraTreeClassifier = with_defaults(
    silva.TreeClassifier, "ExtraTreeClassifier", splitter="random", max_features="sqrt"
)
ExtraTreeRegressor = with_defaults(
    silva.TreeRegressor, "ExtraTreeRegressor", splitter="random", max_features=1.0
)

STAND_INS = {
    sklearn.tree: {
        "DecisionTreeClassifier": silva.TreeClassifier,
        "DecisionTreeRegressor": silva.TreeRegressor,
        "ExtraTreeClassifier": ExtraTreeClassifier,
        "ExtraTreeRegressor": ExtraTreeRegressor,
    },
    sklearn.ensemble: {
        "RandomForestClassifier": silva.ForestClassifier,
        "RandomForestRegressor": silva.ForestRegressor,
        "ExtraTreesClassifier": silva.ExtraTreesClassifier,
        "ExtraTreesRegressor": silva.ExtraTreesRegressor,
        "BaggingClassifier": silva.BaggingClassifier,
        "BaggingRegressor": silva.BaggingRegressor,
        "AdaBoostClassifier": silva.AdaBoostClassifier,
    },
}
"""What the tests import by scikit-learn's names. Its other classes stay its own."""


@dataclass(frozen=True)
class Failure:
    """A test that failed: its file ("tree", ...), its name with parameters, what went wrong."""

    file: str
    test: str
    error: str


@dataclass
class Recorder:
    """A pytest plugin that counts what passed and keeps what failed."""

    passed: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    tests: list[tuple[str, str]] = field(default_factory=list)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.tests = [(_file_of(item), item.name) for item in items]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Iterator[None]:
        report: Any = yield
        if report.failed and call.excinfo is not None:
            error = call.excinfo.exconly(tryshort=True)
            self.failures.append(Failure(_file_of(item), item.name, error))
        elif report.passed and call.when == "call":
            self.passed[_file_of(item)] += 1
        return report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests of the files named on the command line, all by default."""
    options = _options(arguments)
    files = options.files or list(FILES)
    with any_text() if options.any_text else nullcontext():
        found = run(files)
    unexplained = [failure for failure in found.failures if rule_of(failure) is None]
    stale = [] if options.any_text else stale_rules(files, found.failures)
    _print_counts(files, found, options.verbose)
    for failure in unexplained:
        print(f"\nunexplained: {failure.file}: {failure.test}\n{failure.error}")
    for rule in stale:
        print(f"\nexplains nothing: {rule}")
    return int(bool(unexplained or stale))


def run(files: Sequence[str], *options: str) -> Recorder:
    """What scikit-learn's tests say to silva's classes."""
    recorder = Recorder()
    paths = [str(FOLDER / FILES[file]) for file in files]
    with stand_ins():
        status = pytest.main([*OPTIONS, *options, *paths], plugins=[recorder])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError(f"scikit-learn's tests cannot be run: pytest ended with {status!r}")
    return recorder


@contextmanager
def stand_ins() -> Iterator[None]:
    """silva's classes under scikit-learn's names; nothing is written beside its files."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(sys, "dont_write_bytecode", True))
        for module, names in STAND_INS.items():
            stack.enter_context(patch.multiple(module, **names))
        yield


@contextmanager
def any_text() -> Iterator[None]:
    """`pytest.raises` and `pytest.warns` without `match`: what is raised counts, not its words."""
    with ExitStack() as stack:
        for name in ("raises", "warns"):
            stack.enter_context(patch.object(pytest, name, _without_match(getattr(pytest, name))))
        yield


def _without_match(expects: Callable[..., Any]) -> Callable[..., Any]:
    def expects_any(*args: Any, match: Any = None, **options: Any) -> Any:
        return expects(*args, **options)

    return expects_any


def rule_of(failure: Failure) -> Rule | None:
    """The first rule that explains a failure."""
    return next((rule for rule in RULES if explains(rule, failure)), None)


def explains(rule: Rule, failure: Failure) -> bool:
    """Whether a rule names the test and what went wrong in it."""
    return rule.covers(failure.file, failure.test) and rule.error in failure.error


def stale_rules(files: Sequence[str], failures: Sequence[Failure]) -> list[Rule]:
    """The rules for these files that explain no failure first."""
    used = {rule_of(failure) for failure in failures}
    complete = set(files) == set(FILES)
    return [rule for rule in RULES if rule not in used and (complete or rule.file in files)]


def _file_of(item: pytest.Item) -> str:
    return next(name for name, path in FILES.items() if item.path.as_posix().endswith(path))


def _print_counts(files: Sequence[str], found: Recorder, verbose: bool) -> None:
    print(f"scikit-learn {sklearn.__version__}, its tests on silva's classes")
    print(f"{'file':<12}{'tests':>8}{'passed':>8}{'documented':>12}{'failed':>8}")
    for file in files:
        failed = [failure for failure in found.failures if failure.file == file]
        explained = sum(rule_of(failure) is not None for failure in failed)
        passed, other = found.passed[file], len(failed) - explained
        total = sum(name == file for name, _ in found.tests)
        print(f"{file:<12}{total:>8}{passed:>8}{explained:>12}{other:>8}")
    rules = [rule_of(failure) for failure in found.failures]
    for reason, count in Counter(rule.reason for rule in rules if rule).most_common():
        print(f"{count:>5}  {reason}")
    if verbose:
        for failure, rule in zip(found.failures, rules, strict=True):
            print(f"{rule.reason if rule else 'unexplained'}: {failure.file}: {failure.test}")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    names = ", ".join(FILES)
    # Python 3.11 looks for an empty list among the choices too
    choices = [*FILES, []]
    parser.add_argument("files", nargs="*", choices=choices, metavar="FILE", help=names)
    parser.add_argument("--verbose", action="store_true", help="name every failure")
    parser.add_argument("--any-text", action="store_true", help="texts of errors do not count")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
