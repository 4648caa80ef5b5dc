"""The algorithms of the textbooks, each a Plan that an estimator takes: `plan=silva.ID3()`.

Each takes the stopping rules of `Plan` (`max_depth`, `min_samples_leaf`, ...) to override its own.
docs/splits.md puts them beside their pseudo-code, line by line.
"""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from silva.checks import check_choice, either, refuse
from silva.data.table import Task
from silva.errors import PlanError
from silva.grow.plan import Plan
from silva.grow.splits import KindForms
from silva.messages import nearest

STOPPING_RULES = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "min_gain",
)
ID3_CRITERIA = ("entropy", "error", "gini")
LEAST_GAIN = 1e-9
CART_CRITERION: dict[Task, str] = {"classification": "gini", "regression": "squared_error"}


def ID3(criterion: str = "entropy", **stopping: Any) -> Plan:  # noqa: N802, the algorithm's name
    """Quinlan's ID3: the column of largest gain, one child for each of its values.

    Categorical and ordered columns get a child for each value that the node's rows have, so no
    path asks about one of them twice; a yes/no column has two children. A node becomes a leaf
    when its rows have one label, or when no question separates them: then the majority answers.
    `criterion` is the information gain, or the gain in train error or Gini impurity.

    Numbers are split by thresholds at breakpoints: between neighbouring values that do not both
    belong to one and the same class. Missing values are an error. A value that no training row of
    a node had stops there, and the node's own majority answers.
    """
    check_choice("criterion", criterion, ID3_CRITERIA)
    choices = {
        "splits": KindForms(categorical="multiway", ordinal="multiway"),
        "thresholds": "breakpoints",
        "missing": "error",
        "unseen": "stop",
        "category_gain": "plain",
    }
    return _plan("ID3", "classification", criterion, choices, stopping)


def C45(**stopping: Any) -> Plan:  # noqa: N802, the algorithm's name
    """Quinlan's C4.5: the largest gain ratio among the questions of at least average gain.

    Categorical columns get a child for each value, numbers and ordered columns a threshold; at
    least two children of a split hold at least two rows, and a split that gains nothing is not
    made. A value that no training row of a node had stops there.

    Where this is not yet C4.5 to the letter: rows with a missing value get a branch of their own
    instead of going down every branch in fractions; a threshold is the midpoint of two values
    instead of the lower one, and its gain is not charged for the choice among many.

    Estimators prune it by C4.5's pessimistic estimate (`prune="none"` leaves it whole).
    """
    choices = {
        "splits": KindForms(categorical="multiway"),
        "min_samples_split": 4,
        "min_samples_leaf": 2,
        "min_gain": LEAST_GAIN,
        "missing": "own_branch",
        "unseen": "stop",
        "category_gain": "plain",
        "prune": "pessimistic",
    }
    return _plan("C45", "classification", "gain_ratio", choices, stopping)


def CART(task: Task = "classification", **stopping: Any) -> Plan:  # noqa: N802, the name it has
    """Breiman, Friedman, Olshen and Stone's CART: binary questions by Gini impurity or variance.

    Numbers and ordered columns get a threshold, categorical columns a set of values against the
    rest. Estimators prune it by cost complexity, cross-validated, with the rule of one standard
    error (`prune="none"` leaves it whole, `ccp_alpha` prunes at an alpha of your own).

    Where this is not yet CART to the letter: missing values learn a side (they take part in the
    search) instead of following surrogate splits; a value that training did not see goes to the
    heavier child.
    """
    check_choice("task", task, tuple(CART_CRITERION))
    choices = {
        "splits": KindForms(categorical="subset"),
        "category_gain": "plain",
        "prune": "cost_complexity",
    }
    return _plan("CART", task, CART_CRITERION[task], choices, stopping)


def greedy_accuracy(**stopping: Any) -> Plan:
    """The greedy tree of the course example: the yes/no question that gets most rows right.

    The score of a question is the number of rows that the majority answers of its NO and YES sides
    get right. A node becomes a leaf when its rows have one label, or when no question is left. All
    columns must be yes/no columns without missing values.
    """
    choices = {"missing": "error", "unseen": "error", "column_kinds": ("binary",)}
    return _plan("greedy_accuracy", "classification", "error", choices, stopping)


PRESETS: dict[str, Callable[..., Plan]] = {
    "ID3": ID3,
    "C45": C45,
    "CART": CART,
    "greedy_accuracy": greedy_accuracy,
}


def preset(name: str, task: Task) -> Plan:
    """The preset of this name, for a task that it knows."""
    check_choice("plan", name, tuple(PRESETS))
    if name == "CART":
        return CART(task)
    if task != "classification":
        hint = "plan='CART' grows regression trees."
        refuse("plan", name, f"{name} grows classification trees, not {task} trees", hint)
    return PRESETS[name]()


def _plan(
    name: str, task: Task, criterion: str, choices: dict[str, Any], stopping: dict[str, Any]
) -> Plan:
    for rule in stopping:
        if rule not in STOPPING_RULES:
            raise PlanError(f"{name} has no stopping rule {rule!r}: {_way_out(name, rule)}")
    return Plan(task, criterion, **(choices | stopping))


def _way_out(name: str, rule: str) -> str:
    if rule in (field.name for field in fields(Plan)):
        return f"{name} decides that itself; {other_plan(name, rule)}"
    found = nearest(rule, STOPPING_RULES)
    return f"did you mean {found!r}?" if found else f"it takes {either(STOPPING_RULES)}"


def other_plan(name: str, choice: str) -> str:
    """How to get a plan that differs from a preset in what the preset decides."""
    return f"another plan is made with dataclasses.replace(silva.{name}(), {choice}=...)"
