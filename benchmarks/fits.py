"""Time the fits of silva and its peers on one table, and say whether they grew the same tree."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.peers import Peer, Work
from benchmarks.rows import Row, Target, times_row
from benchmarks.settings import Settings
from benchmarks.timing import Timing, take_turns

SHORTEST_JUDGED = 0.05  # CPU seconds below which the number of busy cores says nothing
CORES_ALLOWANCE = 1.15


@dataclass(frozen=True, slots=True)
class Contest:
    """One table and the tree to grow on it; `targets` has every peer to run, None: no target."""

    case: str
    work_text: str
    work: Work
    X: np.ndarray
    y: np.ndarray
    targets: Mapping[str, Target | None]

    @property
    def clock(self) -> str:
        """CPU time judges one thread (others may use the machine); wall time judges several."""
        return "CPU s" if self.work.threads == 1 else "wall s"


def compare_fits(contest: Contest, settings: Settings, peers: Mapping[str, Peer]) -> list[Row]:
    """One row a peer: its time over silva's, with leaves, depth and accuracy beside it."""
    names = [name for name in ("silva", *contest.targets) if name in peers]
    runs = {name: partial(peers[name].fit, contest.X, contest.y, contest.work) for name in names}
    timings = take_turns(runs, settings.repeats)
    facts = {name: tree_facts(peers[name], timings[name], contest) for name in names}
    return [
        fit_row(contest, name, timings, paired(facts["silva"], facts[name]))
        for name in names
        if name != "silva"
    ]


def fit_row(contest: Contest, peer: str, timings: Mapping[str, Timing], note: str) -> Row:
    """The row of one peer."""
    ours, theirs = seconds(timings["silva"], contest), seconds(timings[peer], contest)
    place = contest.case, contest.work_text, contest.clock
    return times_row(*place, ours, peer, theirs, contest.targets[peer], note)


def seconds(timing: Timing, contest: Contest) -> float:
    """The time by the clock that judges this contest."""
    return timing.cpu if contest.clock == "CPU s" else timing.wall


def tree_facts(peer: Peer, timing: Timing, contest: Contest) -> dict[str, str]:
    """What shows that contenders did the same work: tree, training accuracy, the other clock."""
    model = timing.result
    facts = {"leaves": f"{peer.leaves(model):,}"}
    if hasattr(model, "tree_"):
        facts["mean depth"] = f"{mean_depth(model.tree_):.1f}"
    name = "train accuracy" if contest.work.task == "classification" else "train R2"
    facts[name] = f"{quality(peer.predict(model, contest.X), contest):.4f}"
    facts["wall s" if contest.clock == "CPU s" else "CPU s"] = other_clock(timing, contest)
    return facts


def other_clock(timing: Timing, contest: Contest) -> str:
    """The time that does not judge, marked when more cores were busy than were allowed."""
    other = timing.wall if contest.clock == "CPU s" else timing.cpu
    busy = timing.cpu > SHORTEST_JUDGED and timing.cores > contest.work.threads * CORES_ALLOWANCE
    return f"{other:.3f}" + (f" ({timing.cores:.1f} CORES BUSY)" if busy else "")


def quality(predicted: np.ndarray, contest: Contest) -> float:
    """Accuracy, or for numbers R squared."""
    if contest.work.task == "classification":
        return accuracy(predicted, contest.y)
    return 1 - float(np.mean((predicted - contest.y) ** 2) / np.var(contest.y))


def accuracy(predicted: np.ndarray, y: np.ndarray) -> float:
    """The share of labels that are right."""
    return float(np.mean(predicted == y))


def mean_depth(tree: Any) -> float:
    """Mean depth of the leaf a training row ends in, from scikit-learn's array names."""
    level, depth, total = np.array([0]), 0, 0
    while level.size:
        leaf = tree.children_left[level] < 0
        total += depth * int(tree.n_node_samples[level[leaf]].sum())
        inner = level[~leaf]
        level = np.concatenate([tree.children_left[inner], tree.children_right[inner]])
        depth += 1
    return total / int(tree.n_node_samples[0])


def paired(ours: Mapping[str, str], theirs: Mapping[str, str]) -> str:
    """'leaves 10 / 12; ...': silva's figure first; only facts that both have."""
    return "; ".join(f"{key} {ours[key]} / {theirs[key]}" for key in ours if key in theirs)
