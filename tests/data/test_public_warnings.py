"""What is warned about in public tables: every finding is a true one."""

import warnings

import pandas as pd
import pytest

from silva.data.bind import bind_classes, bind_numbers, bind_training, warn_of_data
from silva.data.marks import marks
from silva.errors import DataWarning

IDENTIFIERS = "columns that look like identifiers: "
NUMBERS = "numbers stored as text: "
SPELLING = "levels that differ only in spaces or case: "
LEAK = "columns that are a copy or a renaming of the target (a leak): "
NUMERIC_TARGETS = ("mpg", "Rings", "medianHouseValue", "quality", "charges")


@pytest.mark.parametrize(
    ("file", "target", "findings"),
    [
        (
            "titanic.csv",
            "Survived",
            {
                f"{IDENTIFIERS}'Name' (891 different values in 891 rows",
                "'Ticket' (681 different values in 891 rows",
                "'Cabin' (147 different values in 204 rows",
            },
        ),
        (
            "auto_mpg.csv",
            "mpg",
            {
                f"{IDENTIFIERS}'car_name' (305 different values in 398 rows",
                f"{NUMBERS}'horsepower' (94 different values in 398 rows, such as '100.0', but not",
            },
        ),
        ("zoo.csv", "type", {f"{IDENTIFIERS}'animal_name' (100 different values in 101 rows"}),
        ("breast_cancer_wisconsin.csv", "class", {f"{NUMBERS}'bare_nuclei' (11 different"}),
        (
            "compas_two_years.csv.gz",
            "two_year_recid",
            {f"{SPELLING}'c_charge_desc' (", "'r_charge_desc' (", "'vr_charge_desc' ("},
        ),
        ("binarised/zoo-1.csv", "class", {f"{LEAK}'b6' (one to one", "'b7' (one to one"}),
        ("adult_train.csv.gz", "income", set()),
        ("mushroom.csv.gz", "class", set()),
        ("audiology.csv", "class", set()),
        ("soybean_large.csv", "class", set()),
        ("penguins.csv", "species", set()),
        ("house_votes_84.csv", "party", set()),
        ("heart_cleveland.csv", "num", set()),
        ("play_tennis.csv", "PlayTennis", set()),
        ("car_evaluation.csv", "class", set()),
        ("abalone.csv", "Rings", set()),
        ("wine_quality_red.csv", "quality", set()),
        ("binarised/regr-insurance.csv", "charges", set()),
    ],
)
def test_findings(shared_data, file, target, findings):
    frame = pd.read_csv(shared_data / file)
    y = frame.pop(target)
    bind = bind_numbers if target in NUMERIC_TARGETS else bind_classes
    weights = (None,) if target in NUMERIC_TARGETS else (None, None)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warn_of_data(bind_training(frame), bind(y, *weights, len(y)))
    assert all(one.category is DataWarning for one in found)
    told = " ".join(str(one.message) for one in found)
    assert all(one in told for one in findings)
    assert told.count("' (") == len(findings)


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("pima_diabetes.csv", {"plas": 0.0, "pres": 0.0, "mass": 0.0}),
        ("adult_train.csv.gz", {"capital-gain": 99999.0}),
        *[
            (file, {})
            for file in (
                *("titanic.csv", "auto_mpg.csv", "abalone.csv", "boston_housing.csv", "zoo.csv"),
                *("compas_two_years.csv.gz", "california_housing.csv.gz", "penguins.csv"),
                *("heart_cleveland.csv", "wine_quality_red.csv", "continuous/contree-room.csv.gz"),
                *("continuous/contree-bidding.csv.gz", "spambase.csv.gz"),
            )
        ],
    ],
)
def test_marks_of_missing_values(shared_data, file, expected):
    table = bind_training(pd.read_csv(shared_data / file))
    found = {
        column.name: one.value
        for column, values in zip(table.schema.columns, table.columns, strict=True)
        for one in marks(column, values)
    }
    assert found == expected
