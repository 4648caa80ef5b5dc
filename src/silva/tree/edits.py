"""What was done to a tree by hand: a trail that is kept in the tree, stored and printed with it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from silva.errors import ModelFormatError

Action = Literal["collapse", "replace", "regrow", "graft"]
ACTIONS: tuple[Action, ...] = get_args(Action)
_DONE: dict[Action, str] = {
    "collapse": "collapsed",
    "replace": "given another split",
    "regrow": "grown again",
    "graft": "replaced by a branch",
}
_FIELDS = ("action", "node", "what", "note")


@dataclass(frozen=True, slots=True)
class Edit:
    """One change by hand. `node` is its number in the tree before the change.

    `what` says in words what changed; `note` is free text of whoever did it.
    """

    action: Action
    node: int
    what: str
    note: str = ""

    def __str__(self) -> str:
        """One line, whatever the words hold."""
        what, note = (" ".join(text.split()) for text in (self.what, self.note))
        told = f"node {self.node} {_DONE[self.action]}: {what}"
        return f"{told}. Note: {note}" if note else told


def check_edits(edits: Any) -> None:
    """Raise ModelFormatError unless these are edits, each with its parts of the right type."""
    if not isinstance(edits, tuple):
        raise ModelFormatError(f"edits: must be a tuple, is {type(edits).__name__}")
    for index, edit in enumerate(edits):
        if not isinstance(edit, Edit):
            raise ModelFormatError(f"edits[{index}]: must be an Edit, is {type(edit).__name__}")
        if edit.action not in ACTIONS:
            raise ModelFormatError(f"edits[{index}].action: must be one of {list(ACTIONS)}")
        if type(edit.node) is not int or edit.node < 0:
            raise ModelFormatError(f"edits[{index}].node: must be a number of at least 0")
        for field in ("what", "note"):
            if not isinstance(getattr(edit, field), str):
                raise ModelFormatError(f"edits[{index}].{field}: must be a string")


def encode_edits(edits: Sequence[Edit]) -> list[dict[str, Any]]:
    """The trail as plain values."""
    return [asdict(edit) for edit in edits]


def decode_edits(found: Any) -> tuple[Edit, ...]:
    """The trail that plain values describe; ModelFormatError for anything else."""
    if not isinstance(found, list):
        raise ModelFormatError("meta.edits: must be a list")
    for index, one in enumerate(found):
        if not isinstance(one, dict) or tuple(one) != _FIELDS:
            raise ModelFormatError(f"meta.edits[{index}]: must have exactly {list(_FIELDS)}")
    edits = tuple(Edit(**one) for one in found)
    check_edits(edits)
    return edits
