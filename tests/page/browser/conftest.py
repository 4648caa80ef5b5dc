"""Pages in Debian's Chromium, driven by Playwright; what a page must never do is checked for all.

`open_page` opens a page from disk. When the test ends, a page that asked for anything, wrote to the
console or raised an error fails it. `axe` lists what axe-core finds wrong with a page.
"""

import json
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.skipping import skip

AXE = "axe-core@4.14.0"
INSIDE = ("data:", "blob:")
"""Addresses of what the page itself holds."""


@dataclass
class Misdeeds:
    """What pages must not do: ask for anything, write to the console, raise errors."""

    requests: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def watch(self, page: Any, own: str) -> None:
        """Keep what the page at the address `own` does from here on."""
        page.on("request", lambda one: self._asked(one.url, own))
        page.on("console", lambda one: self.console.append(f"{one.type}: {one.text}"))
        page.on("pageerror", lambda one: self.errors.append(str(one)))

    def _asked(self, url: str, own: str) -> None:
        if url.partition("#")[0] != own and not url.startswith(INSIDE):
            self.requests.append(url)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One Chromium for all tests of a process."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        skip("playwright is not installed; pip install '.[test]' brings it")
    path = shutil.which("chromium")
    if path is None:
        skip("Chromium is not installed (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def misdeeds() -> Misdeeds:
    """What the pages of this test did wrong so far."""
    return Misdeeds()


@pytest.fixture
def open_page(browser: Any, misdeeds: Misdeeds, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """A function that opens a page (HTML, or a model with options of `silva.report`) by `file:`.

    `scheme`, `width`, `height`, `scripts` and `link` (the text after "#") are the browser's. It
    returns Playwright's page, with the address in `page.url`.
    """
    contexts = []

    def opened(
        given: Any,
        *,
        scheme: str = "light",
        width: int = 1280,
        height: int = 800,
        scripts: bool = True,
        link: str = "",
        **options: Any,
    ) -> Any:
        context = browser.new_context(
            color_scheme=scheme,
            viewport={"width": width, "height": height},
            java_script_enabled=scripts,
            reduced_motion="reduce",
        )
        contexts.append(context)
        address = _written(given, tmp_path / f"page{len(contexts)}.html", options).as_uri()
        page = context.new_page()
        misdeeds.watch(page, address)
        page.goto(f"{address}#{link}" if link else address)
        if scripts:
            page.wait_for_selector("html[data-ready=true]", state="attached")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert misdeeds == Misdeeds()


def _written(given: Any, path: Path, options: dict[str, Any]) -> Path:
    if not isinstance(given, str):
        from silva.page.report import html

        given = html(given, **options)
    path.write_text(given, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def axe_source(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of axe-core, from npm; it is a tool of the tests and no part of the project."""
    npm = shutil.which("npm")
    if npm is None:
        skip("npm is not installed, so that axe-core cannot be fetched")
    folder = tmp_path_factory.mktemp("axe")
    command = [npm, "pack", AXE, "--silent"]
    fetched = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    packed = next(folder.glob("axe-core-*.tgz"), None)
    if fetched.returncode or packed is None:
        skip(f"npm could not fetch {AXE}: {fetched.stderr.strip()[-300:]}")
    with tarfile.open(packed) as archive:
        script = archive.extractfile("package/axe.min.js")
        assert script is not None
        return script.read().decode()


@pytest.fixture
def axe(axe_source: str) -> Callable[..., list[str]]:
    """A function that lists the violations of a page (or of the part that `within` selects).

    `rules` limits it to those.
    """

    def violations(page: Any, within: str | None = None, rules: list[str] | None = None) -> Any:
        if not page.evaluate("typeof axe === 'object'"):
            page.evaluate(axe_source)
        scope = "document" if within is None else json.dumps(within)
        options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
        run = f"axe.run({scope}, {json.dumps(options)})"
        found = page.evaluate(f"async () => (await {run}).violations")
        return [
            f"{one['id']} ({one['impact']}): {one['help']}: {node['html'][:200]}"
            for one in found
            for node in one["nodes"]
        ]

    return violations
