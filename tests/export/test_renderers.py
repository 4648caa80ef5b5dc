"""Values below `export` ask the registry of `notebook` for their text and HTML."""

import re
from importlib import import_module
from inspect import getclosurevars
from pathlib import Path

import pytest

import silva
from silva.notebook import painters, printers

SOURCES = Path(silva.__file__).parent
ASKED = re.compile(r'notebook\.(printers|painters)\["(\w+)"\]')


def test_every_kind_that_is_asked_for_is_registered_and_no_other():
    texts = [path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py")]
    asked = {pair for text in texts for pair in ASKED.findall(text)}
    registered = [("printers", kind) for kind in printers] + [
        ("painters", kind) for kind in painters
    ]
    assert asked == set(registered)


@pytest.mark.parametrize("render", [*printers.values(), *painters.values()])
def test_renderers_are_functions_of_export(render):
    place = getclosurevars(render).nonlocals
    assert place["home"].startswith("silva.export.")
    assert callable(getattr(import_module(place["home"]), place["name"]))
