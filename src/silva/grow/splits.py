"""Which questions a tree may ask: the form of each column's splits, oblique and distance splits.

The names are judged when a choice is made, the columns when it meets a schema. Every part says
itself what it supports: a form and the two settings have `supports(column)`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, assert_never

from silva.checks import Settings, check_choice, either, near, real, refuse, whole
from silva.data.by_column import ByColumn
from silva.data.columns import column_number, numbered
from silva.data.schema import KINDS, Column, Kind, Schema
from silva.errors import PlanError
from silva.messages import listed, shown
from silva.tree.tables import METRICS

ORDERED: tuple[Kind, ...] = ("continuous", "ordinal", "binary")
WITH_LEVELS: tuple[Kind, ...] = ("categorical", "ordinal", "binary")
MOST_INDICATORS = 10
MOST_PROTOTYPES = 10_000
MANY_COLUMNS = 2**31


@dataclass(frozen=True, slots=True)
class Form:
    """A way to ask about one column; `number` is its name in the core."""

    name: str
    number: int
    kinds: tuple[Kind, ...]

    def supports(self, column: Column) -> bool:
        return column.kind in self.kinds


FORMS = {
    form.name: form
    for form in (
        Form("threshold", 0, ORDERED),
        Form("onevsrest", 1, WITH_LEVELS),
        Form("subset", 2, WITH_LEVELS),
        Form("multiway", 3, WITH_LEVELS),
    )
}
CATEGORICAL_FORMS = ("subset", "onevsrest", "multiway")
FITTED_FORMS = ("subset", "multiway")
"""Forms that choose among many groupings of levels, which a fair category gain charges."""
WHOLE_TABLE = (*CATEGORICAL_FORMS, "oblique", "distance")
DEFAULT_FORM = {kind: FORMS["threshold" if kind in ORDERED else "subset"] for kind in KINDS}

OTHER_SPLITS = (
    "a mapping from columns to forms, silva.ObliqueSplits(...), silva.DistanceSplits(...), or a"
    " list of these"
)

Columns = tuple[str | int, ...] | None


@dataclass(frozen=True, slots=True)
class KindForms(Settings):
    """A form for all columns of a kind; None leaves the kind as it is."""

    categorical: str | None = None
    ordinal: str | None = None
    binary: str | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            form = getattr(self, field.name)
            if form is not None:
                names = tuple(FORMS) if field.name in ORDERED else CATEGORICAL_FORMS
                check_choice(field.name, form, names)

    def form_of(self, column: Column) -> Form | None:
        if column.kind == "continuous":
            return None
        name = getattr(self, column.kind)
        return None if name is None else FORMS[name]


@dataclass(frozen=True, slots=True)
class ObliqueSplits(Settings):
    """Linear questions `w1 a + w2 b + ... < t` beside those of single columns.

    columns: the columns that may take part, by name or index; None: continuous, ordinal and binary
        ones, and categorical ones of at most ten levels, whose levels enter as indicators.
    max_columns: the most columns in one question.
    margin: such a split is taken only when its gain is above `1 + margin` times the gain of the
        best question about one column.
    """

    columns: Columns = None
    max_columns: int = 5
    margin: float = 0.1

    splitters: ClassVar[tuple[str, ...]] = ("best",)

    def __post_init__(self) -> None:
        keep = object.__setattr__
        keep(self, "columns", _checked_columns(self.columns))
        keep(self, "max_columns", whole("max_columns", self.max_columns, 2))
        keep(self, "margin", real("margin", self.margin, 0.0))

    def supports(self, column: Column) -> bool:
        return column.kind in ORDERED or column.n_levels <= MOST_INDICATORS

    def resolved(self, schema: Schema) -> dict[str, Any]:
        """What the core is told."""
        why = f"more than {MOST_INDICATORS} levels are too many to enter as indicators"
        return {
            "columns": _supported_columns(self, "oblique", schema, why),
            "max_columns": min(self.max_columns, MANY_COLUMNS),
            "margin": self.margin,
            "max_levels": MOST_INDICATORS,
        }


@dataclass(frozen=True, slots=True)
class DistanceSplits(Settings):
    """Questions about closeness, `distance(row, prototype) < t`, beside those of single columns.

    metric: `euclidean`, `manhattan`, `cosine` or `mahalanobis`, or several of them: the best wins.
    columns: the columns that are measured, by name or index; None: all but categorical ones.
    prototypes: how many rows of a node are tried as prototypes, besides the classes' medoids.
    margin: as for `ObliqueSplits`.
    """

    metric: str | tuple[str, ...] = "euclidean"
    columns: Columns = None
    prototypes: int = 4
    margin: float = 0.1

    splitters: ClassVar[tuple[str, ...]] = ("best",)

    def __post_init__(self) -> None:
        keep = object.__setattr__
        keep(self, "metric", _checked_metric(self.metric))
        keep(self, "columns", _checked_columns(self.columns))
        keep(self, "prototypes", whole("prototypes", self.prototypes, 1, MOST_PROTOTYPES))
        keep(self, "margin", real("margin", self.margin, 0.0))

    def supports(self, column: Column) -> bool:
        return column.kind in ORDERED

    def resolved(self, schema: Schema) -> dict[str, Any]:
        """What the core is told."""
        metrics = (self.metric,) if isinstance(self.metric, str) else self.metric
        return {
            "columns": _supported_columns(self, "distance", schema, "categories have no distance"),
            "metrics": [METRICS.index(metric) for metric in metrics],
            "prototypes": self.prototypes,
            "margin": self.margin,
        }


Choice = KindForms | ByColumn | ObliqueSplits | DistanceSplits


def checked_splits(value: Any) -> tuple[Choice, ...]:
    """What `splits=` says, as a tuple of choices of which later ones override earlier ones."""
    if value is None:
        return ()
    if isinstance(value, list | tuple):
        return tuple(_choice(item) for item in value)
    return (_choice(value),)


def supports_splitter(choice: Choice, splitter: str) -> bool:
    """Whether this choice can be searched by the plan's splitter."""
    return splitter in getattr(choice, "splitters", (splitter,))


def resolved_splits(choices: Iterable[Choice], schema: Schema) -> dict[str, Any]:
    """The core's words for the choices, for a table with this schema."""
    choices = tuple(choices)
    told: dict[str, Any] = {"oblique": None, "distance": None}
    for choice in choices:
        match choice:
            case KindForms() | ByColumn():
                pass
            case ObliqueSplits():
                told["oblique"] = choice.resolved(schema)
            case DistanceSplits():
                told["distance"] = choice.resolved(schema)
            case _:
                assert_never(choice)
    return {"split_forms": _form_numbers(choices, schema), **told}


def _form_numbers(choices: tuple[Choice, ...], schema: Schema) -> list[int]:
    """The core's number of each column's form; columns that are all alike are looked at once."""
    if schema.is_plain and not any(isinstance(choice, ByColumn) for choice in choices):
        return _form_numbers(choices, Schema(schema.columns[:1])) * len(schema)
    return [form.number for form in column_forms(choices, schema)]


def column_forms(choices: Iterable[Choice], schema: Schema) -> list[Form]:
    """The form in which each column is asked about."""
    forms = [DEFAULT_FORM[column.kind] for column in schema.columns]
    for choice in choices:
        if isinstance(choice, KindForms):
            pairs = zip(schema.columns, forms, strict=True)
            forms = [choice.form_of(column) or form for column, form in pairs]
        elif isinstance(choice, ByColumn):
            _set_forms(forms, choice, schema)
    return forms


def _choice(item: Any) -> Choice:
    if isinstance(item, KindForms | ObliqueSplits | DistanceSplits):
        return item
    if isinstance(item, Mapping):
        return _by_column(item)
    if not (isinstance(item, str) and item in WHOLE_TABLE):
        refuse("splits", item, f"use {either(WHOLE_TABLE)}, {OTHER_SPLITS}", _meant(item))
    if item == "oblique":
        return ObliqueSplits()
    return DistanceSplits() if item == "distance" else KindForms(categorical=item)


def _meant(item: Any) -> str:
    if item is ObliqueSplits or item is DistanceSplits:
        return f"Did you mean splits=silva.{item.__name__}()?"
    if isinstance(item, str) and item == "threshold":
        return "Columns of numbers and ordered ones are always split by thresholds."
    return near(item, WHOLE_TABLE)


def _by_column(choices: Mapping[Any, Any]) -> ByColumn:
    for column, form in choices.items():
        if isinstance(form, str) and form in ("oblique", "distance"):
            setting = "ObliqueSplits" if form == "oblique" else "DistanceSplits"
            hint = f"For {form} splits of some columns use silva.{setting}(columns=[...])."
            refuse(f"splits[{column!r}]", form, f"use {either(tuple(FORMS))}", hint)
        check_choice(f"splits[{column!r}]", form, tuple(FORMS))
    return choices if isinstance(choices, ByColumn) else ByColumn(choices)


def _set_forms(forms: list[Form], choices: ByColumn, schema: Schema) -> None:
    for number, name in numbered(choices, schema.names, "splits", PlanError).items():
        column, form = schema.columns[number], FORMS[name]
        if not form.supports(column):
            raise _unsupported_form(column, name)
        forms[number] = form


def _unsupported_form(column: Column, form: str) -> PlanError:
    if column.kind == "categorical":
        fix = (
            f"its categories have no order. Use {either(CATEGORICAL_FORMS)}, or give it as an"
            " ordered category"
        )
    else:
        fix = (
            "it holds numbers, which are split by thresholds. If they are labels, list the column"
            f" in categorical_features=[{column.name!r}]"
        )
    return PlanError(f"splits asks for {form!r} of column {column.name!r}, but {fix}")


def _supported_columns(
    setting: ObliqueSplits | DistanceSplits, what: str, schema: Schema, why: str
) -> list[int]:
    """The columns that a setting names, or all that it supports."""
    if setting.columns is None:
        numbers = [i for i, column in enumerate(schema.columns) if setting.supports(column)]
        if not numbers:
            raise PlanError(
                f"splits={what!r} finds no column to measure: all columns ({listed(schema.names)})"
                f" are categorical, and {why}. Add a column of numbers, or leave the choice out"
            )
        return numbers
    where = f"columns of {type(setting).__name__}"
    numbers = [column_number(key, schema.names, where, PlanError) for key in setting.columns]
    for number in numbers:
        column = schema.columns[number]
        if not setting.supports(column):
            raise PlanError(
                f"{type(setting).__name__} names the column {column.name!r}, which is"
                f" {column.kind}: {why}. Leave it out of columns=[...]"
            )
    return sorted(set(numbers))


def _checked_columns(columns: Any) -> Columns:
    if columns is None:
        return None
    allowed = "use None, or a list of names or indices of columns"
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        hint = f"Did you mean columns=[{shown(columns)}]?" if isinstance(columns, str | int) else ""
        refuse("columns", columns, allowed, hint)
    names = columns.tolist() if hasattr(columns, "tolist") else columns
    names = tuple(names) if isinstance(names, Iterable) else (names,)
    if not names or not all(isinstance(name, str | int) for name in names):
        refuse("columns", columns, allowed)
    return names


def _checked_metric(metric: Any) -> str | tuple[str, ...]:
    if isinstance(metric, str) or not isinstance(metric, Sequence):
        check_choice("metric", metric, METRICS)
        return str(metric)
    if not metric:
        refuse("metric", metric, f"use {either(METRICS)}, or a list of them")
    for one in metric:
        if one not in METRICS:
            allowed = f"use {either(METRICS)}, or a list of them"
            refuse("metric", metric, allowed, near(one, METRICS))
    return tuple(dict.fromkeys(metric))
