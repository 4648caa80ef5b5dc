"""The trees of an ensemble as fitted estimators, each made when it is asked for."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
from sklearn.base import clone

from silva.data.column_facts import ColumnFacts, packed
from silva.data.columns import chosen_categories, numbered
from silva.ensemble.draws import ColumnDraws
from silva.ensemble.packed import PackedTrees
from silva.ensemble.sampling import tree_seed
from silva.estimators.base import Figures, TreeEstimator
from silva.estimators.params import PLAN_PARAMETERS, plan_of
from silva.tree.columns import with_columns
from silva.tree.tree import Tree

NOT_CARRIED = ("random_state", "class_weight", "verbose")
"""Weights by class are part of the row weights that the trees of a forest are grown with."""


class Members(Sequence[TreeEstimator]):
    """An immutable sequence of fitted tree estimators.

    Nothing but the packed trees is stored: each access makes a new estimator, so a change of one
    changes neither the sequence nor the ensemble. Part of a sequence is a sequence; `sklearn.clone`
    returns a list of unfitted estimators, as for scikit-learn's lists.

    Parameters
    ----------
    prototype : TreeEstimator
        The unfitted estimator whose clones the members are.
    trees : PackedTrees
        The trees of the ensemble.
    seed : int
        The seed of the ensemble, which gives each member its `random_state`.
    columns : ColumnDraws or None
        How members drew their columns; None if all have all.
    facts : ColumnFacts or None
        What the ensemble knows of its training columns.
    numbers : range or None
        Which trees the members are, by number; None: all.
    """

    def __init__(
        self,
        prototype: TreeEstimator,
        trees: PackedTrees,
        seed: int,
        columns: ColumnDraws | None = None,
        facts: ColumnFacts | None = None,
        numbers: range | None = None,
    ) -> None:
        self._facts = (prototype, trees, seed, columns, facts)
        self._numbers = range(len(trees)) if numbers is None else numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> TreeEstimator: ...

    @overload
    def __getitem__(self, index: slice) -> "Members": ...

    def __getitem__(self, index: int | slice) -> "TreeEstimator | Members":
        if isinstance(index, slice):
            return Members(*self._facts, self._numbers[index])
        try:
            number = self._numbers[index]
        except IndexError:
            raise IndexError(f"index {index}: there are {len(self)} trees") from None
        _, trees, seed, columns, facts = self._facts
        member, tree = self._unfitted(number), trees[number]
        if columns is not None and not columns.is_all:
            drawn = columns.columns(tree_seed(seed, number))
            tree = with_columns(tree, drawn)
            facts = None if facts is None else facts.take(drawn)
        return _fitted(member, tree, facts)

    def __repr__(self) -> str:
        return f"Members({len(self)} x {type(self._facts[0]).__name__})"

    def __sklearn_clone__(self) -> list[TreeEstimator]:
        return [self._unfitted(number) for number in self._numbers]

    def _unfitted(self, number: int) -> TreeEstimator:
        prototype, trees, seed, columns, _ = self._facts
        own = tree_seed(seed, number)
        params = {"random_state": own}
        if columns is not None and not columns.is_all:
            params |= choices_for(prototype, trees.schema.names, columns.columns(own))
        known = prototype.get_params(deep=False)
        params = {name: value for name, value in params.items() if name in known}
        return clone(prototype).set_params(**params)  # type: ignore[no-any-return]


def _fitted(member: TreeEstimator, tree: Tree, facts: ColumnFacts | None) -> TreeEstimator:
    tried = plan_of(member, member._task, draw=False).columns_tried(len(tree.schema))
    figures = Figures(weighted=True, held_out=None, training=None)
    member._keep(tree, tried, figures, None if facts is None else packed(facts))
    return member


def choices_for(
    prototype: TreeEstimator, names: Sequence[str], columns: np.ndarray
) -> dict[str, Any]:
    """The choices for single columns, by their places among `columns`; others are left out."""
    place = {number: i for i, number in enumerate(columns.tolist())}

    def moved(name: str, choice: Any) -> Any:
        if isinstance(choice, list | tuple):
            return [moved(name, one) for one in choice]
        if not isinstance(choice, Mapping):
            return choice
        chosen = numbered(choice, names, name).items()
        return {place[number]: value for number, value in chosen if number in place}

    found = {
        name: moved(name, getattr(prototype, name)) for name in ("missing", "unseen", "splits")
    }
    categories = prototype.categorical_features
    if categories is not None and not isinstance(categories, str):
        chosen = chosen_categories(categories, names).items()
        found["categorical_features"] = {
            place[number]: levels for number, levels in chosen if number in place
        }
    return found


def tree_like(kind: type[TreeEstimator], ensemble: Any) -> TreeEstimator:
    """An unfitted tree with the parameters that it shares with an ensemble of such trees.

    A plan is given whole: what the ensemble changes of it is part of it.
    """
    shared = [name for name in kind().get_params(deep=False) if name not in NOT_CARRIED]
    given = getattr(ensemble, "plan", None)
    if given is not None:
        shared = [name for name in shared if name not in (*PLAN_PARAMETERS, "plan")]
    params = {name: getattr(ensemble, name) for name in shared}
    if given is not None:
        params["plan"] = plan_of(ensemble, ensemble._task, draw=False)
    return kind(**params)


class HasMembers:
    """What ensembles offer beside `estimators_`, as scikit-learn's do.

    An ensemble is true whether it is fitted or not, so that `if model:` means `is not None`.
    """

    @property
    @abstractmethod
    def estimators_(self) -> Members:
        """The trees as fitted estimators."""

    def __len__(self) -> int:
        return len(self.estimators_)

    @overload
    def __getitem__(self, index: int) -> TreeEstimator: ...

    @overload
    def __getitem__(self, index: slice) -> Members: ...

    def __getitem__(self, index: int | slice) -> TreeEstimator | Members:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[TreeEstimator]:
        return iter(self.estimators_)

    def __bool__(self) -> bool:
        return True
