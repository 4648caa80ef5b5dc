"""Connections to DuckDB that never reach for the network."""

from typing import Any

from silva.errors import DataError

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}


def connect() -> Any:
    """An empty database in memory that downloads no extension, whatever it is asked to read."""
    try:
        import duckdb
    except ImportError as error:
        raise DataError(
            "reading tables needs DuckDB, which is not installed; run: pip install 'silva[cli]'"
        ) from error
    connection = duckdb.connect(":memory:", config=_CONFIG)
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_progress_bar = false")
    return connection


def lock(connection: Any) -> None:
    """Forbid all files and all settings from here on: a query sees the loaded table alone."""
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def reason(error: Exception, most: int = 200) -> str:
    """What DuckDB says, on one line and without its excerpts of the query."""
    first = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
    text = first.partition(" Error: ")[2] or first
    return text.strip().rstrip(".")[:most]
