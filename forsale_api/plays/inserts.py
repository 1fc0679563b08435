"""New rows of several tables in one trip to the database."""

import json
from collections.abc import Iterator, Sequence
from datetime import date, time
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
    with_rows = [group for group in groups if group]
    if connection.vendor == "postgresql":
        _insert_at_once(with_rows)
    else:
        with transaction.atomic(savepoint=False), connection.cursor() as cursor:
            for group in with_rows:
                columns = _columns(type(group[0]))
                cursor.execute(
                    _text(type(group[0]), len(group)),
                    [
                        column.get_db_prep_save(value, connection)
                        for row in group
                        for column, value in _values(row, columns)
                    ],
                )
    for group in groups:
        for row in group:
            row._state.adding, row._state.db = False, connection.alias


LIVING = "SELECT id FROM clubs_player WHERE merged_into_id IS NULL AND"
HELD = f"held AS MATERIALIZED ({LIVING} id = ANY(%s) ORDER BY id FOR SHARE)"


def _insert_at_once(groups: Sequence[Sequence[Model]]) -> None:
    """One statement, the rows of each table one value (JSON): so its text is always the same, and is parsed once."""
    named: list[str] = []
    given: list[Any] = []
    seated = sorted({row.player_id for group in groups for row in group if isinstance(row, Seat)})
    if seated:
        named.append(HELD)
        given.append(seated)
    for number, group in enumerate(groups):
        named.append(f"rows_{number} AS ({_text_of_json(type(group[0]))})")
        rows = [_as_json(row) for row in group]
        given.append(json.dumps(rows, default=_plain, ensure_ascii=False, separators=(",", ":")))
    with connection.cursor() as cursor:
        cursor.execute(f"WITH {', '.join(named)} SELECT", given)


def _plain(value: Any) -> str:
    """Ids, dates and times as PostgreSQL reads them."""
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _as_json(row: Model) -> dict[str, Any]:
    """Its columns by name. What the model stamps at the write is stamped."""
    stamped, others = _stamped_and_others(type(row))
    for column in stamped:
        column.pre_save(row, True)
    return {name: getattr(row, attribute) for name, attribute in others}


@cache
def _stamped_and_others(model: type[Model]) -> tuple[list["Field[Any, Any]"], list[tuple[str, str]]]:
    columns = _columns(model)
    stamped = [column for column in columns if type(column).pre_save is not Field.pre_save]
    return stamped, [(str(column.column), column.attname) for column in columns]


def _values(row: Model, columns: Sequence["Field[Any, Any]"]) -> Iterator[tuple["Field[Any, Any]", Any]]:
    for column in columns:
        yield column, column.pre_save(row, True)


@cache
def _columns(model: type[Model]) -> tuple["Field[Any, Any]", ...]:
    """All columns but a key that the database makes."""
    return tuple(field for field in model._meta.local_concrete_fields if field is not model._meta.auto_field)


@cache
def _text_of_json(model: type[Model]) -> str:
    """The statement for any number of rows, made of the model's own names alone."""
    table, names = _names(model)
    player = connection.ops.quote_name(str(Seat._meta.get_field("player").column))
    # A seat's player is null, and so refused, unless there is such a player.
    living = f"(SELECT id FROM held WHERE id = given.{player})"  # noqa: S608
    values = [living if name == player else f"given.{name}" for name in names]
    into = f"INSERT INTO {table} ({', '.join(names)})"
    return f"{into} SELECT {', '.join(values)} FROM json_populate_recordset(NULL::{table}, %s) AS given"  # noqa: S608


@cache
def _text(model: type[Model], rows: int) -> str:
    """The statement for so many rows, made of the model's own names alone."""
    table, names = _names(model)
    player = Seat._meta.get_field("player")
    places = [f"({LIVING} id = %s)" if column is player else "%s" for column in _columns(model)]
    row = f"({', '.join(places)})"
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES {', '.join([row] * rows)}"  # noqa: S608


def _names(model: type[Model]) -> tuple[str, list[str]]:
    quote = connection.ops.quote_name
    return quote(model._meta.db_table), [quote(str(column.column)) for column in _columns(model)]
