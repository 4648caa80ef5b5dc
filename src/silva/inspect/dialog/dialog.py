"""The state of a dialog: a value that answers turn into the next one."""

from typing import Any

from silva.checks import is_whole
from silva.errors import DataError, PlanError
from silva.inspect.dialog.known import Answer, Known, exact_value
from silva.inspect.dialog.outcome import Outcome, outcome_at
from silva.inspect.dialog.phrases import values_words
from silva.inspect.dialog.question import Question, question_at
from silva.inspect.dialog.reading import read_answer
from silva.inspect.dialog.source import Source
from silva.inspect.dialog.walk import Place, reached
from silva.inspect.dialog.why import Why, why_at
from silva.inspect.record import plain
from silva.inspect.subject import one_tree
from silva.messages import shown
from silva.notebook import ShownAsText
from silva.tree.lazy import lazy


class Dialog(ShownAsText):
    """One question at a time, until the tree has a prediction.

    A state never changes: `answer` returns the next one, `back` the one before. Two states of the
    same model with the same answers are equal. A question whose answer is known, or would not
    change the prediction, is not asked.

    Parameters
    ----------
    model : fitted model of one tree
        An estimator of silva, a Tree, a pipeline that ends in one, or what `silva.distil` returns.
        A forest has no dialog of its own: distil it into one tree.
    digits : int, optional
        Significant digits of thresholds and means in texts; by default thresholds are exact and
        means have 6.

    Attributes
    ----------
    question : Question or None
        What is asked now; None when the dialog has finished.
    answers : tuple of Answer
        What has been answered so far.
    result : Outcome or None
        The prediction with its evidence; None until the dialog has finished.
    note : str
        A remark on the last answer, such as a number outside the range of the training rows.

    Raises
    ------
    PlanError
        For a model of many trees, and for whatever is no fitted model.

    Examples
    --------
    >>> import silva
    >>> from silva.inspect.dialog import Dialog
    >>> model = silva.TreeClassifier().fit([[1.0], [2.0], [3.0]], ["a", "a", "b"])
    >>> state = Dialog(model)
    >>> state.question.text
    'What is x0?'
    >>> [option.words for option in state.question.options]
    ['below 2.5', '2.5 or more', 'I do not know']
    >>> state.answer(2.75).result.prediction
    'b'
    """

    _source: Source
    answers: tuple[Answer, ...]

    def __init__(self, model: Any, *, digits: int | None = None) -> None:
        if digits is not None and not (is_whole(digits) and digits >= 1):
            raise PlanError(
                f"digits={shown(digits)} is not possible: give a whole number of at least 1, or"
                " None for exact numbers."
            )
        source = Source(one_tree(model, "a dialog"), digits)
        vars(self).update(_source=source, answers=())

    def _with(self, answers: tuple[Answer, ...]) -> "Dialog":
        state = object.__new__(Dialog)
        vars(state).update(_source=self._source, answers=answers)
        return state

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a state of a dialog does not change: {name} cannot be set")

    @lazy
    def _knowledge(self) -> dict[int, Known]:
        return {one.column: Known(one.values, one.vague) for one in self.answers}

    @lazy
    def _place(self) -> Place:
        return reached(self._source, self._knowledge)

    @lazy
    def question(self) -> Question | None:
        """What is asked now; None when the dialog has finished."""
        if self._place.column is None:
            return None
        return question_at(self._source, self._knowledge, self._place)

    @lazy
    def result(self) -> Outcome | None:
        """The prediction with its evidence; None until the dialog has finished."""
        if self._place.column is not None:
            return None
        return outcome_at(self._source, self._knowledge, self.answers, self._place)

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to ask."""
        return self._place.column is None

    @property
    def note(self) -> str:
        """A remark on the last answer; "" if there is none."""
        last = self.answers[-1] if self.answers else None
        value = None if last is None else exact_value(last.values)
        if last is None or value is None:
            return ""
        low, high = self._source.training_limits(last.column)
        if low is None or high is None or low <= value <= high:
            return ""
        told = self._source.training_range(last.column)
        return f"{last.words} is outside the range of {last.name} in the training rows, {told}."

    def answer(self, value: Any) -> "Dialog":
        """The state after this answer to the question.

        Parameters
        ----------
        value : Option, str, number, date or level
            One of the question's options, its key or its words; or the value of the column: a
            number, a date, a level, or such a value as text. None and NaN mean "I do not know".

        Raises
        ------
        DataError
            For an answer that is not possible; the message says what is.
        """
        question, column = self.question, self._place.column
        if question is None or column is None:
            raise DataError("the dialog has finished, there is no question to answer: go back()")
        known = self._source.known(self._knowledge, column)
        then = read_answer(self._source, question, known, value)
        return self._with((*self.answers, self._answer(column, then)))

    def _answer(self, column: int, known: Known) -> Answer:
        told = values_words(known.values, self._source)
        if known.vague:
            told += ", not known any closer"
        value = exact_value(known.values)
        levels = self._source.columns[column].levels
        shown_value = value if value is None or levels is None else levels[int(value)]
        name = self._source.lexicon.names[column]
        return Answer(column, known.values, known.vague, name, told, shown_value)

    def back(self) -> "Dialog":
        """The state before the last answer; DataError at the start."""
        if not self.answers:
            raise DataError("there is nothing to go back to: no question has been answered yet")
        return self._with(self.answers[:-1])

    def why(self) -> Why:
        """What the prediction can still be, and what the question decides."""
        return why_at(self._source, self._knowledge, self._place, self.question)

    def to_dict(self) -> dict[str, Any]:
        """The state as JSON can hold it, for other programs and web pages."""
        return {
            "finished": self.finished,
            "question": plain(self.question),
            "answers": plain(self.answers),
            "note": self.note,
            "result": plain(self.result),
        }

    def __str__(self) -> str:
        shown_part = self.result if self.question is None else self.question
        return "\n".join([*([self.note] if self.note else []), str(shown_part)])

    def __repr__(self) -> str:
        answered = ", ".join(map(str, self.answers)) or "no answers yet"
        state = "finished" if self.question is None else f"asks {self.question.text!r}"
        return f"<Dialog: {answered}; {state}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dialog):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[int, tuple[str, ...], tuple[Answer, ...]]:
        return id(self._source.identity), self._source.lexicon.schema.names, self.answers
