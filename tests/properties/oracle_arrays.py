"""A tree of the oracle as the arrays that the core returns, to try the checks without the core."""

import numpy as np

from tests.oracle import OracleNode, OracleTree
from tests.oracle_compare import describe_leaf
from tests.properties.random_trees import arrays_of, starts


def core_arrays(tree: OracleTree) -> dict:
    nodes = in_preorder(tree.root)
    leaves = [describe_leaf(tree.problem, node.rows) for node in nodes if node.split is None]
    arrays = arrays_of([node.split for node in nodes])
    arrays["gain"] = np.array([node.gain for node in nodes])
    arrays["leaf_rows"] = np.array([leaf["rows"] for leaf in leaves])
    arrays["weight_unit"] = tree.problem.weight_unit
    if tree.problem.n_classes:
        return arrays | class_arrays([leaf["classes"] for leaf in leaves])
    units = {"center": tree.problem.center, "target_unit": tree.problem.target_unit}
    return arrays | units | moment_arrays(leaves)


def in_preorder(root: OracleNode) -> list[OracleNode]:
    nodes, stack = [], [root]
    while stack:
        nodes.append(stack.pop())
        stack += reversed(nodes[-1].children)
    return nodes


def class_arrays(leaves: list[dict[int, int]]) -> dict:
    return {
        "class_start": starts([len(classes) for classes in leaves]),
        "class_code": np.array([code for classes in leaves for code in classes]),
        "class_weight": np.array([w for classes in leaves for w in classes.values()]),
    }


def moment_arrays(leaves: list[dict]) -> dict:
    weight, total, squares = zip(*(leaf["moments"] for leaf in leaves), strict=True)
    return {
        "moment_weight": np.array(weight),
        "moment_sum": [halves(number) for number in total],
        "moment_squares": [halves(number) for number in squares],
        "moment_value": np.array([float.fromhex(leaf["value"]) for leaf in leaves]),
    }


def halves(number: int) -> tuple[int, int]:
    """The high and the low 64 bits."""
    return number >> 64, number & (2**64 - 1)
