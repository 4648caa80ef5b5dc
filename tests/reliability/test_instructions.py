"""Every instruction set of this machine grows the same models and predicts the same, to the bit.

The models and the stored hashes are those of `tests/golden/model_hashes.py`.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from silva import _core
from tests.reliability.child_process import run

ROOT = Path(__file__).resolve().parents[2]
STORED = json.loads((ROOT / "tests" / "golden" / "model_hashes.json").read_text())
SETS = _core.instruction_sets()
PRINT_HASHES = f"""
import json
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.golden.model_hashes import hashes
from silva import _core
print(_core.instruction_set())
print(json.dumps(hashes()))
"""
USE = """
try:
    from silva import _core
except ImportError as error:
    print(error)
else:
    print(_core.instruction_set())
"""


def hashes_under(name):
    in_use, found = run(PRINT_HASHES, SILVA_ISA=name)
    assert in_use == name
    return json.loads(found)


def differing(found, expected):
    """The names of the models whose bytes or predictions differ, or that one side lacks."""
    return [name for name in found | expected if found.get(name) != expected.get(name)]


def test_every_instruction_set_gives_the_stored_models():
    with ThreadPoolExecutor(2) as pool:
        by_set = dict(zip(SETS, pool.map(hashes_under, SETS), strict=True))
    best = by_set[SETS[0]]
    for name, found in by_set.items():
        assert not differing(found["exact"], STORED["exact"]), name
        assert not differing(found["libm"], best["libm"]), name
    if best["platform"] == STORED["platform"]:
        assert not differing(best["libm"], STORED["libm"])


def test_the_best_instruction_set_is_chosen():
    assert run(USE, before="unset SILVA_ISA") == [SETS[0]]


@pytest.mark.parametrize("name", SETS)
def test_an_instruction_set_can_be_chosen(name):
    assert run(USE, SILVA_ISA=name) == [name]


def test_an_empty_choice_is_no_choice():
    assert run(USE, SILVA_ISA="") == [SETS[0]]


@pytest.mark.parametrize("name", ["sse9", "AVX2 ", "0", "avx512,avx2", "Ü"])
def test_an_unknown_instruction_set_is_refused(name):
    refused(name)


@pytest.mark.parametrize("name", ["avx512", "avx2", "neon"])
def test_an_instruction_set_of_another_machine_is_refused(name):
    if name in SETS:
        pytest.skip(f"this machine has {name}")
    refused(name)


def test_an_estimator_is_refused_by_the_same_error():
    script = "import silva\ntry: silva.TreeClassifier\nexcept ImportError as error: print(error)"
    assert run(script, SILVA_ISA="sse9") == run(USE, SILVA_ISA="sse9")


def refused(name):
    """Nothing of silva can be used, and the error says what was given and what there is."""
    message = " ".join(run(USE, SILVA_ISA=name))
    assert "SILVA_ISA" in message
    assert name.strip() in message
    assert all(one in message for one in SETS)
