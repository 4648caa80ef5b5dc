"""Thousands of damaged model files: each loads as a checked tree or is refused, nothing else."""

import json
import random

import pytest

from silva.errors import ModelFormatError
from silva.export.outline import PRINT_LIMITS, outline
from silva.export.text import to_text
from silva.model_file.store import dumps, parse
from silva.tree.check import check
from silva.tree.view import TreeView
from tests.effort import tries
from tests.tree.model_bytes import put_together, taken_apart
from tests.tree.tree_samples import SAMPLES

ODD_NUMBERS = [0, 1, -1, 2, 127, 128, 255, 2**31, 2**32 - 1, 2**53, 2**63 - 1, -(2**63), 2**64]
ODD_VALUES = [*ODD_NUMBERS, 0.5, 1e308, "", "str", "int64", "nan", "inf", None, True, [], {}, [[]]]


def survives(data):
    """Whether the bytes load; what loads must be whole."""
    try:
        stored = parse(data)
    except ModelFormatError:
        return False
    check(stored.tree)
    again = dumps(stored.tree, stored.extra)
    assert dumps(*parse(again)[:2]) == again
    outline(TreeView(stored.tree), PRINT_LIMITS)
    to_text(stored.tree)
    return True


def flip_bytes(data, chance):
    damaged = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        damaged[chance.randrange(len(damaged))] = chance.randrange(256)
    return bytes(damaged)


def cut(data, chance):
    place = chance.randrange(len(data))
    return chance.choice([data[:place], data[:place] + data[place + 1 :], data + data[:place]])


def change_section(data, chance):
    """Other bytes in the arrays, with the right checksum: only the checks of the tree are left."""
    header, section = taken_apart(data)
    damaged = bytearray(section)
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(damaged) // 8) * 8
        number = chance.choice(ODD_NUMBERS) if chance.random() < 0.5 else chance.randrange(2**64)
        width = chance.choice([1, 8])
        damaged[place : place + width] = (number % 256**width).to_bytes(width, "little")
    return put_together(header, bytes(damaged))


def change_header(data, chance):
    header, section = taken_apart(data)
    edit(header, chance)
    return put_together(header, section, reseal=chance.random() < 0.9)


def change_meta(data, chance):
    header, section = taken_apart(data)
    meta = json.loads(header["__metadata__"]["meta"])
    edit(meta, chance)
    header["__metadata__"]["meta"] = json.dumps(meta)
    return put_together(header, section)


def edit(value, chance):
    """Replace, remove or repeat something somewhere inside a JSON value."""
    while True:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        if not keys:
            return
        key = chance.choice(keys)
        if isinstance(value[key], dict | list) and chance.random() < 0.8:
            value = value[key]
            continue
        action = chance.randrange(3)
        if action == 0:
            del value[key]
        elif action == 1 and isinstance(value, list):
            value.insert(key, value[chance.randrange(len(value))])
        else:
            value[key] = chance.choice(ODD_VALUES)
        return


@pytest.mark.parametrize("damage", [flip_bytes, cut, change_section, change_header, change_meta])
@pytest.mark.parametrize("make", SAMPLES)
def test_damaged_files(make, damage):
    data = dumps(make(), {"estimator": "any"})
    chance = random.Random(f"{make.__name__} {damage.__name__}")
    outcomes = [survives(damage(data, chance)) for _ in tries(200, 500)]
    assert not all(outcomes)
    if damage in (change_section, change_meta):
        assert any(outcomes)
