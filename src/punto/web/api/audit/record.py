"""The house's record, for pit managers and above, and auditors."""

from collections.abc import Mapping, Sequence
from functools import partial
from io import StringIO

from punto.floor.house.positions import MAY_AUDIT
from punto.floor.people.looks import LookKind
from punto.floor.people.players import players_in
from punto.floor.reports.file_formats import Column, ColumnKind, write_csv
from punto.floor.reports.house_lines import LAST_KEY, HouseLine, RecordFilter, find_lines
from punto.floor.reports.moments import read_period
from punto.floor.turns import in_thread
from punto.table.records.identity import player_number
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest, Raw
from punto.web.messages.record import RecordLine, RecordPage, RecordQuery
from punto.web.views.visibility import TRAY_SETTINGS, counts_trays, without_tray
from punto.web.words.change_words import changes_of
from punto.web.words.house_words import HouseNames, house_words, shown_fields
from punto.web.words.translator import TRANSLATORS

MAX_CSV_LINES = 10_000
_CSV_COLUMNS: tuple[Column, ...] = (
    ("recorded", ColumnKind.MOMENT),
    *((name, ColumnKind.TEXT) for name in ("stream", "group", "by", "position", "terminal", "proposed_by")),
    *((name, ColumnKind.TEXT) for name in ("approved_by", "words", "changes", "event")),
)


async def lines_of(call: HttpRequest, query: RecordQuery, most: int) -> list[HouseLine]:
    """Those that a query finds, newest first."""
    floor = call.service.floor
    await floor.house_log.require(call.by, MAY_AUDIT, "read_record")
    period = read_period(await call.service.floor_view.gaming_day(), query.since or None, query.until or None)
    wanted = RecordFilter(
        group=query.group,
        person=query.person.strip(),
        table=query.table.strip(),
        period=period,
        before=query.before or LAST_KEY,
    )
    player = wanted.person if player_number(wanted.person) is not None else ""  # never what else somebody typed
    await call.service.looks.saw(call.by, LookKind.RECORD, player)
    return await floor.database.read(partial(find_lines, wanted=wanted, most=most), long=True)


async def views_of(call: HttpRequest, lines: Sequence[HouseLine], *, named: bool = True) -> tuple[RecordLine, ...]:
    """Lines in the reader's language. Not ``named``: registered players by their ids, as in every file."""
    floor = call.service.floor
    ids = players_in(tuple(line.event for line in lines)) if named else frozenset[str]()
    names = await call.service.player_names.of(ids)
    titles: Mapping[str, str] = {name: floor.title_of(name) for name in floor.tables}
    words = HouseNames(TRANSLATORS[call.language], names, titles)
    blind = counts_trays(call.by)
    return await in_thread(lambda: tuple(_view(line, words, blind=blind) for line in lines))  # a file has thousands


def _view(line: HouseLine, words: HouseNames, *, blind: bool) -> RecordLine:
    entry, context = line.entry, line.context
    event, changes = shown_fields(line.event), changes_of(line, words)
    return RecordLine(
        stream=entry.stream,
        version=entry.version,
        at_us=entry.at_us,
        by=entry.actor,
        position=entry.position,
        terminal=context.terminal,
        proposed_by=context.proposed_by,
        approved_by=context.approved_by,
        alone=context.alone,
        group=line.group,
        words=house_words(line.event, words),
        changes=tuple(each for each in changes if not blind or each.name not in TRAY_SETTINGS),
        event=without_tray(event) if blind else event,
    )


async def record(call: HttpRequest) -> RecordPage:
    query: RecordQuery = call.query
    found = await lines_of(call, query, query.most + 1)
    lines = found[: query.most]
    return RecordPage(lines=await views_of(call, lines), next=lines[-1].key if len(found) > query.most else None)


async def record_csv(call: HttpRequest) -> Raw:
    """The newest lines of a query, at most `MAX_CSV_LINES`."""
    file = StringIO(newline="")
    views = await views_of(call, await lines_of(call, call.query, MAX_CSV_LINES), named=False)
    await in_thread(write_csv, file, _CSV_COLUMNS, map(_csv_row, views))
    return Raw(file.getvalue().encode(), "text/csv; charset=utf-8")


def _csv_row(view: RecordLine) -> tuple[object, ...]:
    changes = "; ".join(f"{one.name}: {one.before} > {one.after}" for one in view.changes)
    return (
        *(view.at_us, f"{view.stream} {view.version}", view.group, view.by, view.position, view.terminal),
        *(view.proposed_by, view.approved_by, view.words, changes, view.event["event"]),
    )


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/record",
        record,
        "Read the house's record, newest first",
        RecordPage,
        query=RecordQuery,
        cost=EXPENSIVE,
        tag="audit",
    ),
    Endpoint(
        "GET",
        "/api/record.csv",
        record_csv,
        "Read the house's record as CSV",
        query=RecordQuery,
        kind="text/csv",
        cost=EXPENSIVE,
        tag="audit",
    ),
)
