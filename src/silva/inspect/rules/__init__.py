"""Fitted models as logical rules."""

from silva.inspect.rules.of_model import rules
from silva.inspect.rules.parse import parse_rule
from silva.inspect.rules.rule import Rule
from silva.inspect.rules.rule_list import Loss, RuleList

__all__ = ["Loss", "Rule", "RuleList", "parse_rule", "rules"]
