"""The best classification tree of all, with scikit-learn's interface."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from silva.data.bind import bind_classes, bind_training, warn_of_data
from silva.data.column_facts import packed_column_facts
from silva.data.table import Target
from silva.estimators.base import Figures, figures_of
from silva.estimators.callbacks import FitTask, tears_down_callbacks
from silva.estimators.classifier import BaseTreeClassifier
from silva.estimators.interrupts import forget_partial, raise_unless_kept, receiver
from silva.estimators.optimal_fit import (
    SearchFigures,
    Session,
    both,
    found_so_far,
    session_of,
    warn_about,
)
from silva.estimators.optimal_params import asked_of, budget_of, class_weight_of, study_of
from silva.estimators.progress import search_progress
from silva.estimators.targets import one_dimensional
from silva.optimal.path import ParetoPath, pareto_path
from silva.optimal.report import Progress, SearchFacts
from silva.optimal.search import Budget
from silva.threads import threads
from silva.tree.tree import Tree


class OptimalTreeClassifier(SearchFigures, BaseTreeClassifier):
    """The best classification tree within limits of depth and size, with a proof.

    Searches all trees, not only those that greedy growth finds: every threshold of every column,
    sets of categories, both directions for missing values. The first tree is the greedy one, so a
    search that is stopped is never worse than greedy growth; `gap_` says how far it may be from the
    best one. Suited to small trees: depth 2 to 4, or a `leaf_penalty`.

    Parameters
    ----------
    max_depth : int, None or "auto", default="auto"
        The longest path from the root, in splits. 0 is a single leaf, None no limit. "auto" is 3,
        but no limit for objective="bound", which is about all trees and charges for their size.
    max_leaf_nodes : int or None, default=None
        The largest number of leaves; None for no limit.
    leaf_penalty : float, default=0.0
        What each leaf adds to the objective: with 0.01, a further leaf must avoid 1% of errors.
    objective : {"error", "balanced", "bound"}, default="error"
        What is minimised, besides the penalty: the weighted share of wrong predictions, the mean
        over the classes of the share of their rows that is predicted wrongly, or a bound on the
        error of new rows. With "bound", weights are whole numbers of copies, and `leaf_penalty`,
        `costs` and `class_weight` are not possible.
    costs : array-like of shape (n_classes, n_classes) or None, default=None
        The cost of predicting class j (column) for a row of class i (row), in the order of
        `classes_`; at least 0, and 0 on the diagonal. The objective is the mean cost, and `predict`
        returns the class of least expected cost. None: each error costs 1.
    min_samples_leaf : int or float, default=1
        Leaves have at least this many rows; a float is a fraction of them.
    class_weight : dict, "balanced" or None, default=None
        A weight for each class, multiplied into the row weights.
    random_state : int, RandomState or None, default=None
        Accepted as by other estimators; nothing here is random.
    time_limit : float or None, default=60
        Seconds after which the search stops with the best tree so far; None for no limit, 0 for the
        greedy tree and its gap.
    work_limit : int or None, default=None
        The same in units of work, which give the same tree on any machine.
    memory_limit : int or str, default="1GB"
        Bytes that the search may use, also as text such as "512MiB". Less memory costs time.
    gap : float, default=0.0
        Stop when no tree can be better by more than this (a difference of objectives).
    n_jobs : int or None, default=None
        Threads: None is 1, -1 all usable CPUs. A proved tree is the same for any number.
    max_bins : int or None, default=None
        At most this many thresholds of each column of numbers, at equal frequencies. None tries
        all of them. With fewer, the proof is about trees of these thresholds only.
    bound : {"textbook", "ln2", "kl"} or None, default=None
        Which bound objective="bound" minimises. None is "textbook" where all tests were fixed
        before the rows were seen, "ln2" where rows decide which thresholds or categories there are.
    delta : float, default=0.05
        With probability 1 - `delta`, new rows are wrong no more often than the bound says.
    grid : mapping or None, default=None
        The thresholds of some columns of numbers, by the columns' names or indices, chosen before
        looking at the rows; these columns get no others. With a grid for each such column the
        bound does not charge for learned thresholds.
    max_subset_levels : int, default=6
        Columns of at most this many categories (missing values count as one) are split by any set
        of them, others by one category against the rest.
    categorical_features : "from_dtype", None, list of names, indices or booleans, or mapping, \
            default="from_dtype"
        Columns to treat as categories besides those whose type says so; a mapping gives the list
        of levels of each, or None for the values that occur.
    missing : {"learn", "majority", "stop", "error"} or mapping, default="learn"
        What becomes of missing values. Columns that have some in training need `learn`: both
        directions are tried. The others matter for columns without missing training values.
    unseen : {"learn", "majority", "own_branch", "stop", "error"} or mapping, default="majority"
        What becomes of categories that training did not see in the node.
    verbose : int, default=0
        1 shows time, objective, bound and gap on standard error while the search runs.
    on_progress : callable or None, default=None
        Called about 20 times a second with a record of `seconds`, `work`, `objective`,
        `lower_bound` and `gap`. Raising KeyboardInterrupt there stops the search as Ctrl-C does.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does in `fit` and `resume`: end them with KeyboardInterrupt and keep the best
        tree so far in `partial_`, a fitted model that `resume` continues; or return with that tree
        and a warning.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    n_classes_ : int
        How many there are.
    n_features_in_ : int
        The number of columns in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when the table had names.
    n_outputs_ : int
        Always 1.
    max_features_ : int
        How many columns a node tried: all of them.
    grown_tree_ : silva.Tree
        The tree itself; `print(model.grown_tree_)` or `silva.to_text(model)` shows it.
    tree_ : object
        The same tree through the array names of scikit-learn.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Each column's share of the errors that splits avoid on training rows.
    column_facts_ : silva.data.column_facts.ColumnFacts or None
        Range, mean, spread and missing values of each training column.
    prune_record_ : None
        Always None: the search chooses the size.
    summary_ : silva.inspect.summary.Summary
        Size and accuracy of the tree and of the majority class.
    search_report_ : silva.optimal.report.SearchReport or None
        What was found and proved; None after an edit.
    history_ : tuple of silva.optimal.report.Progress
        The objective and its lower bound at each time that one of them changed; a model from a
        file has the last point only.
    objective_ : float
        Error (or cost) per unit of weight plus `leaf_penalty` for each leaf, on training rows; or
        the bound on the error of new rows.
    lower_bound_ : float
        No tree within the limits has a smaller objective.
    gap_ : float
        `objective_` - `lower_bound_`.
    proved_ : bool
        Whether the gap is 0: no tree within the limits is better.
    n_work_ : int
        Units of work done.

    Examples
    --------
    >>> from silva import OptimalTreeClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["same", "other", "other", "same"]
    >>> model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> model.objective_, model.proved_
    (0.0, True)
    """

    _of_fit: ClassVar[tuple[str, ...]] = (
        *BaseTreeClassifier._of_fit,
        "search_report_",
        "history_",
    )
    _of_search: ClassVar[tuple[str, ...]] = ("_session",)
    leaf = None
    ccp_alpha = 0.0

    def __init__(
        self,
        *,
        max_depth: int | str | None = "auto",
        max_leaf_nodes: int | None = None,
        leaf_penalty: float = 0.0,
        objective: str = "error",
        costs: Any = None,
        min_samples_leaf: int | float = 1,
        class_weight: dict[Any, float] | str | None = None,
        random_state: int | np.random.RandomState | None = None,
        time_limit: float | None = 60,
        work_limit: int | None = None,
        memory_limit: int | str = "1GB",
        gap: float = 0.0,
        n_jobs: int | None = None,
        max_bins: int | None = None,
        bound: str | None = None,
        delta: float = 0.05,
        grid: Mapping[Any, Any] | None = None,
        max_subset_levels: int = 6,
        categorical_features: Any = "from_dtype",
        missing: Any = "learn",
        unseen: Any = "majority",
        verbose: int = 0,
        on_progress: Callable[[Progress], object] | None = None,
        on_interrupt: str = "raise",
    ) -> None:
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.leaf_penalty = leaf_penalty
        self.objective = objective
        self.costs = costs
        self.min_samples_leaf = min_samples_leaf
        self.class_weight = class_weight
        self.random_state = random_state
        self.time_limit = time_limit
        self.work_limit = work_limit
        self.memory_limit = memory_limit
        self.gap = gap
        self.n_jobs = n_jobs
        self.max_bins = max_bins
        self.bound = bound
        self.delta = delta
        self.grid = grid
        self.max_subset_levels = max_subset_levels
        self.categorical_features = categorical_features
        self.missing = missing
        self.unseen = unseen
        self.verbose = verbose
        self.on_progress = on_progress
        self.on_interrupt = on_interrupt

    @tears_down_callbacks
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Search for the best tree of a table and a target.

        Ctrl-C ends the search; the best tree so far is in `partial_`, see `on_interrupt`.

        Parameters
        ----------
        X : table
            NumPy array, SciPy sparse matrix, or a pandas, polars, pyarrow or DuckDB table.
            NaN and null are missing values; strings and categories are categorical columns.
        y : array-like of shape (n_samples,)
            The class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts. Rows of weight 0 are left out.
        X_val, y_val, sample_weight_val : default=None
            Held-out rows: `summary_` tells how the tree does on them. They do not change the tree.

        Returns
        -------
        self

        Warns
        -----
        ConvergenceWarning
            If the search stopped at a limit before the proof, or at Ctrl-C with
            `on_interrupt="keep"`. The tree is valid; `gap_` bounds what it lacks. `time_limit=0`
            asks for the greedy tree and does not warn.
        UserWarning
            If `max_bins` left out thresholds: the proof is about the others.
        DataWarning
            As other estimators do.
        """
        task = FitTask(self, X, y, sample_weight)
        asked = asked_of(self)
        table = bind_training(X, self.categorical_features, asked.plan.missing, asked.plan.unseen)
        target = self._bind_target(y, sample_weight, table.n_rows)
        held_out = self._bind_held_out(X_val, y_val, sample_weight_val, table.schema, target)
        warn_of_data(table, target)
        study = study_of(asked, table, target, sample_weight)
        facts = packed_column_facts(table, asked.settings.n_threads)
        self._search(Session(study, held_out, facts), asked.budget)
        task.end()
        return self

    def resume(self, time_limit: float | None = 60, work_limit: int | None = None) -> Self:
        """Search on where `fit` stopped; a model that is proved stays as it is.

        Parameters
        ----------
        time_limit : float or None, default=60
            Further seconds; None for no limit.
        work_limit : int or None, default=None
            Further units of work; None for no limit.

        Returns
        -------
        self

        Raises
        ------
        PlanError
            If this model comes from a file, a pickle, or an edit: the search is not kept there.
        """
        budget = budget_of(time_limit, work_limit, self.gap)
        self._search(session_of(self, "resume"), budget)
        return self

    def pareto_path(
        self, max_leaves: int | None = None, time_limit: float | None = 60
    ) -> ParetoPath:
        """The least error for every number of leaves, with proofs, beside greedy trees.

        Parameters
        ----------
        max_leaves : int or None, default=None
            The largest number of leaves; None takes `max_leaf_nodes`, or 2 ** `max_depth`.
        time_limit : float or None, default=60
            Seconds for the whole path; what is not proved then has its lower bound.

        Returns
        -------
        path : silva.optimal.path.ParetoPath
            Drawn by `silva.plot.pareto_path`.
        """
        study = session_of(self, "pareto_path").study
        return pareto_path(study, max_leaves, budget_of(time_limit, None, 0.0))

    def _search(self, session: Session, budget: Budget) -> None:
        forget_partial(self)
        study, n_threads = session.study, threads(self.n_jobs)
        with search_progress(type(self).__name__, self.verbose > 0) as shown:
            report = study.run(budget, both(shown, self.on_progress))
        tree = study.tree()
        figures = figures_of(tree, study.table, study.target, session.held_out, n_threads)
        figures = figures._replace(search=SearchFacts(report, tuple(study.history)))
        model = receiver(self, report.stopped == "interrupted")
        model._keep(tree, len(tree.schema), figures, session.column_facts)
        model._session = session
        raise_unless_kept(self, model, found_so_far(report))
        warn_about(report, self.max_bins, budget)

    def _bind_target(self, y: Any, sample_weight: Any, n_rows: int) -> Target:
        return bind_classes(one_dimensional(y), sample_weight, class_weight_of(self), n_rows)

    def _columns_tried(self, n_columns: int) -> int:
        asked_of(self)
        return n_columns

    def _derived(self, tree: Tree, figures: Figures) -> dict[str, Any]:
        search = figures.search or SearchFacts(None)
        told = {"search_report_": search.report, "history_": search.history}
        return super()._derived(tree, figures) | told

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        left_out = (*self._of_search, "search_report_", "history_")
        return {name: value for name, value in state.items() if name not in left_out}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        return tags
