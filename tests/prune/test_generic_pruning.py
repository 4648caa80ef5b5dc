"""Bottom-up pruning by any estimate, by bounds and by C4.5's limits, with subtrees raised."""

import math
from dataclasses import replace

import numpy as np
import pytest

from silva.prune.bottom_up import BottomUp, Summary
from silva.prune.bound import GeneralisationBound
from silva.prune.pessimistic import FEWER_ROWS, HOPELESS, Pessimistic
from silva.prune.record import Pruned
from silva.tree import decision, stats
from silva.tree.check import check as check_tree
from tests.effort import tries
from tests.prune.prune_cases import PruneCase, blocks, random_case
from tests.prune.raising_oracle import Grove, bottom_up, depth, listing_of, n_leaves, n_nodes

BLOCKS = blocks(600, 50)


def grove_of(case: PruneCase) -> Grove:
    return Grove(case.tree, case.evidence.table, case.evidence.target)


def check(found: Pruned, grove: Grove, expected) -> None:
    questions, rows, costs = listing_of(check_tree(found.tree))
    expected_questions, expected_rows, expected_costs = grove.listing(expected)
    assert questions == expected_questions
    assert rows == expected_rows
    assert costs == pytest.approx(expected_costs, rel=1e-9, abs=1e-9)
    leaves = found.record.leaves_before
    for step in found.record.steps:
        assert step.leaves_before == leaves
        leaves = step.leaves_after
    assert leaves == found.tree.n_leaves


def summary_of(grove: Grove, nested) -> Summary:
    tree = grove.tree
    figures = (n_nodes(nested), n_leaves(nested), depth(nested))
    return Summary(grove.error(nested), *figures, len(grove.counting), len(tree.schema))


def by_value(grove: Grove, f):
    def choose(trials, path):
        values = [f(summary_of(grove, one)) for one in trials]
        return values.index(min(values))

    return choose


def random_f(seed: int):
    rng = np.random.default_rng(seed)
    a, b, c = rng.choice([0.0, 0.01, 0.1, 0.5, 2.0], 3).tolist()

    def f(s: Summary) -> float:
        size = a * s.leaves / s.rows + b * math.sqrt(s.nodes * math.log2(s.columns + 3) / s.rows)
        return round(s.errors + size + c * s.depth / s.rows, 9)

    return f


@pytest.mark.parametrize("seeds", BLOCKS, ids=lambda seeds: str(seeds.start))
def test_bottom_up_by_any_function(seeds):
    for seed in seeds:
        raising = seed % 4 > 0
        case = random_case(seed, n_rows=20, linear=not raising)
        grove, f = grove_of(case), random_f(seed)
        found = BottomUp(f, raising)(case.tree, case.evidence)
        check(found, grove, bottom_up(grove, by_value(grove, f), raising))


def error_of(tree) -> float:
    """On the rows of its leaves, by what these answer."""
    if tree.task == "regression":
        weight = stats.leaf_weight_units(tree)
        return float(np.average(stats.leaf_impurity(tree, "squared_error"), weights=weight))
    leaves = np.flatnonzero(tree.is_leaf)
    units, told = stats.node_class_units(tree, leaves), decision.node_codes(tree, leaves)
    return float(1 - units[np.arange(len(leaves)), told].sum() / units.sum())


@pytest.mark.parametrize("seed", tries(30, 60))
def test_a_function_of_the_tree_sees_the_tree(seed):
    case = random_case(seed, n_rows=14, linear=False)
    grove, f = grove_of(case), random_f(seed)

    def of_tree(summary: Summary) -> float:
        tree = check_tree(summary.tree)
        assert (tree.n_nodes, tree.n_leaves) == (summary.nodes, summary.leaves)
        return f(replace(summary, errors=error_of(tree), tree=None))

    found = BottomUp(of_tree, whole_tree=True)(case.tree, case.evidence)
    check(found, grove, bottom_up(grove, by_value(grove, f), True))


def c45_errors(n: float, e: float, confidence: float) -> float:
    """The additional errors of C4.5, one case after the other."""
    shares = [0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00]
    deviates = [4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00]
    i = next(i for i, share in enumerate(shares) if confidence <= share)
    part = (confidence - shares[i - 1]) / (shares[i] - shares[i - 1])
    z = deviates[i - 1] + (deviates[i] - deviates[i - 1]) * part
    if e < 1e-6:
        return n * (1 - confidence ** (1 / n))
    if e < 0.9999:
        none = n * (1 - confidence ** (1 / n))
        return none + e * (c45_errors(n, 1.0, confidence) - none)
    if e + 0.5 >= n:
        return 0.67 * (n - e)
    share = e + 0.5 + z * z / 2 + math.sqrt(z * z * ((e + 0.5) * (1 - (e + 0.5) / n) + z * z / 4))
    return n * share / (n + z * z) - e


def chi2_limit(n: float, share: float, confidence: float) -> float:
    from scipy.stats import chi2

    if n <= 1:
        return HOPELESS
    return min(HOPELESS, (n + 1) * share / chi2.ppf(confidence, n - 1))


def estimate(grove: Grove, leaf, confidence: float, root: float) -> float:
    n, cost = float(grove.weight(leaf)), float(grove.cost(leaf))
    if grove.tree.task == "classification":
        return cost + c45_errors(n, cost, confidence)
    return chi2_limit(n, cost / root if root else 0.0, confidence)


@pytest.mark.parametrize("seeds", BLOCKS, ids=lambda seeds: str(seeds.start))
def test_pessimistic(seeds):
    for seed in seeds:
        raising = seed % 3 > 0
        case = random_case(seed, n_rows=24, linear=not raising)
        confidence = float(np.random.default_rng(seed).choice([0.25, 0.01, 0.1, 0.5, 0.9]))
        grove = grove_of(case)
        root = float(grove.cost(next(grove.leaves((0, ())))))

        def total(nested, grove=grove, confidence=confidence, root=root):
            parts = [estimate(grove, leaf, confidence, root) for leaf in grove.leaves(nested)]
            return round(sum(parts), 6)

        def choose(trials, path, grove=grove, total=total):
            leaf, *raised, kept = [total(one) for one in trials]
            slack = FEWER_ROWS + 1e-6 if grove.tree.task == "classification" else 0.0
            best = min(raised, default=math.inf)
            if leaf <= best + slack and leaf <= kept + slack:
                return 0
            return 1 + raised.index(best) if best <= kept + slack else len(trials) - 1

        found = Pessimistic(confidence, raising)(case.tree, case.evidence)
        check(found, grove, bottom_up(grove, choose, raising))


@pytest.mark.parametrize("form", ["textbook", "fixed"])
@pytest.mark.parametrize("seeds", blocks(300, 50), ids=lambda seeds: str(seeds.start))
def test_occam_bound(seeds, form):
    for seed in seeds:
        case = random_case(seed, "classification", weighted=False, n_rows=40, linear=False)
        delta = float(np.random.default_rng(seed).choice([0.05, 0.5, 0.999]))
        grove, tests = grove_of(case), len(case.tree.schema) if form == "textbook" else 2

        def f(s: Summary, delta=delta, tests=tests) -> float:
            length = (s.nodes + 1) * math.log2(tests + 3 + 1)
            return s.errors + math.sqrt((length + math.log(2 / delta)) / (2 * s.rows))

        pruner = GeneralisationBound(delta, form, tests if form == "fixed" else None)
        found = pruner(case.tree, case.evidence)
        check(found, grove, bottom_up(grove, by_value(grove, f), True))
        assert pruner.value(case.tree) == pytest.approx(f(summary_of(grove, grove.nested)))
