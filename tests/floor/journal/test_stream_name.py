"""Names of streams and columns of entries."""

import pytest

from punto.floor.database import open_database
from punto.floor.journal.entry import ENTRY_COLUMNS
from punto.floor.journal.house_events import HOUSE
from punto.floor.journal.stream_name import StreamName


@pytest.mark.parametrize("name", [StreamName("Orchid", 1), StreamName("t1", 12), StreamName("a/b", 3)])
def test_a_name_is_read_as_it_is_written(name: StreamName) -> None:
    assert StreamName.parse(str(name)) == name
    assert StreamName.parse(str(name.at(7))) == StreamName(name.table, 7)


@pytest.mark.parametrize(
    "text", [HOUSE, "", "t1", "t1/", "t1/x", "t1/01", "t1/-1", "t1/1.0", "t1/\u0661", "t1/" + "9" * 5_000]
)
def test_what_is_no_name_is_not_taken_for_one(text: str) -> None:
    assert StreamName.find(text) is None
    with pytest.raises(ValueError, match="not the name"):
        StreamName.parse(text)


def test_every_column_of_an_entry_is_read_and_written(database_url: str) -> None:
    database = open_database(database_url)
    columns = database.reading(lambda tx: tx.rows(_columns(shared=database.shared))).result()
    database.close()
    assert sorted(name for (name,) in columns) == sorted(("id", "stream", *ENTRY_COLUMNS))


def _columns(*, shared: bool) -> str:
    if shared:
        return "SELECT column_name FROM information_schema.columns WHERE table_name = 'entries'"
    return "SELECT name FROM pragma_table_info('entries')"
