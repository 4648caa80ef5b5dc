"""Why one row got its prediction."""

from dataclasses import dataclass, field, fields
from typing import Any, Literal

from silva import notebook
from silva.inspect.explain.records import ByClass, Evidence, LeafModel, Step
from silva.inspect.record import plain

Quantity = Literal["class shares", "mean", "shares of votes", "shares of weighted votes"]
"""What the contributions add up to."""


@dataclass(frozen=True, slots=True)
class Style:
    """How words are made: the significant digits of thresholds and values (None: exact) and of
    means, and whether the shares of nodes are smoothed.
    """

    digits: int | None
    mean_digits: int
    is_smoothed: bool = False


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why one row got its prediction.

    Parameters
    ----------
    row : int
        The number of the row among those explained, from 0.
    prediction : object
        What `predict` says: a class, or a number.
    shares : dict or None
        What was explained for each class, None for numbers. Equals `predict_proba`, except for
        AdaBoost: there it is each class's share of the weighted votes, which decides.
    quantity : str
        What the contributions add up to.
    baseline : dict or float
        The same for all rows: that of the root, or the mean over the trees.
    contributions : dict
        For each column that was asked about, what it changed: a number, or one for each class.
        `baseline` plus all contributions (and `leaf_contribution`) is the prediction.
    leaf_contribution : dict, float or None
        What the linear model of the leaf changed, None without linear leaves.
    sentence : str
        The reason in one sentence.
    steps : tuple of Step
        The splits that the row passed; empty for several trees.
    evidence : Evidence or None
        The training rows behind the prediction, None for several trees.
    models : tuple of LeafModel
        The linear models of the leaf for this row, one or one a class.
    trees : int
        How many trees predicted.
    agreement : float or None
        The share of the trees' votes for the predicted class, for several trees of classes.
    quantiles : tuple of float or None
        The 10%, 50% and 90% quantiles of the trees' predictions, for several trees of numbers.
    typical : Explanation or None
        That of the tree whose contributions are nearest to those of all trees, for several trees.
    typical_tree : int or None
        The number of that tree, from 0.
    """

    row: int
    prediction: Any
    shares: ByClass | None
    quantity: Quantity
    baseline: ByClass | float
    contributions: dict[str, ByClass | float]
    leaf_contribution: ByClass | float | None
    sentence: str
    steps: tuple[Step, ...] = ()
    evidence: Evidence | None = None
    models: tuple[LeafModel, ...] = ()
    trees: int = 1
    agreement: float | None = None
    quantiles: tuple[float, float, float] | None = None
    typical: "Explanation | None" = None
    typical_tree: int | None = None
    _style: Style = field(default=Style(None, 6), repr=False)

    def __str__(self) -> str:
        return notebook.printers["explanation"](self)

    def __repr__(self) -> str:
        return f"Explanation({self.sentence!r})"

    def _repr_html_(self) -> str:
        return notebook.painters["explanation"](self)

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON can hold it."""
        names = (one.name for one in fields(self) if not one.name.startswith("_"))
        return {name: plain(getattr(self, name)) for name in names}

    def towards(self, change: ByClass | float) -> float:
        """A contribution, baseline or share as one number: that of the predicted class."""
        return change[self.prediction] if isinstance(change, dict) else change
