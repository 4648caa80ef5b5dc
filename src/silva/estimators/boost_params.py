"""The parameters of AdaBoost: the tree that is boosted, and the plans of trees and of boosting."""

from typing import Any

from silva.checks import refuse, whole
from silva.ensemble.boost_plan import BoostPlan
from silva.estimators.classifier import BaseTreeClassifier, StumpClassifier
from silva.estimators.interrupts import check_on_interrupt
from silva.estimators.params import plan_of, seed
from silva.grow.plan import Plan
from silva.inspect.overrides import refuse_overrides

PEER = "sklearn.ensemble.AdaBoostClassifier"


def tree_estimator(given: Any) -> Any:
    """The tree that is boosted; anything but a tree classifier of silva is refused."""
    if given is None:
        return StumpClassifier()
    if not isinstance(given, BaseTreeClassifier):
        allowed = "use None or a silva tree classifier, such as silva.TreeClassifier(max_depth=3)"
        hint = f"{PEER} takes other estimators."
        if isinstance(given, type) and issubclass(given, BaseTreeClassifier):
            hint = f"Did you mean silva.{given.__name__}()?"
        refuse("estimator", given, allowed, hint)
    refuse_overrides("estimator", given, "AdaBoostClassifier", f"{PEER} calls them.")
    return given


def plans_of(estimator: Any, tree: Any, draw: bool = True) -> tuple[Plan, BoostPlan]:
    """The plans of the trees and of boosting; bad parameters are refused here.

    Without `draw` no random state is touched.
    """
    plan = plan_of(tree, "classification", draw=False)
    whole("verbose", estimator.verbose, 0)
    check_on_interrupt(estimator)
    drawn = seed(estimator.random_state, plan.is_random and draw)
    return plan, BoostPlan(estimator.n_estimators, estimator.learning_rate, drawn)
