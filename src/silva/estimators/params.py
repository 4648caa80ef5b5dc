"""From an estimator's parameters to the values that the stages below take."""

from dataclasses import replace
from functools import lru_cache
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from silva.checks import as_float, either, is_real, is_whole, real, refuse, whole
from silva.data.table import Task
from silva.errors import PlanError
from silva.grow.plan import SEED_LIMIT, Plan
from silva.grow.presets import PRESETS, STOPPING_RULES, other_plan, preset
from silva.leaf.choice import NAMES, Leaf, checked
from silva.messages import shown
from silva.prune.fitting import InternalSplit
from silva.prune.names import Pruner, pruner_of

PLAN_PARAMETERS = (
    "criterion",
    "splitter",
    *STOPPING_RULES,
    "max_features",
    "splits",
    "missing",
    "unseen",
    "thresholds",
    "category_gain",
)

PLAIN_TYPES = frozenset({str, int, float, bool, type(None)})


def keep_parameters(estimator: Any, given: dict[str, Any]) -> None:
    """The parameters of a constructor, unjudged, as attributes: what scikit-learn asks for."""
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


def plan_of(estimator: Any, task: Task, draw: bool = True) -> Plan:
    """The growth plan of an estimator; a bad parameter is refused here, before any data is read.

    Without `draw` no random state is touched: for plans that are looked at, not grown.
    """
    _refuse_searches(estimator)
    _check_pruning(estimator)
    whole("verbose", getattr(estimator, "verbose", 0), 0)
    given = getattr(estimator, "plan", None)
    if given is not None:
        return _given_plan(estimator, given, task, draw)
    choices = {name: getattr(estimator, name) for name in PLAN_PARAMETERS}
    splitter = estimator.splitter
    is_random = isinstance(splitter, str) and splitter == "random"
    is_random |= estimator.max_features is not None
    choices["seed"] = seed(estimator.random_state, is_random and draw)
    if PLAIN_TYPES.issuperset(map(type, choices.values())):
        return _plain_plan(task=task, **choices)
    return Plan(task=task, **choices)


def _refuse_searches(estimator: Any) -> None:
    """Refuse an estimator whose trees do not grow by a plan, wherever trees are grown again."""
    if not hasattr(type(estimator), "_of_search"):
        return
    kind = type(estimator).__name__
    raise PlanError(
        f"{kind} searches for its tree and has no plan of growth, which this needs: use a tree that"
        " grows, such as silva.TreeClassifier(max_depth=3)."
    )


@lru_cache(maxsize=64, typed=True)
def _plain_plan(**choices: Any) -> Plan:
    """The plan of words and numbers: checked once, and shared as it cannot change.

    The cache tells 1, 1.0 and True apart, which do not all mean the same; but not inside of
    containers, so that choices of other types are checked every time.
    """
    return Plan(**choices)


def _given_plan(estimator: Any, given: Any, task: Task, draw: bool) -> Plan:
    """A whole plan; it leaves the random state to the estimator, and a forest its own draws."""
    _refuse_beside_plan(estimator)
    plan = preset(given, task) if isinstance(given, str) else given
    if not isinstance(plan, Plan):
        allowed = f"use None, {either(tuple(PRESETS))}, or a silva.Plan"
        meant = next((name for name, make in PRESETS.items() if make is given), None)
        refuse("plan", given, allowed, f"Did you mean plan=silva.{meant}()?" if meant else "")
    pruner_of(plan.prune)
    if plan.task != task:
        allowed = f"{type(estimator).__name__} needs a plan with task={task!r}"
        refuse("plan", given, allowed)
    plan = _with_forest_draws(estimator, plan)
    if estimator.random_state is None:
        return plan
    return replace(plan, seed=seed(estimator.random_state, plan.is_random and draw))


def _with_forest_draws(estimator: Any, plan: Plan) -> Plan:
    """The plan with what a forest draws at each node: columns and, in extra-trees, thresholds.

    Where the plan makes such a choice itself, a forest's parameter at its default yields to it.
    """
    names = (name for name in _forest_draws(estimator) if _decides(estimator, plan, name))
    drawn = {name: getattr(estimator, name) for name in names}
    needed = plan.needs_best_splitter
    if needed is not None and drawn.get("splitter") == "random":
        kind = type(estimator).__name__
        allowed = f"{kind} draws thresholds at random, and the plan's {needed} needs all of them"
        other = kind.replace("ExtraTrees", "Forest")
        refuse("plan", estimator.plan, allowed, f"Use {other} with splitter='best'.")
    return replace(plan, **drawn)


def _forest_draws(estimator: Any) -> tuple[str, ...]:
    return getattr(type(estimator), "_draws", ())


def _decides(estimator: Any, plan: Plan, name: str) -> bool:
    """Whether a forest's own choice holds, and not that of the plan."""
    parameters = signature(type(estimator)).parameters
    if name not in parameters or not _is_same(getattr(estimator, name), parameters[name].default):
        return True
    return bool(getattr(plan, name) == signature(Plan).parameters[name].default)


def _refuse_beside_plan(estimator: Any) -> None:
    defaults = signature(type(estimator)).parameters
    for name in PLAN_PARAMETERS:
        if name not in defaults or name in _forest_draws(estimator):
            continue
        value, default = getattr(estimator, name), defaults[name].default
        if not _is_same(value, default):
            allowed = f"leave it at its default ({default!r}) beside plan={shown(estimator.plan)}"
            refuse(name, value, allowed, _part_of_plan(estimator.plan, name))


def _is_same(value: Any, default: Any) -> bool:
    plain = value.item() if isinstance(value, np.generic) else value
    return plain is default or bool(type(plain) is type(default) and plain == default)


def _part_of_plan(plan: Any, name: str) -> str:
    """How a plan is given what stands beside it."""
    if not isinstance(plan, str) or plan not in PRESETS:
        return f"Give {name} to the plan instead."
    if name in STOPPING_RULES:
        return f"Give {name} to the plan instead: plan=silva.{plan}({name}=...)."
    return f"{plan} decides that itself; {other_plan(plan, name)}."


def leaf_of(leaf: Any, task: Task) -> Leaf:
    """What leaves shall answer; None for what they answer anyway."""
    choice = checked(leaf, task)
    return None if choice == NAMES[task][0] else choice


class Pruning(NamedTuple):
    """How a tree is pruned: by a pruner, which may hold rows out, or by cost complexity."""

    pruner: Pruner | None
    split: InternalSplit
    ccp_alpha: float


def pruning_of(estimator: Any, plan: Plan, drawing: int | None = None) -> Pruning:
    """The pruner that the estimator asks for, else that of its plan, and how rows are held out.

    `ccp_alpha` takes the place of a plan's own pruner. Without a random state, rows are always
    drawn in the same way; `drawing` is a seed that takes its place.
    """
    asked = estimator.prune
    if asked is None and not estimator.ccp_alpha:
        asked = plan.prune
    if drawing is None:
        is_seeded = asked is not None and estimator.random_state is not None
        drawing = seed(estimator.random_state, is_seeded)
    split = InternalSplit(float(estimator.validation_fraction), drawing)
    return Pruning(pruner_of(asked, drawing), split, float(estimator.ccp_alpha))


def _check_pruning(estimator: Any) -> None:
    """At most one way of pruning, and one that exists."""
    ccp_alpha, prune = estimator.ccp_alpha, estimator.prune
    real("ccp_alpha", ccp_alpha, 0.0)
    if pruner_of(prune) is not None and ccp_alpha != 0.0:
        hint = "ccp_alpha prunes by cost complexity already."
        allowed = f"give either prune or ccp_alpha={shown(ccp_alpha)}, not both"
        refuse("prune", prune, allowed, hint)
    fraction = estimator.validation_fraction
    if not is_real(fraction) or not 0.0 < as_float(fraction) < 1.0:
        refuse("validation_fraction", fraction, "use a number above 0 and below 1")


def seed(random_state: Any, is_random: bool) -> int:
    """A seed from scikit-learn's `random_state`.

    None draws from NumPy's global random state, and a RandomState from itself, but only when the
    plan makes a random choice: otherwise neither is touched.
    """
    if is_whole(random_state) and 0 <= random_state < SEED_LIMIT:
        return int(random_state)
    if random_state is not None and not isinstance(random_state, np.random.RandomState):
        allowed = "use None, a whole number from 0 to 2**64 - 1, or a numpy.random.RandomState"
        refuse("random_state", random_state, allowed)
    if not is_random:
        return 0
    source: Any = np.random if random_state is None else random_state
    return int(source.randint(0, SEED_LIMIT - 1, dtype=np.uint64))
