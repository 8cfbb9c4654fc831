"""Nothing takes a stream name or an id apart by hand: each kind is written and read in one module."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SRC = Path(__file__).parent.parent / "src" / "punto"
TAKES_APART = frozenset(
    {
        *("partition", "rpartition", "split", "rsplit", "removeprefix", "removesuffix", "startswith", "endswith"),
        *("match", "fullmatch", "findall", "finditer"),
    }
)
"""Methods of texts and patterns."""

OWNERS = {
    "floor/journal/stream_name.py": "names of streams",
    "floor/journal/streams.py": "messages between processes",
    "floor/alarms/clock_watch.py": "what its own alarms are about",
    "floor/journal/command_ids.py": "prefixes of the house's own command ids",
    "floor/journal/entry.py": "tags of events and commands",
    "floor/journal/round_index.py": "the tag at the start of an encoded event",
    "floor/journal/round_marks.py": "marks of rounds",
    "floor/journal/seal_index.py": "the tag at the start of an encoded event",
    "floor/people/names/names.py": "names of house players, letters of names",
    "floor/people/approvals/proposals.py": "ids of proposals",
    "floor/people/approvals/proposal_store.py": "command ids of proposals; a list of positions",
    "table/records/identity.py": "ids of players and places",
    "table/records/ledger.py": "names of accounts",
    "web/pages/dealer/last_key.py": "command ids of one key",
    "web/pages/parts/proposal_figures.py": "the tag at the start of an encoded event",
    "web/views/cursors.py": "cursors",
    "web/views/visibility.py": "the tag of an event",
    "web/views/round_names.py": "names and addresses of rounds",
    "rules/refusals.py": "ids of clauses; the name of a missing module",
    "web/pages/page_socket.py": "paths of pages",
    "web/pages/static/fairness.js": "hashes of a path",
    "web/pages/static/punto.js": "ids of clauses, in one function",
    "web/pages/static/table/commands.js": "cursors",
}
"""Modules that take an id of ours apart, and which."""

OTHER_TEXTS = {
    "board/results.py": "marks that a person writes",
    "catalogue/aloud.py": "numerals in words",
    "catalogue/sentence.py": "keys, formats and fractions of sentences",
    "cli/_shared/line_faults.py": "messages of the decoder",
    "cli/_shared/progress.py": "words of the progress bar",
    "cli/odds.py": "an option, points to points",
    "cli/replay.py": "a date and its time",
    "cli/session.py": "an option, bet=amount",
    "cli/settle.py": "the mark at the start of a file",
    "client/requests.py": "the address of a server",
    "floor/alarms/house_watch.py": "how the texts of events start",
    "floor/audit/head_copies.py": "addresses and names of files",
    "floor/audit/jobs/job_files.py": "the address of a database; the form of a job's id",
    "floor/audit/packs/pack.py": "how the texts of events start",
    "floor/audit/packs/pack_file.py": "the end of a file",
    "floor/database/__init__.py": "the address of a database",
    "floor/database/expected_schema.py": "the definition of an index",
    "floor/database/postgres_parts.py": "values and conditions of PostgreSQL",
    "floor/database/schema.py": "statements of a script",
    "floor/demo/betting_habits.py": "a list of first names",
    "floor/journal/incident_index.py": "a list of what an incident waits for",
    "floor/people/accounts/common_passwords.py": "the file of common passwords; letters and digits of a password",
    "floor/people/sessions/known_devices.py": "cookies",
    "floor/people/names/lookalikes.py": "the file of lookalikes",
    "floor/people/players.py": "the form of a card number",
    "floor/people/accounts/totp.py": "codes that a person writes",
    "floor/reports/event_words.py": "names of fields",
    "floor/reports/file_formats.py": "cells of a spreadsheet",
    "floor/reports/days/report_tables.py": "names of fields",
    "floor/running/build.py": "what a package needs and which files it has",
    "floor/running/late_entry.py": "moments that a person writes",
    "floor/settings/floor_settings.py": "lines of a contact",
    "floor/shoes/machine_orders.py": "copies of cards and lines of an opened block",
    "floor/shoes/sealed.py": "lines of an opened order",
    "library.py": "names of files",
    "odds/compiling.py": "names of files",
    "odds/simulation/cluster.py": "addresses",
    "rules/coup/cards.py": "cards that a person writes",
    "rules/loader/book.py": "texts of a book's file",
    "rules/loader/pays.py": "texts of a book's file",
    "rules/money.py": "amounts that a person writes",
    "table/records/settings.py": "the form of a currency",
    "table/referee/question.py": "cards that a person writes",
    "web/config.py": "options and addresses",
    "web/http/auth.py": "headers",
    "web/http/body.py": "headers",
    "web/http/client_address.py": "addresses",
    "web/http/headers.py": "headers",
    "web/http/language.py": "headers",
    "web/http/openapi.py": "paths",
    "web/messages/releases.py": "numbers of releases",
    "web/pages/base/i18n.py": "keys of sentences",
    "web/pages/base/static_files.py": "names of files",
    "web/pages/base/templates.py": "sources of templates",
    "web/pages/complaints.py": "lines of a contact",
    "web/pages/fairness.py": "cards of a revealed shoe",
    "web/pages/guide/order.py": "places of cards in the order tapped",
    "web/pages/dealer/keys.py": "its own list of keys",
    "web/pages/dealer/dialogs.py": "labels of answers, for their keys",
    "web/pages/pit/screen.py": "the order of the tiles",
    "web/pages/referee/edits.py": "cards that a person laid",
    "web/pages/referee/felt.py": "numbers in an address",
    "web/pages/registry.py": "paths",
    "web/pages/settings.py": "names of thresholds and zones",
    "web/pages/sign_in.py": "paths",
    "web/pages/static/table/felt.js": "a list of looks",
    "web/pages/static/table/insurance.js": "amounts that a person writes",
    "web/pages/trouble/questions.py": "answers in an address",
    "web/pages/trouble/words.py": "answers in an address",
    "web/server/app.py": "paths",
    "web/views/table_day.py": "how the texts of events start",
    "web/words/alarm_words.py": "names of fields",
    "web/words/change_words.py": "names of fields",
    "web/words/event_words.py": "names of fields",
    "web/words/house_words.py": "names of fields, and of requests",
}
"""Modules that take apart texts that are not ids of ours."""


def _taken_apart() -> Iterator[str]:
    static = SRC / "web/pages/static"
    for path in (static / "punto.js", static / "fairness.js", *static.glob("live/*.js"), *static.glob("table/*.js")):
        if re.search(r"\.(split|match|startsWith|endsWith|slice|substring)\(", path.read_text(encoding="utf-8")):
            yield path.relative_to(SRC).as_posix()
    for path in sorted(SRC.rglob("*.py")):
        calls = (
            node.func for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)
        )
        if any(isinstance(called, ast.Attribute) and called.attr in TAKES_APART for called in calls):
            yield path.relative_to(SRC).as_posix()


def test_every_module_that_takes_a_text_apart_is_listed_with_what_it_takes_apart() -> None:
    assert set(_taken_apart()) == {*OWNERS, *OTHER_TEXTS}
    assert not OWNERS.keys() & OTHER_TEXTS.keys()
