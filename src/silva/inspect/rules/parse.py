"""Rules read back from their text: the exact inverse of `Rule.__str__`.

Nothing is guessed: names, levels and classes are looked up in the lexicon of the model.
"""

import re
from typing import Any

import numpy as np

from silva.errors import DataError
from silva.inspect.rules.formulas import Formula, Model, Term
from silva.inspect.rules.lexicon import Lexicon, Style
from silva.inspect.rules.parse_conditions import parse_conditions
from silva.inspect.rules.rule import Rule
from silva.inspect.rules.rule_list import RuleList
from silva.inspect.rules.scanner import NUMBER, Scanner
from silva.inspect.subject import subject_of
from silva.messages import shown
from silva.tree.linear import models_a_leaf
from silva.tree.words import name

_SIZE = re.compile(r" \((?:stops at a node of )?[\d,]+ rows?\)$")
_SIGN = re.compile(r" ([+-]) ")


def parse_rule(text: str, model: Any, *, target: str = "") -> Rule:
    """Read a rule from its text, as `str(rule)` writes it without `digits`.

    Parameters
    ----------
    text : str
        Such as `30 <= area < 50 and (floor in {2, 3} or missing) -> 410 (57 rows)`. The number of
        rows may be left out; it is not read.
    model : fitted model, Tree, RuleList or Rule
        What the rule speaks of: its columns, levels and classes.
    target : str, default=""
        The name of the target, where the text has one before the prediction.

    Returns
    -------
    Rule
        With conditions and prediction, without evidence: `covers(X)` says which rows satisfy it.

    Raises
    ------
    DataError
        If the text is no rule of these columns; the message says where and what was expected.

    Examples
    --------
    >>> import silva
    >>> model = silva.TreeClassifier().fit([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    >>> rule = silva.inspect.parse_rule("x0 >= 1.5 or missing -> b", model)
    >>> rule.covers([[1.0], [1.5], [float("nan")]]).tolist()
    [False, True, True]
    """
    if not isinstance(text, str):
        raise DataError(f"text={shown(text)} is not possible: give the text of a rule.")
    lexicon, known = _lexicon_of(model)
    called = target or known
    scanner = Scanner(_SIZE.sub("", text.strip()), lexicon)
    conditions = parse_conditions(scanner)
    scanner.expect(" -> ")
    if called:
        scanner.take(f"{name(called)} ")
    return Rule(conditions, _prediction(scanner), _style=Style(lexicon, target=called))


def _lexicon_of(model: Any) -> tuple[Lexicon, str]:
    if isinstance(model, RuleList | Rule):
        return model._style.lexicon, model._style.target
    subject = subject_of(model)
    return Lexicon(subject.schema, subject.labels), ""


def _prediction(scanner: Scanner) -> Any:
    """Read the class, number or formula that makes up the rest of the text."""
    lexicon, rest = scanner.lexicon, scanner.rest()
    if lexicon.labels is None:
        whole = NUMBER.fullmatch(rest)
        return float(rest) if whole else _formula(scanner, (None,))
    if rest in lexicon.classes:
        return lexicon.labels[lexicon.classes.index(rest)]
    if not rest.startswith("log-odds of "):
        scanner.refuse(f"one of the classes {', '.join(lexicon.classes[:10])}")
    width = models_a_leaf(len(lexicon.labels))
    return _formula(scanner, lexicon.classes[-width:])


def _formula(scanner: Scanner, labels: tuple[str | None, ...]) -> Formula:
    models = []
    for number, label in enumerate(labels):
        if number:
            scanner.expect("; ")
        if label is not None:
            scanner.expect(f"log-odds of {label}: ")
        models.append(_model(scanner))
    if scanner.rest():
        scanner.refuse("the end of the rule")
    known = scanner.lexicon.labels
    classes = None if known is None else np.array(known)
    return Formula(tuple(models), scanner.lexicon.schema, classes)


def _model(scanner: Scanner) -> Model:
    intercept, terms = scanner.number(), []
    while True:
        sign = scanner.match(_SIGN)
        if sign is None:
            break
        terms.append(_term(scanner, -1.0 if sign[1] == "-" else 1.0))
    low, high = -np.inf, np.inf
    if scanner.take(", between "):
        low = scanner.number()
        scanner.expect(" and ")
        high = scanner.number()
    elif scanner.take(", at least "):
        low = scanner.number()
    elif scanner.take(", at most "):
        high = scanner.number()
    return Model(intercept, tuple(terms), low, high)


def _term(scanner: Scanner, sign: float) -> Term:
    """Read `0.5*age` or `0.5*(age - 40)`."""
    weight = sign * scanner.number()
    scanner.expect("*")
    opened = scanner.take("(")
    column, code = scanner.term()
    center = 0.0
    if opened:
        negative = scanner.match(_SIGN)
        if negative is None:
            scanner.refuse("' - ' or ' + ' and a number")
        center = scanner.number() * (1.0 if negative[1] == "-" else -1.0)
        scanner.expect(")")
    return Term(weight, column, code, center)
