"""New rows of several tables in one trip to the database."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from django.db import connection, transaction
from django.db.models import Field, Model

from forsale_api.plays.models import Seat


def insert(*groups: Sequence[Model]) -> None:
    """Writes new rows, all or none; each group is of one model, its objects not stored before.

    PostgreSQL takes them in one statement (foreign keys are checked at the end of the transaction), which costs a
    third of four calls of the ORM; SQLite, which is in this process, takes one statement for each table. Primary keys
    that the database makes are not read back.

    Nobody is seated who was merged into another player or deleted since they were looked up: on PostgreSQL the
    players are held, in one order for everybody, so that a merge comes before this or after it. Raises
    `IntegrityError`, for that too.
    """
    statements = [_statement(group) for group in groups if group]
    if connection.vendor == "postgresql":
        seated = sorted({row.player_id for group in groups for row in group if isinstance(row, Seat)})
        *first, (last, values) = statements
        named = [f"rows_{number} AS ({text})" for number, (text, _values) in enumerate(first)]
        given = [value for _text, some in first for value in some]
        if seated:
            named.insert(0, HELD)
            given.insert(0, seated)
        whole = f"WITH {', '.join(named)} {last}" if named else last
        with connection.cursor() as cursor:
            cursor.execute(whole, given + values)
    else:
        with transaction.atomic(savepoint=False), connection.cursor() as cursor:
            for text, values in statements:
                cursor.execute(text, values)
    for group in groups:
        for row in group:
            row._state.adding, row._state.db = False, connection.alias


LIVING = "SELECT id FROM clubs_player WHERE merged_into_id IS NULL AND"
HELD = f"held AS MATERIALIZED ({LIVING} id = ANY(%s) ORDER BY id FOR SHARE)"


def _statement(rows: Sequence[Model]) -> tuple[str, list[Any]]:
    columns = _columns(type(rows[0]))
    return _text(type(rows[0]), len(rows)), [value for row in rows for value in _values(row, columns)]


def _values(row: Model, columns: Sequence["Field[Any, Any]"]) -> Iterator[Any]:
    for column in columns:
        yield column.get_db_prep_save(column.pre_save(row, True), connection)


@cache
def _columns(model: type[Model]) -> tuple["Field[Any, Any]", ...]:
    """All columns but a key that the database makes."""
    return tuple(field for field in model._meta.local_concrete_fields if field is not model._meta.auto_field)


@cache
def _text(model: type[Model], rows: int) -> str:
    """The statement, made of the model's own names alone."""
    quote, columns = connection.ops.quote_name, _columns(model)
    names = ", ".join(quote(str(column.column)) for column in columns)
    row = "(" + ", ".join(map(_place, columns)) + ")"
    return f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES {', '.join([row] * rows)}"  # noqa: S608


def _place(column: "Field[Any, Any]") -> str:
    """Where a value stands; a seat's player is null, and so refused, unless there is such a player."""
    if column is not Seat._meta.get_field("player"):
        return "%s"
    return "(SELECT id FROM held WHERE id = %s)" if connection.vendor == "postgresql" else f"({LIVING} id = %s)"
