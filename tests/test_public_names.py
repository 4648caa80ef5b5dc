"""`import silva`: what is public, and that it costs nothing until it is used."""

import ast
import inspect
import operator
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import silva
from silva import messages

PROJECT = Path(__file__).resolve().parent.parent


def run_of(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )


def modules_after(code: str) -> set[str]:
    return set(run_of(f"import sys\n{code}\nprint(*sys.modules)").stdout.split())


def test_every_public_name_is_there():
    for name in silva.__all__:
        assert getattr(silva, name) is not None
    assert set(silva.__all__) <= set(dir(silva))
    assert silva.TreeClassifier.__name__ == "TreeClassifier"


def test_type_checkers_see_the_same_names():
    stub = ast.parse((Path(silva.__file__).with_name("__init__.pyi")).read_text())
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    told = {alias.asname: node.module for node in imports for alias in node.names}
    assert told == silva._HOMES


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("RandomForestClassifier", "silva.ForestClassifier?"),
        ("DecisionTreeRegressor", "silva.TreeRegressor?"),
        ("permutation_importance", "silva.importance(model, X, y, kind='permutation')?"),
        ("to_dot", "silva.to_svg?"),
        ("export_graphviz", "silva.to_svg?"),
        ("export_text", "silva.to_text?"),
        ("to_sql", "silva.rules?"),
        ("evaluate", "silva.inspect.evaluate?"),
        ("TreeClasifier", "silva.TreeClassifier?"),
        ("HistGradientBoostingRegressor", "does not have that method. silva.AdaBoost"),
    ],
)
def test_a_name_of_others_leads_to_ours_however_it_is_asked_for(name, meant):
    with pytest.raises(AttributeError, match=re.escape(meant)):
        getattr(silva, name)
    with pytest.raises(ImportError, match=re.escape(meant)):
        exec(f"from silva import {name}")
    assert not hasattr(silva, name)


def test_every_name_in_a_hint_exists():
    told = [*messages._INSTEAD.values(), *messages._METHODS.values()]
    found = {path for text in told for path in re.findall(r"silva(?:\.\w+)+", text)}
    for path in found:
        assert operator.attrgetter(path.removeprefix("silva."))(silva) is not None
    calls = [text for text in told if text.endswith(")")]
    for text in calls:
        call = ast.parse(text, mode="eval").body
        names = inspect.signature(eval(ast.unparse(call.func))).parameters
        assert {one.arg for one in call.keywords} <= set(names)
    assert len(found) > 10
    assert len(calls) > 2


def test_packages_inside_are_imported_and_hint_too():
    from silva import estimators, tree

    assert estimators.__name__ == "silva.estimators"
    assert tree.__name__ == "silva.tree"
    with pytest.raises(ImportError, match=r"silva\.plot\.decision_regions\?"):
        exec("from silva.plot import decision_region")
    with pytest.raises(ImportError, match=r"Did you mean silva\.inspect\.evaluate\?"):
        exec("from silva.inspect import evaluat")


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Forrest'"):
        silva.Forrest  # noqa: B018


def test_the_version_is_the_projects():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert silva.__version__ == project["version"]


def test_importing_silva_imports_nothing_heavy():
    assert not {"numpy", "sklearn", "narwhals", "scipy"} & modules_after("import silva")


def test_a_forest_that_is_alive_when_python_ends_prints_nothing():
    run = run_of(
        "import ctypes\n"
        "from silva import ForestClassifier\n"
        "model = ForestClassifier(n_estimators=2).fit([[0.], [1.]], [0, 1])\n"
        "model.predict([[0.]])\n"
        "ctypes.pythonapi.Py_IncRef(ctypes.py_object(model))"
    )
    assert run.stderr == ""


def test_trees_are_read_without_scikit_learn(tmp_path):
    model = silva.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
    silva.save(model.grown_tree_, tmp_path / "tree.silva")
    code = f"import silva; silva.to_text(silva.load({str(tmp_path / 'tree.silva')!r}))"
    assert "sklearn" not in modules_after(code)


def test_estimators_do_not_load_the_exporters():
    loaded = modules_after(
        "from silva import TreeClassifier; TreeClassifier().fit([[0.], [1.]], [0, 1])"
    )
    assert not {name for name in loaded if name.startswith(("silva.export", "silva.cli"))}
