"""How the modules of the page become one script: Node runs the modules, and the script."""

import re
import shutil
import subprocess

import pytest

from silva.page import assemble

MODULES = {
    "app.js": """
        import { Counter, twice as double, view } from "./parts/counter.js";
        import { words } from "./words.js";
        import { view as other } from "./words.js";

        /** A comment with `quotes` and "signs" {. */
        const counter = new Counter({ start: 3, step: 2 });
        // counter is not this one
        const rows = [{ name: "a" }, { name: "b", size: 1, more: 2 }];
        for (const { name, size = 7, ...rest } of rows) {
          console.log(name, size, JSON.stringify(rest), double(size));
        }
        counter.next();
        console.log(counter.value, counter.label, view.id, other.id);
        const inner = `a ${counter.value > 4 ? `<${"in" + "ner"}>` : "b"} c`;
        console.log(words(inner, { start: 1, end: 4 }));
        let first = 1, second = first + +first;
        const sum = ([one, [two]], { three: third } = { three: 3 }) => one + two + third - -second;
        console.log(sum([1, [2]]), first / second / 2, /[/]"{/g.test('/"{'), counter?.b ?? "none");
        function hoisted(node) {
          const node2 = { node, get size() { return 2; }, at(place) { return place; } };
          return { ...node2, node: node ? node : 0 };
        }
        console.log(JSON.stringify(hoisted(5)), hoisted(6).at(4), hoisted(1).size);
        try {
          throw new Error("stop");
        } catch (error) {
          console.log(error.message);
        }
        outer();
        async function outer() {
          const value = await Promise.resolve(1);
          switch (value) {
            case 1: console.log("case", typeof value, value in [0, 1]); break;
            default: console.log("default");
          }
        }
    """,
    "parts/counter.js": """
        import { number } from "../words.js";
        export const view = { id: "counter", mount: (element) => element };
        const number2 = 2;
        export class Counter {
          #step;
          seen = 0;
          constructor({ start, step }) {
            this.value = start;
            this.#step = step;
          }
          next() {
            this.value += this.#step;
            return this;
          }
          get label() {
            return `counter at ${number(this.value)}`;
          }
        }
        export function twice(number) {
          return number * number2;
        }
    """,
    "words.js": """
        export const view = { id: "words" };
        export function number(value) {
          return value.toFixed(1);
        }
        export function words(text, { start, end }) {
          const parts = text.split(/\\s+/u);
          return parts.slice(start, end).join("+");
        }
    """,
}


def node(*arguments):
    found = shutil.which("node")
    if found is None:
        pytest.skip("needs Node, which is not installed")
    done = subprocess.run([found, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def joined(monkeypatch):
    """A function that joins these texts in the place of the page's own modules."""

    def join(texts):
        monkeypatch.setattr(assemble, "_read", texts.__getitem__)
        return assemble._joined("app.js")

    return join


def test_the_script_does_what_the_modules_do(joined, tmp_path):
    texts = {
        name: "\n".join(line.removeprefix(" " * 8) for line in text.strip().splitlines())
        for name, text in MODULES.items()
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "joined.cjs").write_text(joined(texts))
    expected = node(str(tmp_path / "app.js"))
    assert "counter at 5.0" in expected
    assert node(str(tmp_path / "joined.cjs")) == expected


def test_comments_and_indentation_are_gone(joined):
    code = "/** Two\n lines. */\n// one\nfunction longName(value) {\n  return value;\n}"
    script = joined({"app.js": code})
    assert "Two" not in script
    assert "// one" not in script
    assert "{\nreturn value;\n}" in script


def test_a_cycle_is_refused(joined):
    texts = {
        "app.js": 'import { a } from "./b.js";',
        "b.js": 'import { c } from "./app.js";\nexport const a = c;',
    }
    with pytest.raises(ValueError, match="no cycles"):
        joined(texts)


def test_a_text_of_several_lines_is_refused(joined):
    with pytest.raises(ValueError, match="must end on its line"):
        joined({"app.js": "const text = `a\n  b`;"})


@pytest.mark.parametrize("line", ["export default 1;", "export { a };", 'import a from "./b.js";'])
def test_other_forms_are_refused(joined, line):
    with pytest.raises(ValueError, match="cannot join"):
        joined({"app.js": line})


def test_an_import_of_what_is_not_exported_is_refused(joined):
    texts = {"app.js": 'import { a } from "./b.js";', "b.js": "export const b = 1;\nconst a = 2;"}
    with pytest.raises(ValueError, match="does not export"):
        joined(texts)


def test_the_script_holds_no_end_of_a_script():
    assert "</script" not in assemble.script().lower()
    assert "<!--" not in assemble.script()


def test_modules_keep_to_what_the_policy_allows():
    script = assemble.script()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", script)
    assert not re.search(r"\beval\(|new Function|fetch\(|XMLHttpRequest|WebSocket", script)
    assert not re.search(r"localStorage|sessionStorage|https?://(?!www\.w3\.org/)", script)


def test_every_module_is_used():
    every = {str(one.relative_to(assemble._assets())) for one in assemble._assets().rglob("*.js")}
    assert every == set(assemble._in_order(assemble.ENTRY))
