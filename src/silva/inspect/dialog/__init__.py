"""Questions one at a time, in words, until the tree has a prediction: a pure state machine."""

from silva.inspect.dialog.dialog import Dialog
from silva.inspect.dialog.known import Answer
from silva.inspect.dialog.outcome import Outcome
from silva.inspect.dialog.question import Option, Question
from silva.inspect.dialog.why import Why

__all__ = ["Answer", "Dialog", "Option", "Outcome", "Question", "Why"]
