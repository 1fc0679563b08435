"""Many new rows at once, without an object for each: what folding and rating spend most of their time on."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection
from django.db.models import JSONField, Model


def add(model: type[Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Writes rows of these fields of the model; the caller is in a transaction. Raises `IntegrityError`.

    PostgreSQL takes them as a stream (COPY), SQLite one by one, which there is a function call. JSON is given as text.
    """
    rows = list(rows)  # before the stream begins: while it lasts, the connection answers no query
    fields: list[Any] = [model._meta.get_field(name) for name in names]
    quote = connection.ops.quote_name
    into = f"{quote(model._meta.db_table)} ({', '.join(quote(str(field.column)) for field in fields)})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {into} FROM STDIN") as stream:
                for row in rows:
                    stream.write_row(row)
            return
        places = ", ".join(["%s"] * len(fields))
        convert = [_as_given if isinstance(field, JSONField) else field.get_db_prep_save for field in fields]
        cursor.executemany(
            f"INSERT INTO {into} VALUES ({places})",  # noqa: S608  the model's own names
            [[prepare(value, connection) for prepare, value in zip(convert, row, strict=True)] for row in rows],
        )


def _as_given(value: Any, _connection: Any) -> Any:
    return value
