"""Connections to DuckDB that never reach for the network."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from silva.errors import DataError

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}


class Connection:
    """A connection whose statements end at Ctrl-C: DuckDB's own wait does not look for it.

    Statements run in a thread beside the caller, which waits and interrupts them.
    """

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._beside = ThreadPoolExecutor(1)
        self.extract_statements = connection.extract_statements
        self.register = connection.register

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self._beside.shutdown()
        self._connection.close()

    def execute(self, statement: str) -> "Result":
        return Result(self, self.run(lambda: self._connection.execute(statement)))

    def run(self, work: Callable[[], Any]) -> Any:
        return finished(self._beside.submit(work), self._connection.interrupt)


class Result:
    """Rows of a statement, fetched as DuckDB's own methods do."""

    def __init__(self, connection: Connection, rows: Any) -> None:
        self._connection, self._rows = connection, rows

    def fetchone(self) -> Any:
        return self._connection.run(self._rows.fetchone)

    def fetchall(self) -> Any:
        return self._connection.run(self._rows.fetchall)

    def fetchmany(self, size: int) -> Any:
        return self._connection.run(lambda: self._rows.fetchmany(size))

    def fetchnumpy(self) -> Any:
        return self._connection.run(self._rows.fetchnumpy)


def finished(future: Future[Any], interrupt: Callable[[], None]) -> Any:
    """The result of work in another thread, which Ctrl-C interrupts.

    A statement that has not begun yet does not hear of it, so it is told until it has ended.
    """
    try:
        return future.result()
    except KeyboardInterrupt:
        while not future.done():
            interrupt()
            wait([future], timeout=0.1)
        raise


def connect() -> Connection:
    """An empty database in memory that downloads no extension, whatever it is asked to read."""
    try:
        import duckdb
    except ImportError as error:
        raise DataError(
            "reading tables needs DuckDB, which is not installed;"
            " run: pip install 'silva-trees[cli]'"
        ) from error
    connection = Connection(duckdb.connect(":memory:", config=_CONFIG))
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_progress_bar = false")
    return connection


def lock(connection: Connection) -> None:
    """Forbid all files and all settings from here on: a query sees the loaded table alone."""
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def refuse_cases(names: Sequence[str], who: str, otherwise: str = "") -> None:
    """Raise for names that SQL takes for one: it does not tell upper case from lower case."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise DataError(
                f"{who} cannot tell the columns {other!r} and {name!r} apart; rename one of them"
                f"{otherwise}"
            )


def identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def reason(error: Exception, most: int = 200) -> str:
    """What DuckDB says, on one line and without its excerpts of the query."""
    first = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
    text = first.partition(" Error: ")[2] or first
    return text.strip().rstrip(".")[:most]
