"""How the modules of the page become one script."""

import re
import shutil
import subprocess

import pytest

from silva.page import assemble


@pytest.fixture
def modules(monkeypatch):
    """A function that puts texts in the place of the page's own modules."""

    def put(texts):
        monkeypatch.setattr(assemble, "_read", texts.__getitem__)
        return assemble._joined("app.js")

    return put


def ran(script):
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node, which is not installed")
    done = subprocess.run([node, "-e", script], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_modules_come_after_those_that_they_import(modules):
    script = modules(
        {
            "app.js": 'import { two } from "./a/b.js";\n'
            'import { one } from "./c.js";\nlog(one, two);',
            "a/b.js": 'import { one } from "../c.js";\nexport const two = one + 1;',
            "c.js": "export const one = 1;",
        }
    )
    assert ran(f"const log = console.log;{script}") == "1 2"


def test_names_of_modules_stay_their_own(modules):
    script = modules(
        {
            "app.js": 'import { f as g } from "./b.js";\n'
            "function f() { return 1; }\nlog(f(), g());",
            "b.js": "export function f() {\n  return 2;\n}\n",
        }
    )
    assert ran(f"const log = console.log;{script}") == "1 2"


def test_comments_and_indentation_are_left_out(modules):
    script = modules({"app.js": "/** Two\n lines. */\n// one\nfunction f() {\n  g();\n}"})
    assert "Two" not in script
    assert "// one" not in script
    assert "\ng();" in script


def test_a_cycle_is_refused(modules):
    with pytest.raises(ValueError, match="no cycles"):
        modules(
            {
                "app.js": 'import { a } from "./b.js";',
                "b.js": 'import { c } from "./app.js";\nexport const a = c;',
            }
        )


@pytest.mark.parametrize(
    "line",
    [
        "export default 1;",
        "export { a };",
        'import a from "./b.js";',
        "import { a } from './b.js';",
    ],
)
def test_other_forms_are_refused(modules, line):
    with pytest.raises(ValueError, match="cannot join"):
        modules({"app.js": line})


def test_the_script_holds_no_end_of_a_script():
    assert "</script" not in assemble.script().lower()
    assert "<!--" not in assemble.script()


def test_modules_keep_to_what_the_policy_allows():
    script = assemble.script()
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|fetch\("
    )
    assert not re.search(forbidden, script)
    assert not re.search(r"localStorage|sessionStorage|https?://(?!www\.w3\.org/)", script)


def test_every_module_is_used():
    every = {str(one.relative_to(assemble._assets())) for one in assemble._assets().rglob("*.js")}
    assert every == set(assemble._in_order(assemble.ENTRY))
