"""Rules of a model as text and as notebooks show them: a list of rules with their figures."""

from silva.inspect.record import html_table
from silva.inspect.rules.rule import Rule, prediction_words
from silva.inspect.rules.rule_list import RuleList
from silva.messages import counted
from silva.tree import words
from silva.tree.numerals import ROUNDED

MOST_SHOWN = 100


def rules_text(rules: RuleList) -> str:
    """What `print(rules)` shows: the first rules, with what they rest on below each."""
    lines = [f"{counted(len(rules), 'rule')} {rules.title}", rules.note]
    if rules.loss is not None:
        lines.append(str(rules.loss))
    shown = rules[:MOST_SHOWN]
    width = len(str(len(shown)))
    for number, rule in enumerate(shown, start=1):
        lines += ["", f"{number:>{width}}. {rule}", *_below(rule, " " * (width + 2))]
    return "\n".join([*lines, *_end(rules)])


def rules_html(rules: RuleList) -> str:
    """A table of the first rules."""
    heads = ["rule", "prediction", "training rows", *_given_head(rules)]
    lines = [_cells(rule, len(heads)) for rule in rules[:MOST_SHOWN]]
    notes = [rules.note, *([] if rules.loss is None else [str(rules.loss)]), *_end(rules)]
    return html_table(heads, lines, " ".join(filter(None, notes)))


def _below(rule: Rule, indent: str) -> list[str]:
    """The figures of a rule."""
    origin = "" if rule.tree is None else f"tree {rule.tree}, {words.percent(rule.vote)} of the"
    told = [f"{origin} vote"] if origin else []
    told += [f"{one.source}: {one}" for one in (rule.training, rule.given) if one]
    return [indent + line for line in told]


def _end(rules: RuleList) -> list[str]:
    lines = []
    if len(rules) > MOST_SHOWN:
        rest = counted(len(rules) - MOST_SHOWN, "more rule")
        lines += ["", f"... and {rest}; index the list or use to_frame() to see them"]
    if rules.default is not None:
        told = prediction_words(rules.default, rules._style)
        lines += ["", f"otherwise -> {told}"]
    return [*lines, *(["", ROUNDED] if any(map(_is_rounded, rules[:MOST_SHOWN])) else [])]


def _is_rounded(rule: Rule) -> bool:
    return str(rule) != str(rule.rounded(None))


def _given_head(rules: RuleList) -> list[str]:
    return ["given rows"] if len(rules) and rules[0].given is not None else []


def _cells(rule: Rule, width: int) -> list[str]:
    told = [rule.when, rule.then, str(rule.training or ""), str(rule.given or "")]
    return told[:width]
