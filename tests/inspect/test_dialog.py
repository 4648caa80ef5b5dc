"""The question dialog: answers lead to the tree's own prediction, states are values."""

import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import silva
from silva.data.schema import MISSING_CODE, UNSEEN_CODE, Column, Schema
from silva.errors import DataError, PlanError, SilvaError
from silva.inspect.dialog import Dialog
from silva.inspect.rules import parse_rule
from silva.inspect.rules.matching import holds, matching
from silva.leaf import answers
from silva.tree import route, stats
from silva.tree.builder import TreeBuilder
from silva.tree.check import check
from silva.tree.linear import LinearLeaves
from silva.tree.splits import (
    STOP,
    VALUE,
    Distance,
    Multiway,
    Oblique,
    Subset,
    Threshold,
    columns_of,
    split_of,
)
from silva.tree.words import quantity
from tests.inspect.reason_cases import fuzzed_table
from tests.tree.tree_samples import (
    SAMPLES,
    animal_tree,
    dated_tree,
    linear_tree,
    moments,
    patient_tree,
    trees,
)

N_ROWS = 6


def value_of(tree, column, cell):
    """What a person says about a cell: a number, a level, None, or that it is another value."""
    levels = tree.schema.columns[column].levels
    if levels is None:
        return None if math.isnan(cell) else float(cell)
    special = {MISSING_CODE: None, UNSEEN_CODE: "another value"}
    return special[int(cell)] if cell < 0 else levels[int(cell)]


def by_value(state, tree, table, row):
    column = state._place.column
    return value_of(tree, column, table.columns[column][row])


def by_option(state, tree, table, row):
    """The first option that holds the row's value; the value where no option has it."""
    rows = np.array([row])
    for option in state.question.options:
        if holds(option._values, table, rows)[0] and not option._vague:
            return option
    return by_value(state, tree, table, row)


def is_refused(tree, table, row):
    """Whether a policy forbids a value of the row."""
    for column, cells in zip(tree.schema.columns, table.columns, strict=True):
        missing = math.isnan(cells[row]) if column.levels is None else cells[row] == MISSING_CODE
        unseen = column.levels is not None and cells[row] == UNSEEN_CODE
        if (missing and column.missing == "error") or (unseen and column.unseen == "error"):
            return True
    return False


def asked_through(tree, table, row, say):
    """All states from the first question to the result."""
    states = [Dialog(tree)]
    while not states[-1].finished:
        states.append(states[-1].answer(say(states[-1], tree, table, row)))
    return states


def expected(tree, table, rows, nodes):
    if tree.classes is None:
        return answers.predict_values(tree, nodes, table.take(rows)).tolist()
    return tree.classes[answers.predict_codes(tree, nodes, table.take(rows))].tolist()


def most_questions(tree, node):
    """One for each split on the way, or for each column of a split of several, and of the leaf."""
    parent, found = stats.parent(tree), len(set(tree.linear.column.tolist())) if tree.linear else 0
    while node >= 0:
        split = split_of(tree, node)
        found += 0 if split is None else len(columns_of(split))
        node = int(parent[node])
    return found


@settings(max_examples=100)
@given(trees(), st.integers(0, 2**31), st.sampled_from([by_value, by_option]))
def test_answers_lead_to_the_prediction_of_the_row(tree, seed, say):
    table = fuzzed_table(tree, seed, N_ROWS)
    rows = np.array([row for row in range(N_ROWS) if not is_refused(tree, table, row)], dtype=int)
    assume(len(rows))
    nodes = route.leaves(tree, table.take(rows))
    predicted = expected(tree, table, rows, nodes)
    shares = None if tree.classes is None else answers.predict_shares(tree, nodes, table.take(rows))
    for place, (row, node) in enumerate(zip(rows.tolist(), nodes.tolist(), strict=True)):
        states = asked_through(tree, table, row, say)
        last = states[-1]
        np.testing.assert_equal(last.result.prediction, predicted[place])
        assert len(states) - 1 <= most_questions(tree, node)
        if last.result.settled:
            assert last._place.node <= node < tree.subtree_end[last._place.node]
        else:
            assert last._place.node == node
            assert last.result.evidence.rows == stats.node_rows(tree)[node]
            if shares is not None:
                found = dict(last.result.shares)
                told = zip(tree.classes.tolist(), shares[place].tolist(), strict=True)
                assert found == {label: share for label, share in told if share > 0}


@settings(max_examples=80)
@given(trees(), st.integers(0, 2**31), st.sampled_from([by_value, by_option]))
def test_the_rule_of_a_result_is_true_of_every_row(tree, seed, say):
    assume(tree.linear is None)
    table = fuzzed_table(tree, seed, 200)
    told = expected(tree, table, np.arange(200), route.leaves(tree, table))
    for row in (row for row in range(5) if not is_refused(tree, table, row)):
        result = asked_through(tree, table, row, say)[-1].result
        if not result.rule:
            assert result.settled
            continue
        covered = matching(parse_rule(result.rule, tree).conditions, table, np.arange(200))
        np.testing.assert_equal([told[i] for i in covered], [result.prediction] * len(covered))
        assert row in covered or say is by_option


def test_a_settled_rule_says_what_the_answers_say_beyond_the_node():
    loans = pd.read_csv(Path(__file__).parents[2] / "examples" / "loans.csv")
    model = silva.TreeClassifier(max_depth=4).fit(loans.drop(columns="repaid"), loans["repaid"])
    result = Dialog(model).answer(1800).answer(3000).result
    assert result.settled
    assert result.rule == "income < 1925 and (loan >= 2750 or missing) -> no"


@settings(max_examples=60)
@given(trees(), st.integers(0, 2**31))
def test_states_are_values_that_can_be_stored_and_shown(tree, seed):
    table = fuzzed_table(tree, seed, 1)
    assume(not is_refused(tree, table, 0))
    states = asked_through(tree, table, 0, by_option)
    for before, after in pairwise(states):
        assert after.back() == before
        assert hash(after.back()) == hash(before)
        assert after != before
        assert before.answer(by_option(before, tree, table, 0)) == after
    for state in states:
        stored = json.loads(json.dumps(state.to_dict(), allow_nan=False))
        assert (stored["question"] is None) == (stored["result"] is not None) == state.finished
        json.dumps(state.why().to_dict(), allow_nan=False)
        assert str(state)
        assert str(state.why())
        assert state._repr_html_().startswith("<pre")
        assert len(str(state).splitlines()) < 40


@settings(max_examples=60)
@given(trees(), st.integers(0, 2**31))
def test_every_question_matters(tree, seed):
    table = fuzzed_table(tree, seed, 1)
    assume(not is_refused(tree, table, 0))
    asked = []
    for state in asked_through(tree, table, 0, by_value)[:-1]:
        why = state.why()
        assert len(why.predictions) > 1 or tree.linear is not None
        assert state.question.options[-1].words == "I do not know"
        keys = [option.key for option in state.question.options]
        assert len(set(keys)) == len(keys)
        if by_value(state, tree, table, 0) != "another value":  # a group of levels
            asked.append(state.question.column)
    assert len(set(asked)) == len(asked)  # a value answers all questions about its column


@settings(max_examples=60)
@given(trees(), st.integers(0, 2**31))
def test_why_names_every_prediction_that_is_still_possible(tree, seed):
    table = fuzzed_table(tree, seed, 40)
    allowed = [row for row in range(40) if not is_refused(tree, table, row)]
    assume(allowed and tree.linear is None)
    rows = np.array(allowed)
    for state in asked_through(tree, table, allowed[0], by_option):
        for answer in state.answers:
            rows = rows[holds(answer.values, table, rows)]
        nodes = route.leaves(tree, table.take(rows))
        why = state.why()
        possible = {one.prediction for one in why.predictions}
        assert set(expected(tree, table, rows, nodes)) <= possible
        assert tree.classes is not None or (why.low, why.high) == (min(possible), max(possible))
        assert all(0 < one.rows <= why.evidence.rows for one in why.predictions)
        if state.finished:
            assert possible == {state.result.prediction}


@settings(max_examples=60)
@given(trees(), st.integers(0, 2**31))
def test_what_a_policy_forbids_is_refused_with_what_is_possible(tree, seed):
    table = fuzzed_table(tree, seed, N_ROWS)
    for row in (one for one in range(N_ROWS) if is_refused(tree, table, one)):
        state = Dialog(tree)
        while not state.finished:
            column = tree.schema.columns[state._place.column]
            say = by_value(state, tree, table, row)
            refused = (say is None and column.missing == "error") or (
                say == "another value" and column.unseen == "error"
            )
            try:
                state = state.answer(say)
            except SilvaError as error:
                message = str(error)
                break
            assert not refused or state.answers[-1].values.codes  # known, but not listed
        else:
            continue
        assert refused
        assert "answer " in message


def explored(state):
    """The last states of all ways through the options; numbers are the least that are possible."""
    if state.finished:
        return [state]
    options = [one for one in state.question.options if one.possible]
    if state.question.exact and state.question.takes != "level":
        known = state._knowledge.get(state._place.column)
        least = 1.0 if known is None or known.values.low is None else known.values.low
        column = state._source.columns[state._place.column]
        options.append(least if column.time is None else quantity(column, least))
    return [end for option in options for end in explored(state.answer(option))]


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_leaf_is_reached(sample):
    tree = sample()
    found = explored(Dialog(tree))
    reached = {leaf for end in found for leaf in leaves_of(tree, end)}
    assert reached == set(np.flatnonzero(tree.is_leaf).tolist())


def leaves_of(tree, end):
    node = end._place.node
    return [one for one in range(node, tree.subtree_end[node]) if tree.is_leaf[one]]


def course(**choices):
    columns = ("Sys", "AI")
    build = TreeBuilder(
        Schema(tuple(Column(name, "binary", ("no", "yes"), **choices) for name in columns)),
        "classification",
        np.array(["no", "yes"]),
    )
    root = build.add_split(None, 0, Threshold(0, 1.0, 0, 0), gain=0.5)
    build.add_leaf(root, 0, 10, {1: 10})
    second = build.add_split(root, 1, Threshold(1, 1.0, 1, 0), gain=0.5)
    build.add_leaf(second, 0, 6, {0: 6})
    build.add_leaf(second, 1, 4, {0: 1, 1: 3})
    return build.finish()


def test_a_dialog_from_start_to_end():
    start = Dialog(course())
    assert str(start) == (
        "Sys: yes or no?\n"
        "  a  yes\n"
        "  b  no\n"
        "  c  another value (counts as no, the larger branch)\n"
        "  d  I do not know (counts as no, the larger branch)"
    )
    assert start.result is None
    second = start.answer("Yes")
    assert [option.leads_to for option in start.question.options[:2]] == [
        "the question about AI",
        "the prediction yes",
    ]
    assert second.question.options[3].leads_to == "counts as yes, learned in training"
    assert str(second.why()) == (
        "The prediction can still be no (6 training rows) or yes (4 training rows).\n"
        "10 training rows remain: no 70%, yes 30%.\n"
        "The answer about AI decides between:\n"
        "  yes: yes\n"
        "  no: no\n"
        "  another value: no\n"
        "  I do not know: yes"
    )
    end = second.answer("b")
    assert end.question is None
    assert str(end.result) == (
        "Prediction: no\n"
        "  Sys is yes and AI is no.\n"
        "  evidence: 6 training rows: no 100%\n"
        "  95% interval of the share of no: 61% to 100%\n"
        "  Few rows: this rests on fewer than 10 training rows.\n"
        "  rule: Sys = yes and (AI = no or unseen) -> no"
    )
    assert str(end.why()).splitlines()[-1] == "Nothing is left to ask."
    assert end.back() == second == start.answer(start.question.options[0])
    assert repr(end) == "<Dialog: Sys is yes, AI is no; finished>"


def test_a_question_that_would_not_change_the_prediction_is_not_asked():
    end = Dialog(animal_tree()).answer(50.0)
    assert end.finished
    assert end.result.settled
    assert end.result.prediction == "lion"
    assert end.result.evidence.rows == 9
    assert "Further questions would not change the prediction." in str(end)


def test_a_range_is_kept_and_narrowed():
    model = grown([[1.0], [2.0], [3.0], [4.0]], ["a", "b", "c", "d"])
    state = Dialog(model)
    while not state.finished:
        last, state = state, state.answer(state.question.options[0])
    assert len(state.answers) > 1
    assert state.result.path == "x0 is below 1.5."
    with pytest.raises(DataError, match="contradicts an earlier answer, x0 is below"):
        last.answer(100.0)


def test_not_knowing_more_than_a_range_follows_missing_values():
    schema = Schema((Column("x", "continuous"),))
    build = TreeBuilder(schema, "classification", np.array(["a", "b", "c"]))
    root = build.add_split(None, 0, Threshold(0, 10.0, 1, 1), gain=0.5)
    below = build.add_split(root, 0, Threshold(0, 5.0, 1, 1), gain=0.5)
    build.add_leaf(below, 0, 6, {0: 6})
    build.add_leaf(below, 1, 4, {1: 4})
    build.add_leaf(root, 1, 3, {2: 3})
    state = Dialog(build.finish()).answer("below 10").answer("I do not know")
    assert state.result.prediction == "b"
    assert str(state.answers[-1]) == "x is below 10, not known any closer"


def grown(rows, target, **choices):
    return silva.TreeClassifier(**choices).fit(rows, target)


def test_the_training_range_is_shown_where_it_is_known():
    model = grown([[1.0, 2], [2.0, 1], [3.0, 5]], ["a", "a", "b"])
    assert "training rows" not in str(Dialog(model.grown_tree_))
    start = Dialog(model)
    assert str(start).splitlines()[0] == "What is x0? (training rows: 1 to 3)"
    assert (start.question.low, start.question.high) == (1.0, 3.0)
    assert start.answer(3).note == ""
    assert start.answer("a").note == ""
    state = start.answer("7.5")
    assert state.note == "7.5 is outside the range of x0 in the training rows, 1 to 3."
    assert state.to_dict()["note"] == state.note
    assert str(state).startswith(state.note)


def housing(**choices):
    """A split of sets, one of every level, and one that lists only some."""
    levels = ("own", "parents", "rent", "other")
    build = TreeBuilder(
        Schema((Column("housing", "categorical", levels, **choices),)),
        "classification",
        np.array([0, 1, 2]),
    )
    root = build.add_split(None, 0, Subset(0, (0, 1), (), 1, 0), gain=0.5)
    each = build.add_split(root, 0, Multiway(0, (2,), 1, 1), gain=0.5)
    build.add_leaf(each, 0, 5, {0: 5})
    build.add_leaf(each, 1, 2, {1: 2})
    build.add_leaf(root, 1, 7, {2: 7})
    return build.finish()


def test_levels_are_asked_in_the_groups_of_the_split():
    start = Dialog(housing())
    assert str(start) == (
        "What is housing?\n"
        "  a  rent or other\n"
        "  b  own or parents\n"
        "  c  another value (counts as rent or other, the larger branch)\n"
        "  d  I do not know (counts as own or parents, learned in training)\n"
        "  or type the level"
    )
    state = start.answer("a")
    assert [option.words for option in state.question.options] == [
        "rent",
        "another value",
        "I do not know",
    ]
    assert state.answer("another value").result.prediction == 1
    assert start.answer("OTHER").result.prediction == 1
    assert start.answer("other").to_dict()["answers"][0]["value"] == "other"
    assert start.answer(start.question.options[2]).result.prediction == 1


@pytest.mark.parametrize("given", ["castle", "x", 3, 2.5, True, object(), "", "aa", b"own"])
def test_a_wrong_level_is_told_what_is_possible(given):
    with pytest.raises(
        DataError,
        match="is not a level of housing: answer own, parents, rent, other, 'another value' or"
        " 'I do not know'",
    ):
        Dialog(housing()).answer(given)


@pytest.mark.parametrize("given", ["abc", "1,000", "", object(), [1], "2024-03-01", 10**400])
def test_a_wrong_number_is_told_what_is_possible(given):
    with pytest.raises(DataError, match=r"is not a number: answer a number, 'below 2.5', '2.5 o"):
        Dialog(grown([[1.0], [2.0], [3.0]], ["a", "a", "b"])).answer(given)


@pytest.mark.parametrize("given", [None, math.nan, np.float32("nan"), pd.NA, "d", "I DO not know"])
def test_missing_values_are_not_known(given):
    tree = housing()
    assert Dialog(tree).answer(given) == Dialog(tree).answer(Dialog(tree).question.options[-1])


def test_forbidden_answers_say_so():
    start = Dialog(housing(missing="error", unseen="error"))
    assert "I do not know (not possible, the model refuses rows without housing)" in str(start)
    with pytest.raises(DataError, match="'I do not know' is not possible, the model refuses"):
        start.answer("I do not know")
    with pytest.raises(DataError, match="refuses other values of housing: answer own, parents"):
        start.answer("another value")
    with pytest.raises(DataError, match="refuses rows without"):
        start.answer(None)


def test_levels_that_look_like_keys_or_answers_are_levels():
    levels = ("a", "B", "another value", "I do not know", "1", 1)
    build = TreeBuilder(
        Schema((Column("x", "categorical", levels),)), "classification", np.arange(6)
    )
    root = build.add_split(None, 0, Multiway(0, (0, 1, 2, 3, 4, 5), 0, 0), gain=0.5)
    for child in range(6):
        build.add_leaf(root, child, 5, {child: 5})
    start = Dialog(build.finish())
    assert [one.key for one in start.question.options] == [f"{key})" for key in "abcdefgh"]
    for code, level in enumerate(levels):
        assert start.answer(level).result.prediction == code
        assert start.answer(start.question.options[code].key).result.prediction == code
    assert start.answer("b").result.prediction == 1


def test_another_question_s_option_is_refused():
    first, other = Dialog(course()), Dialog(housing())
    with pytest.raises(DataError, match="belongs to another question"):
        first.answer(other.question.options[0])


def test_sums_and_distances_ask_for_each_value():
    start = Dialog(patient_tree())
    state = start.answer("0")
    assert state.question.exact
    assert state.question.text == "What is age?"
    assert [option.words for option in state.question.options] == ["I do not know"]
    assert "is needed to compare 0.5*age - 1.2*bmi" in str(state.why())
    assert state.answer("I do not know").result.prediction == "ill"
    state = state.answer(40).answer(20)
    assert state.question.text == "sex: male or female?"
    assert [one.words for one in state.question.options[:2]] == ["male", "female"]
    assert state.question.exact
    end = state.answer("male")
    assert end.finished
    assert end.result.prediction == "ill"
    assert "What is pain" in Dialog(patient_tree()).answer("A").answer(1).answer(2).question.text


def test_linear_leaves_ask_for_the_values_of_their_model():
    start = Dialog(linear_tree())
    assert start.question.text == "Is age known?"
    known = start.answer("known").answer("3 or more")
    assert known.question.exact
    assert "computes its prediction from age" in str(known.why())
    end = known.answer(4)
    assert end.result.prediction == 12.0 - 2.0 * 3.75
    assert "-> 12 - 2*(age - 0.25)" in end.result.rule
    assert end.result.evidence.interval is None
    unknown = known.answer("I do not know")
    assert unknown.result.prediction == 12.0
    with pytest.raises(DataError, match="1 contradicts an earlier answer, age is 3 or more"):
        known.answer(1)


def test_a_row_that_stops_at_an_inner_node_gets_no_model():
    schema = Schema((Column("x", "continuous"),))
    build = TreeBuilder(schema, "regression")
    root = build.add_split(None, 0, Threshold(0, 3.0, STOP, STOP), gain=1.0)
    build.add_leaf(root, 0, 2, moments([1, 3], 0.0, 1.0))
    build.add_leaf(root, 1, 2, moments([5, 7], 0.0, 1.0))
    tree = build.finish()
    models = LinearLeaves(
        start=np.array([0, 1, 2]),
        column=np.array([0, 0], dtype=np.int32),
        code=np.array([VALUE, VALUE], dtype=np.int32),
        weight=np.array([1.0, 1.0]),
        center=np.array([0.0, 0.0]),
        intercept=np.array([100.0, 200.0]),
        low=np.array([-np.inf, -np.inf]),
        high=np.array([np.inf, np.inf]),
    )
    start = Dialog(check(replace(tree, linear=models)))
    assert start.question.options[-1].leads_to == "ends here with the prediction 4"
    end = start.answer("I do not know")
    assert end.result.prediction == 4.0
    assert end.result.rule == "x is missing -> 4"
    assert end.result.evidence.interval is not None
    assert start.answer(1).result.prediction == 101.0


def test_the_only_value_that_policies_leave_is_known():
    column = Column("x", "ordinal", ("one",), missing="error", unseen="error")
    build = TreeBuilder(Schema((column,)), "classification", np.array(["a", "b"]))
    root = build.add_split(None, 0, Oblique((0,), (0,), (1.0,), 0.5, 0), gain=0.5)
    build.add_leaf(root, 0, 5, {0: 5})
    build.add_leaf(root, 1, 5, {1: 5})
    assert Dialog(build.finish()).result.prediction == "b"


def test_dates_are_asked_and_read_as_dates():
    start = Dialog(dated_tree()).answer("known")
    limit = start.question.options[0].words.removeprefix("before ")
    assert limit.startswith("2024-03-01 00:00")
    typed = start.answer(limit)
    assert typed.answers[-1].words == limit
    assert str(typed.answers[-1]) == f"at is {limit}"
    with pytest.raises(DataError, match="is not a datetime with a time zone such as 2024"):
        start.answer("2024-03-01")
    with pytest.raises(DataError, match="'soon' is not a datetime"):
        start.answer("soon")


def test_python_s_own_dates_are_taken():
    import datetime

    days = [datetime.date(2024, 1, day) for day in range(1, 7)]
    model = silva.TreeClassifier().fit(pd.DataFrame({"day": days}), list("aaabbb"))
    start = Dialog(model)
    assert [one.words for one in start.question.options[:2]] == [
        "before 2024-01-03 12:00",
        "2024-01-03 12:00 or later",
    ]
    noon = start.answer("2024-01-05T10:07")
    assert str(noon.answers[0]) == "day is 2024-01-05 10:07"
    assert noon.result.prediction == "b"
    assert start.answer(datetime.datetime(2024, 1, 5, 10, 7)) == noon
    for day, label in zip(days, "aaabbb", strict=True):
        assert start.answer(day).result.prediction == label
        assert start.answer(day.isoformat()) == start.answer(day)


def test_numbers_far_away_are_answered():
    model = grown([[1.0], [2.0], [3.0]], ["a", "a", "b"])
    for number, label in ((-math.inf, "a"), ("inf", "b"), ("-1e308", "a"), (np.int8(3), "b")):
        assert Dialog(model).answer(number).result.prediction == label


def test_ordered_levels_are_ranges():
    levels = ("none", "some", "much", "all", "more")
    build = TreeBuilder(Schema((Column("x", "ordinal", levels),)), "classification", np.arange(3))
    root = build.add_split(None, 0, Threshold(0, 3.0, 0, 0), gain=0.25)
    below = build.add_split(root, 0, Threshold(0, 1.0, 0, 0), gain=0.25)
    for parent, child, code in ((below, 0, 0), (below, 1, 1), (root, 1, 2)):
        build.add_leaf(parent, child, 5, {code: 5})
    start = Dialog(build.finish())
    assert [one.words for one in start.question.options[:2]] == ["none to much", "all or more"]
    assert start.answer("much").result.prediction == 1
    assert start.answer("none to much").question.options[1].words == "some or much"


def test_many_levels_are_shortened_when_printed():
    towns = [f"town {number:02}" for number in range(40)]
    schema = Schema((Column("town", "categorical", tuple(towns)),))
    build = TreeBuilder(schema, "classification", np.array(towns))
    root = build.add_split(None, 0, Multiway(0, tuple(range(40)), 0, 0), gain=0.5)
    for child in range(40):
        build.add_leaf(root, child, 5, {child: 5})
    start = Dialog(build.finish())
    assert len(start.question.options) == 42
    assert "  ... and 30 more" in str(start).splitlines()
    assert len(str(start).splitlines()) == 15
    assert start.answer("town 33").result.prediction == "town 33"
    with pytest.raises(DataError, match="town 09, one of 30 more levels, 'another value'"):
        start.answer("village")


def test_one_leaf_has_its_result_at_once():
    state = Dialog(grown([[1.0], [2.0]], ["a", "a"]))
    assert state.question is None
    assert state.result.prediction == "a"
    assert state.result.path == "No question was needed."
    assert state.result.rule == "all rows -> a"
    with pytest.raises(DataError, match="has finished"):
        state.answer(1)
    with pytest.raises(DataError, match="nothing to go back to"):
        state.back()


def test_numbers_are_predicted_with_their_mean_and_interval():
    rng = np.random.default_rng(0)
    table, target = rng.normal(size=(60, 2)), rng.normal(size=60) + 5
    model = silva.TreeRegressor(max_leaf_nodes=4).fit(table, target)
    state = Dialog(model, digits=3)
    why = state.why()
    values = model.grown_tree_.leaf_stats.value
    assert (why.low, why.high) == (values.min(), values.max())
    assert "The prediction can still be" in str(why)
    while not state.finished:
        state = state.answer(table[0, int(state.question.column[1:])])
    assert state.result.prediction == model.predict(table[:1])[0]
    low, high = state.result.evidence.interval
    assert low < state.result.prediction < high
    assert state.result.shares == ()


def test_hostile_names_stay_on_their_lines():
    names = ["a\nb", 'say "x"', "it's", "<b>", " "]
    rows = np.eye(5)
    table = {name: rows[:, place] for place, name in enumerate(names)}
    state = Dialog(grown(pd.DataFrame(table), list("abcde")))
    while not state.finished:
        assert len(str(state).splitlines()) == 5
        assert "<b>" not in state._repr_html_()
        state = state.answer(0)
    assert len(str(state).splitlines()) == 6
    json.dumps(state.to_dict())


def test_models_of_many_trees_are_refused_with_the_way_out():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    forest = silva.ForestClassifier(3, random_state=0).fit(X, y)
    with pytest.raises(PlanError, match=r"a dialog needs one tree.*silva\.distil"):
        Dialog(forest)
    with pytest.raises(PlanError, match="digits="):
        Dialog(forest, digits=0)
    distilled = silva.distil(forest, X)
    state = Dialog(distilled)
    while not state.finished:
        state = state.answer(X[7, int(state.question.column[1:])])
    assert state.result.prediction == distilled.model.predict(X[7:8])[0]


def test_pipelines_are_asked_by_the_names_their_steps_put_out():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures

    X, y = np.array([[1.0], [2.0], [3.0]]), ["a", "a", "b"]
    pipe = make_pipeline(PolynomialFeatures(2, include_bias=False), silva.TreeClassifier())
    state = Dialog(pipe.fit(X, y))
    assert state.question.text == "What is x0?"
    assert state == Dialog(pipe)
    assert state != Dialog(silva.TreeClassifier().fit(X, y))


def test_a_column_without_levels_is_unseen_or_missing():
    schema = Schema((Column("x", "categorical", ()), Column("z", "continuous")))
    build = TreeBuilder(schema, "classification", np.array(["a", "b"]))
    root = build.add_split(None, 0, Subset(0, (), (), 1, 0), gain=0.5)
    build.add_leaf(root, 0, 5, {0: 5})
    build.add_leaf(root, 1, 5, {1: 5})
    start = Dialog(build.finish())
    assert [one.words for one in start.question.options] == ["another value", "I do not know"]
    assert start.answer("another value").result.prediction == "a"
    assert start.answer(None).result.prediction == "b"
    with pytest.raises(DataError, match="answer 'another value' or 'I do not know'"):
        start.answer("x")


def test_states_cannot_be_changed():
    state = Dialog(course())
    with pytest.raises(AttributeError, match="does not change"):
        state.answers = ()
    assert state != "state"
    assert len({state, state.answer("yes"), state.answer("yes").back()}) == 2


def test_smoothed_probabilities_are_those_of_predict_proba():
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]
    model = grown(X, y, leaf="laplace")
    end = Dialog(model).answer(1)
    assert [share for _, share in end.result.shares] == model.predict_proba([[1.0]])[0].tolist()
    assert "probabilities: a 75%, b 25%" in str(end)


def test_every_kind_of_joint_split_is_decided_by_the_tree_s_arithmetic():
    schema = Schema(tuple(Column(f"x{i}", "continuous") for i in range(2)))
    for split in (
        Oblique((0, 1), (-1, -1), (0.1, 0.2), 0.3, 1),
        Distance("euclidean", (0, 1), (0.0, 0.0), (1.0, 1.0), (), 5.0, 0),
    ):
        build = TreeBuilder(schema, "classification", np.array(["a", "b"]))
        root = build.add_split(None, 0, split, gain=0.5)
        build.add_leaf(root, 0, 5, {0: 5})
        build.add_leaf(root, 1, 5, {1: 5})
        tree = build.finish()
        for values in ((1.0, 1.0), (3.0, 4.0), (math.inf, 1.0), (3.0, 3.9)):
            model = Dialog(tree).answer(values[0]).answer(values[1])
            table = fuzzed_table(tree, 0, 1)
            row = replace(table, columns=tuple(np.array([one]) for one in values))
            assert model._place.node == route.leaves(tree, row)[0]
