"""`--query`: one SELECT over the loaded table, which it calls data."""

from collections.abc import Sequence

from silva.cli.tables.duck import Connection, identifier, reason, refuse_cases
from silva.cli.tables.fields import Field, Loaded
from silva.errors import DataError


def refuse_statement(connection: Connection, query: str) -> None:
    """Raise for anything but one SELECT, before any file is read."""
    import duckdb

    try:
        statements = connection.extract_statements(query)
    except duckdb.Error as error:
        raise DataError(f"--query is not SQL that DuckDB takes ({reason(error)})") from error
    kinds = [statement.type for statement in statements]
    if kinds != [duckdb.StatementType.SELECT]:
        seen = " and ".join(kind.name for kind in kinds) or "nothing"
        raise DataError(f"--query must be one SELECT over the table data, got {seen}")


def run_query(
    connection: Connection, query: str, loaded: Loaded, fields: Sequence[Field]
) -> Loaded:
    """The result of a query over these fields, as a relation of its own."""
    import duckdb

    refuse_cases([one.name for one in fields], "--query")
    cells = ", ".join(f"{one.sql} AS {identifier(one.name)}" for one in fields)
    try:
        connection.execute(f"CREATE VIEW data AS SELECT {cells} FROM {loaded.relation}")
        connection.execute(f"CREATE TABLE result AS {query.strip().rstrip(';')}")
        rows = connection.execute("DESCRIBE result").fetchall()
    except duckdb.Error as error:
        raise DataError(f"--query failed: {reason(error)}") from error
    found = tuple(Field(row[0], identifier(row[0]), row[1]) for row in rows)
    n_rows = connection.execute("SELECT count(*) FROM result").fetchone()[0]
    names = tuple(one.name for one in found)
    where = f"the query gave {n_rows:,} rows"
    return Loaded("result", names, found, n_rows, has_dates=False, told=(*loaded.told, where))
