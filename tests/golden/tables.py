"""Loaders of the hand-written tables in examples/, as pandas frames with yes/no columns."""

from pathlib import Path

import pandas as pd


def course_table(examples: Path) -> tuple[pd.DataFrame, pd.Series]:
    """The course table: answers of 20 students about a course, and whether they liked it."""
    table = pd.read_csv(examples / "course.csv")
    return table[["Easy", "AI", "Sys", "Thy", "Morning"]], table["liked"]


def play_tennis(examples: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Mitchell 1997, table 3.2: fourteen Saturday mornings."""
    table = pd.read_csv(examples / "play_tennis.csv")
    return table.drop(columns="PlayTennis"), table["PlayTennis"]
