"""The public names as type checkers see them; at run time they load when first used."""

from silva import edit as edit
from silva.errors import DataError as DataError
from silva.errors import DataTypeError as DataTypeError
from silva.errors import DataWarning as DataWarning
from silva.errors import ModelFormatError as ModelFormatError
from silva.errors import PlanError as PlanError
from silva.errors import SilvaError as SilvaError
from silva.errors import SplitKindError as SplitKindError
from silva.estimators.classifier import StumpClassifier as StumpClassifier
from silva.estimators.classifier import TreeClassifier as TreeClassifier
from silva.estimators.persist import load as load
from silva.estimators.persist import save as save
from silva.estimators.regressor import StumpRegressor as StumpRegressor
from silva.estimators.regressor import TreeRegressor as TreeRegressor
from silva.export.text import to_text as to_text
from silva.grow.plan import Plan as Plan
from silva.grow.presets import C45 as C45
from silva.grow.presets import CART as CART
from silva.grow.presets import ID3 as ID3
from silva.grow.presets import greedy_accuracy as greedy_accuracy
from silva.grow.splits import DistanceSplits as DistanceSplits
from silva.grow.splits import ObliqueSplits as ObliqueSplits
from silva.inspect.bounds import bounds as bounds
from silva.inspect.size_path import size_path as size_path
from silva.inspect.stability import stability as stability
from silva.leaf.choice import LinearLeaf as LinearLeaf
from silva.leaf.choice import MEstimate as MEstimate
from silva.plot.pruning import plot_pruning as plot_pruning
from silva.plot.size_path import plot_size_path as plot_size_path
from silva.plot.stability import plot_stability as plot_stability
from silva.prune.accuracy_threshold import AccuracyThreshold as AccuracyThreshold
from silva.prune.auto import Auto as Auto
from silva.prune.bottom_up import BottomUp as BottomUp
from silva.prune.bound import GeneralisationBound as GeneralisationBound
from silva.prune.cost_complexity import CostComplexity as CostComplexity
from silva.prune.critical_value import CriticalValue as CriticalValue
from silva.prune.minimum_error import MinimumError as MinimumError
from silva.prune.optimal import MaxLeaves as MaxLeaves
from silva.prune.pessimistic import Pessimistic as Pessimistic
from silva.prune.reduced_error import ReducedError as ReducedError
from silva.tree.tree import Tree as Tree

__version__: str
