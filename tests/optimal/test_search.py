"""The exact search against brute force: values, trees, bounds, limits and interruptions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silva import _core
from tests.effort import tries
from tests.optimal.brute_force import to_arrays
from tests.optimal.fuzz import check_all_settings, check_seed
from tests.optimal.optimal_cases import (
    ENGINES,
    LONG,
    Case,
    Question,
    Table,
    assert_proved,
    assert_tree,
    boolean_cases,
    bound_choices,
    cases,
    draw_question,
    finish,
    ordered_table,
    trees,
)

SHIFTS = (-3, -2, -1, 0, 1, 2, 3)
XOR = ordered_table([[0, 0, 1, 1], [0, 1, 0, 1]], [0, 1, 1, 0])
engines = st.sampled_from(ENGINES)
withouts = st.builds(list, st.sampled_from(list(bound_choices())))


some_settings = st.fixed_dictionaries(
    {"engine": engines, "without": withouts, "n_threads": st.sampled_from((1, 2, 4))}
)


def same_tree(first: Any, second: Any) -> bool:
    if first is None or second is None:
        return first is second
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def state(search: Any) -> tuple[Any, ...]:
    tree = search.tree()
    shape = None if tree is None else tuple(tuple(part.tolist()) for part in tree)
    return search.lower, search.upper, search.proved, search.work, shape


@given(cases())
def test_every_engine_and_choice_of_bounds_finds_the_optimum(case: Case):
    check_all_settings(case)


@given(boolean_cases())
def test_boolean_columns_of_many_rows(case: Case):
    check_all_settings(case)


@pytest.mark.parametrize("block", range(4))
def test_many_random_cases(block: int):
    for number in tries(200, 500):
        check_seed(500 * block + number)


@given(cases(), some_settings, st.sampled_from(SHIFTS))
def test_upper_bounds_around_the_optimum(case: Case, chosen: dict[str, Any], shift: int):
    finish(case, case.search(**chosen), upper=max(0, case.best[0] + shift))


@given(cases(), some_settings, st.integers(0, 12))
def test_upper_bounds_at_any_fraction(case: Case, chosen: dict[str, Any], twelfths: int):
    root = case.value_of(to_arrays(None))
    finish(case, case.search(**chosen), upper=root * twelfths // 12)


@given(cases(), engines)
def test_threads_give_the_same_tree(case: Case, engine: str):
    searches = [case.search(engine=engine, n_threads=count) for count in (1, 2, 4)]
    for search in searches:
        finish(case, search)
    first, *others = (search.tree() for search in searches)
    assert all(same_tree(first, other) for other in others)


@given(cases(), engines, st.lists(st.integers(1, 60), min_size=1, max_size=6))
def test_threads_stop_at_the_same_point(case: Case, engine: str, works: list[int]):
    """A limit on work, unlike one on time, gives the same state for any number of threads."""
    searches = [case.search(engine=engine, n_threads=count) for count in (1, 2, 4)]
    for search in searches:
        case.question.start(search)
    for work in works:
        for search in searches:
            search.advance(seconds=LONG, work=work)
        assert state(searches[0]) == state(searches[1]) == state(searches[2])


@given(cases(), some_settings, st.lists(st.integers(1, 40), min_size=1, max_size=8))
def test_bounds_close_in_step_by_step(case: Case, chosen: dict[str, Any], works: list[int]):
    search = case.search(**chosen)
    case.question.start(search)
    advance_in_steps(case, search, None, works)


@given(cases(), some_settings, st.sampled_from(SHIFTS), st.integers(1, 5))
def test_bounds_of_a_decision_close_in(case: Case, chosen: dict[str, Any], shift: int, work: int):
    upper = max(0, case.best[0] + shift)
    search = case.search(**chosen)
    case.question.start(search, upper)
    advance_in_steps(case, search, upper, [work])


def advance_in_steps(case: Case, search: Any, upper: int | None, works: list[int]) -> None:
    """Small limits on work, doubled each time round, to the end; the bounds only close in."""
    before = (0, case.value_of(to_arrays(None)) if upper is None else upper, search.work)
    done, turn = False, 0
    while not done:
        work = works[turn % len(works)] << (turn // len(works))
        done, turn = search.advance(seconds=LONG, work=work), turn + 1
        assert_between(case, search, upper)
        assert done == search.proved
        now = (search.lower, search.upper, search.work)
        assert now[0] >= before[0]
        assert now[1] <= before[1]
        assert done or now[2] > before[2], "no progress"
        before = now
    assert_proved(case, search, upper)


def assert_between(case: Case, search: Any, upper: int | None) -> None:
    """The bounds hold the optimum, and the tree so far has the value `upper`."""
    optimum, _ = case.best
    expected = optimum if upper is None else min(optimum, upper)
    assert search.lower <= expected <= search.upper
    tree = search.tree()
    if tree is None:
        assert search.upper == upper
    else:
        assert_tree(case, tree, search.upper)


@given(cases(), some_settings, st.sampled_from((1, 1 << 10, 1 << 14)))
def test_little_memory_gives_the_same_value(case: Case, chosen: dict[str, Any], memory: int):
    finish(case, case.search(memory=memory, **chosen))


@given(st.data(), cases(), some_settings, st.integers(0, 20))
def test_offered_trees(data: Any, case: Case, chosen: dict[str, Any], work: int):
    search = case.search(**chosen)
    case.question.start(search)
    search.advance(seconds=LONG, work=work)
    for _ in range(data.draw(st.integers(1, 3))):
        tree = data.draw(trees(case.table))
        before = search.upper
        expected = case.value_of(tree) if case.obeys(tree) else -1
        assert search.offer(*tree) == expected
        assert search.upper == (before if expected < 0 else min(before, expected))
        assert_between(case, search, None)
    search.advance(seconds=LONG, work=LONG)
    assert_proved(case, search)


@given(cases(), some_settings, st.sampled_from((None, *SHIFTS)))
def test_the_optimum_offered_at_the_start(case: Case, chosen: dict[str, Any], shift: int | None):
    optimum, tree = case.best
    upper = None if shift is None else max(0, optimum + shift)
    search = case.search(**chosen)
    case.question.start(search, upper)
    assert search.offer(*tree) == optimum
    assert search.upper == (optimum if upper is None else min(optimum, upper))
    search.advance(seconds=LONG, work=LONG)
    assert_proved(case, search, upper)


@given(st.data(), cases(), some_settings, st.sampled_from((1 << 12, 1 << 28)))
def test_one_search_for_many_questions(data: Any, case: Case, chosen: dict[str, Any], memory: int):
    """What an earlier question taught, finished or not, never spoils a later one."""
    search = Case(case.table, Question()).search(memory=memory, **chosen)
    for _ in range(data.draw(st.integers(2, 5))):
        question = data.draw(questions(case.table))
        asked = Case(case.table, question)
        shift = data.draw(st.sampled_from((None, -1, 0, 1, 2)))
        upper = None if shift is None else max(0, asked.best[0] + shift)
        question.start(search, upper)
        if search.advance(seconds=LONG, work=data.draw(st.sampled_from((LONG, LONG, 3, 30)))):
            assert_proved(asked, search, upper)
        assert_between(asked, search, upper)
    finish(case, search)


@st.composite
def questions(draw: Any, table: Table) -> Question:
    return draw_question(lambda low, high: draw(st.integers(low, high)), table.weights)


@given(cases(), some_settings)
def test_the_same_question_twice(case: Case, chosen: dict[str, Any]):
    search = case.search(**chosen)
    finish(case, search)
    finish(case, search)


@given(cases())
def test_auto_takes_an_engine_that_is_right(case: Case):
    finish(case, case.search())
    finish(case, case.search(engine="auto", n_threads=2))


@pytest.mark.parametrize(
    ("n_wide", "n_flags", "engine"), [(1, 100, "sorted"), (0, 100, "bits"), (4, 0, "sorted")]
)
def test_auto_knows_that_columns_of_two_ranks_are_cheap(n_wide: int, n_flags: int, engine: str):
    """One wide column is enough for sorted columns to pay, however many flags stand beside it."""
    random = np.random.default_rng(0)
    wide = [random.permutation(500) for _ in range(n_wide)]
    flags = [random.random(500) < 0.05 for _ in range(n_flags)]
    table = ordered_table(wide + flags, random.integers(0, 2, 500))
    assert table.search(engine="auto").engine == engine
    values = set()
    for search in (table.search(engine=name) for name in ENGINES):
        Question(max_depth=2).start(search)
        assert search.advance(seconds=LONG, work=LONG)
        values.add(search.upper)
    assert len(values) == 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("question", "value"),
    [
        (Question(max_depth=0), 2),
        (Question(max_depth=1), 2),
        (Question(max_depth=2), 0),
        (Question(), 0),
        (Question(max_splits=1), 2),
        (Question(max_splits=2), 1),
        (Question(max_splits=3), 0),
        (Question(min_rows=2), 2),
        (Question(penalty=1), 2),
        (Question(unit=3, penalty=1), 3),
        (Question(unit=2, penalty=1), 3),
    ],
)
def test_xor(engine: str, question: Question, value: int):
    case = Case(XOR, question)
    finish(case, XOR.search(engine=engine))
    assert case.best[0] == value


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("length", range(1, 10))
def test_chains(engine: str, length: int):
    """Every test takes one row out, so the best tree is as deep as it has splits."""
    weights = np.arange(1, length + 2)[::-1]
    table = ordered_table(np.eye(length, length + 1), [1] * length + [0], weights)
    for question in (Question(), Question(max_depth=length - 1), Question(unit=3, penalty=1)):
        case = Case(table, question)
        finish(case, table.search(engine=engine))
    assert Case(table, Question()).best[0] == 0
    assert Case(table, Question(max_depth=length - 1)).best[0] == 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("n", [2, 3, 17, 24])
def test_alternating_classes_along_one_column(engine: str, n: int):
    """k splits make k + 1 runs; a run of m rows has m // 2 errors, so odd runs are best."""
    table = ordered_table([np.arange(n)], np.arange(n) % 2)
    search = table.search(engine=engine)
    for splits in {0, 1, 2, 3, 7, n // 2, n - 2, n - 1}:
        Question(max_splits=splits).start(search)
        assert search.advance(seconds=LONG, work=LONG)
        assert search.lower == search.upper == max(0, n - splits) // 2
    finish(Case(table, Question(max_depth=3)), search)
    if n <= 24:
        finish(Case(table, Question()), search)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("raw", [[], [[5, 5, 5]], [[5, 5, 5], [1, 1, 1]]])
def test_tables_without_a_test(engine: str, raw: list[list[int]]):
    table = ordered_table(raw, [0, 1, 1])
    finish(Case(table, Question()), table.search(engine=engine))


@pytest.mark.parametrize("engine", ENGINES)
def test_one_row(engine: str):
    table = ordered_table([[3], [4]], [1])
    finish(Case(table, Question(max_depth=3)), table.search(engine=engine))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("without", list(bound_choices()), ids=str)
def test_values_near_the_largest_allowed(engine: str, without: tuple[str, ...]):
    """unit * total cost + penalty * rows is just below 2**61."""
    rng = np.random.default_rng(5)
    raw = rng.integers(0, 3, (3, 8))
    table = ordered_table(raw, rng.integers(0, 3, 8), np.full(8, 2**40) + rng.integers(0, 9, 8))
    unit = (2**60 - 1) // int(table.weights.sum())
    for penalty in (0, (2**60 - 1) // 8, unit * 2**39):
        for depth in (1, 2, 3, None):
            case = Case(table, Question(max_depth=depth, unit=unit, penalty=penalty))
            finish(case, table.search(engine=engine, without=list(without)))


@pytest.mark.parametrize(
    ("engine", "n_rows", "n_columns", "n_levels"),
    [("sorted", 6000, 6, 6000), ("bits", 2000, 500, 2)],
)
def test_two_levels_that_are_stopped_prove_nothing(
    engine: str, n_rows: int, n_columns: int, n_levels: int
):
    """Whatever the speed of the machine, what was not looked at is not excluded."""
    rng = np.random.default_rng(0)
    ranks = (rng.permuted(np.tile(np.arange(n_rows), (n_columns, 1)), axis=1) % n_levels).astype(
        np.int32
    )
    classes = ((ranks[0] * 2 >= n_levels) ^ (rng.random(n_rows) < 0.2)).astype(np.int32)
    levels, weights = np.full(n_columns, n_levels, np.int32), np.ones(n_rows, np.int64)
    made = (ranks, levels, classes, 2, weights, 1 - np.eye(2, dtype=np.int64))

    def after(seconds: float) -> Any:
        search = _core.OptimalSearch(*made, engine=engine, memory=1 << 28, n_threads=1)
        search.start(2, None, 1, 0, 1, None)
        search.advance(seconds, LONG)
        return search

    optimum = after(60.0).upper
    for seconds in (0.002, 0.01, 0.03):
        stopped = after(seconds)
        assert stopped.lower <= optimum <= stopped.upper
        assert stopped.advance(60.0, LONG)
        assert stopped.lower == stopped.upper == optimum


def test_bounds_have_distinct_names():
    names = _core.OptimalSearch.BOUNDS
    assert names
    assert len(set(names)) == len(names)
    assert all(isinstance(name, str) for name in names)


def test_unknown_engines_and_bounds_are_refused():
    with pytest.raises(ValueError, match="engine"):
        XOR.search(engine="quick")
    with pytest.raises(ValueError, match="nonsense"):
        XOR.search(without=["nonsense"])
