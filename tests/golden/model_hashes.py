"""Hashes of many models and of their predictions, so that a change of the core cannot go unseen.

`python -m tests.golden.model_hashes` prints them as JSON; `--store` writes them to the file
`model_hashes.json` beside it. Store them anew only where trees are meant to change.

The hashes under "exact" hold on every platform: IEEE arithmetic alone decides those models. The
others also depend on the logarithms, exponentials and linear algebra of the platform. "platform"
is a hash of a sample of these: where it is the stored one, their hashes are comparable.
"""

import hashlib
import json
import math
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from silva.errors import DataWarning
from silva.model_file import container, packed, store
from tests.golden.hash_cases import Case, cases
from tests.golden.hash_tables import bell, uniform

STORE = Path(__file__).with_suffix(".json")
SOME, FEW = 600, (1, 7, 40)
MOST_TREES = 4  # whose paths are followed: each tree is unpacked for that
DIGITS = 24  # of each SHA-256: enough to tell models apart


def hashes() -> dict[str, Any]:
    """By name: the hash of the stored model and that of its predictions, beside each other."""
    warnings.simplefilter("ignore", DataWarning)
    found: dict[str, Any] = {"platform": platform_hash(), "exact": {}, "libm": {}}
    for case in cases():
        group = found["exact" if case.exact else "libm"]
        assert case.name not in group, case.name
        group[case.name] = hashes_of(case)
    return found


def hashes_of(case: Case) -> str:
    model = case.model.fit(case.table.X, case.target, sample_weight=case.weights)
    return f"{model_hash(model)} {prediction_hash(model, case.table.new)}"


def model_hash(model: Any) -> str:
    """Of the trees as a model file has them; not of parameters, nor of the library's version."""
    is_tree = hasattr(model, "grown_tree_")
    data = store.dumps(model.grown_tree_) if is_tree else packed.dumps(model.trees_)
    header, section = container.read_header(data)
    del header[container.METADATA]["library_version"]
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode() + bytes(section))
    for name in ("estimator_weights_", "oob_decision_function_", "oob_prediction_"):
        if wanted(model, name):
            add(digest, getattr(model, name))
    return digest.hexdigest()[:DIGITS]


def wanted(model: Any, name: str) -> bool:
    return hasattr(model, name) and (name.startswith("est") or bool(model.oob_score))


def prediction_hash(model: Any, rows: np.ndarray) -> str:
    """Of predictions of all rows, of some in the other width and order, and of a few."""
    digest = hashlib.sha256()
    other = rows.astype("float32" if rows.dtype == np.float64 else "float64")
    methods = [name for name in ("predict_proba", "predict", "apply") if hasattr(model, name)]
    for name in methods:
        add(digest, getattr(model, name)(rows))
    for some in (other[:SOME], np.asfortranarray(rows[:SOME]), *(rows[:n] for n in FEW)):
        add(digest, getattr(model, methods[0])(some))
        add(digest, getattr(model, methods[-1])(some))
    if hasattr(model, "decision_path") and len(getattr(model, "trees_", ())) <= MOST_TREES:
        add_paths(digest, model.decision_path(rows[:SOME]))
    return digest.hexdigest()[:DIGITS]


def add_paths(digest: Any, paths: Any) -> None:
    matrix = paths[0] if isinstance(paths, tuple) else paths
    for part in (matrix.indptr, matrix.indices, matrix.data):
        add(digest, part.astype(np.int64))


def add(digest: Any, values: Any) -> None:
    array = np.ascontiguousarray(values)
    digest.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())


def platform_hash() -> str:
    """Of a sample of what libm, NumPy and LAPACK compute here."""
    digest = hashlib.sha256()
    small, large = uniform(11, 3000) + 1e-9, 1e6 * uniform(12, 3000) + 1
    for values in (small, large):
        for name in ("log", "log2", "log1p"):
            add(digest, getattr(np, name)(values))
            add(digest, [getattr(math, name)(one) for one in values.tolist()])
    exponents = 8 * bell(13, 3000)
    add(digest, np.exp(exponents))
    add(digest, [math.exp(one) for one in exponents.tolist()])
    matrix = bell(14, 6, 6)
    add(digest, np.linalg.solve(matrix.T @ matrix + np.eye(6), matrix[0]))
    return digest.hexdigest()[:DIGITS]


if __name__ == "__main__":
    text = json.dumps(hashes(), indent=0) + "\n"
    if sys.argv[1:] == ["--store"]:
        STORE.write_text(text)
    else:
        print(text, end="")
