"""An incident pack can be checked without the journal, and every change to it is found."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.head_copies import heads_at
from punto.floor.audit.kept_heads import KeptHead, KeptHeads
from punto.floor.audit.packs import pack as packs
from punto.floor.audit.packs.check_pack import PackChecked, check_pack
from punto.floor.audit.packs.pack import make_pack
from punto.floor.audit.packs.pack_file import (
    HeadSource,
    Pack,
    approvals_of,
    clauses_of,
    encode_pack,
    postings_of,
    record_fields,
)
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.entry import (
    NO_PREVIOUS_HASH,
    CommandRecord,
    Entry,
    EntryContext,
    chained,
    content_hash,
    context_of,
    digest,
    follow,
    named_content,
    names_of,
    write,
)
from punto.floor.journal.house_events import HOUSE
from punto.floor.journal.round_index import index_rounds
from punto.floor.journal.rounds import RoundFold, read_round
from punto.floor.journal.stream_name import StreamName
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.upkeep.migration import migrate
from punto.library import book, book_ids
from punto.table.records import events, findings
from punto.table.records.events import TableClosed
from punto.table.revision import REVISION
from punto.table.vocabulary import AnyEvent
from tests.floor.audit.forging import entries, is_a, retold, rewrite, tamper
from tests.floor.goldens import TABLE
from tests.floor.identified_places import identified
from tests.floor.journals import reopened
from tests.floor.nights import DORA, SID, SUE, Night, night, opened, rejudged, small, troubled
from tests.floor.upgrades.upgraded import put_old_floor
from tests.golden.evening import read_asked, read_event
from tests.golden.recordings import ALL, golden
from tests.lanes import examples
from tests.marks import rest_at_night

pytestmark = pytest.mark.sweep

NOW_US = 1_800_000_000_000_000


def make(url: str, stream: str, number: int, *kept: KeptHeads) -> Pack:
    with opened(url) as database:
        name = StreamName.parse(stream)
        return database.reading(lambda tx: make_pack(tx, name, number, kept, NOW_US)).result()


def rounds_of(url: str) -> list[tuple[str, int]]:
    """Every round of every opening, round 0 included."""
    with opened(url) as database:
        heads = database.reading(streams.heads).result()
        found = []
        for name, head in heads.items():
            if name != HOUSE:
                found.append((name, 0))
                calls = [entry for entry in streams.read_all(database, head) if is_a(entry, "betting_opened.1")]
                found += [(name, msgspec.json.decode(call.event)["round"]) for call in calls]
        return found


def heads_now(url: str) -> KeptHeads:
    with opened(url) as database:
        return database.reading(lambda tx: heads_at(tx, NOW_US)).result()


def check(pack: Pack, *kept: KeptHeads) -> PackChecked:
    return check_pack(encode_pack(pack), kept)


def codes(checked: PackChecked) -> set[FaultCode]:
    return {fault.code for fault in checked.faults}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = str(tmp_path_factory.mktemp("packs") / "floor.db")
    small(url)
    return url


# ---- sound packs


def _golden(url: str, name: str) -> None:
    """A floor with the entries of a golden evening, under the law of its book."""
    evening = golden(name)
    rules = book(evening.book)

    def work(transaction: Transaction) -> None:
        opening, told = 1, list[Entry]()
        for number, step in enumerate(evening.steps):
            command = read_asked(step.asked)
            told_here = [read_event(rules, text) for text in step.events]
            before = told[-1].hash if told else NO_PREVIOUS_HASH
            asked = (command.by, command.position, f"golden {number}", rules.law_hash, write(command))
            record = CommandRecord(NOW_US + number, *asked)
            told += follow(f"{TABLE}/{opening}", len(told), before, record, list(map(write, told_here)))
            if told_here and (isinstance(told_here[-1], TableClosed) or step is evening.steps[-1]):
                head = streams.append(transaction, streams.create(transaction, f"{TABLE}/{opening}"), told)
                index_rounds(transaction, head, told)
                opening, told = opening + 1, []

    async def nothing(_: Night) -> None:
        return

    night(url, nothing)
    with opened(url) as database:
        database.writing(work).result()


BY_DAY = {max(name for name in ALL if golden(name).book == game) for game in book_ids()}


@pytest.mark.parametrize("name", rest_at_night(ALL, BY_DAY))
def test_every_round_of_a_golden_evening_is_packed_and_judged(name: str, tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    _golden(url, name)
    for stream, number in rounds_of(url):
        checked = check(make(url, stream, number), heads_now(url))
        assert checked.faults == [], (stream, number)
        assert checked.judged_again == checked.settlements
        assert checked.head is not None


@pytest.mark.parametrize("play", [small, troubled, rejudged, reopened, identified])
def test_every_round_of_a_floor_is_packed_and_judged(play: Any, tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    play(url)
    settlements = 0
    for stream, number in rounds_of(url):
        checked = check(make(url, stream, number), heads_now(url))
        assert checked.faults == [], (stream, number)
        assert checked.judged_again == checked.settlements
        settlements += checked.settlements
    assert settlements > 0


def test_a_pack_on_postgres_is_the_same(postgres_url: str) -> None:
    small(postgres_url)
    checked = check(make(postgres_url, "t1/1", 2), heads_now(postgres_url))
    assert checked.sound
    assert checked.settlements == 1


def test_the_record_and_the_money_can_be_read_without_punto(floor: str) -> None:
    fields = msgspec.json.decode(encode_pack(make(floor, "t1/1", 2)))
    assert (fields["punto"], fields["stream"], fields["round"]) == ("pack.2", "t1/1", 2)
    assert fields["record"]["number"] == 2
    assert sum(posting["amount_minor"] for posting in fields["postings"]) == 0
    assert all(clause["en"] and clause["zh"] for clause in fields["clauses"])
    assert fields["settings"]["layout"]
    assert fields["needs_journal"] is False


def test_a_round_that_never_was_is_refused(floor: str) -> None:
    with pytest.raises(FloorRefused) as refused:
        make(floor, "t1/1", 99)
    assert refused.value.code == FloorCode.UNKNOWN_ROUND
    with pytest.raises(FloorRefused) as refused:
        make(floor, "t9/1", 1)
    assert refused.value.code == FloorCode.UNKNOWN_ROUND


# ---- what is in it, and what is not


OF_THE_ROUND = {
    *RoundFold.HANDLERS,
    events.LimitFlagged,
    events.BetFlagged,
    events.MinimumAdvised,
    events.SqueezeRequested,
    events.SqueezeGranted,
    events.SqueezeRefused,
    events.SqueezeLapsed,
    events.CardSqueezed,
    events.ThirdCardInsuranceWaived,
    events.InsuranceFlagged,
    events.InsurancePassed,
    findings.LateBetRefused,
}
"""Events about a person or money that are part of a round."""


def test_every_event_about_a_person_or_money_is_of_the_round_or_other_business() -> None:
    named = {"who", "postings", "no_insurance_asked_by"}
    about = {kind for kind in get_args(AnyEvent) if named & {*kind.__struct_fields__}}
    hidden = {*packs.OTHER_BUSINESS, *packs.WITH_ALL_BALANCES}
    assert about <= OF_THE_ROUND | hidden
    assert not OF_THE_ROUND & hidden


def test_other_peoples_business_is_there_by_its_hash_alone(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")

    async def play(floor: Night) -> None:
        await floor.table("t1", shoes=ShoeKind.MANUAL, burn=False, automations=[])
        await floor.do(SUE, "t1", "load_shoe.1", shoe="one", decks=8)
        await floor.do(DORA, "t1", "open_betting.1")
        await floor.bet("t1", "ann", 1, "banker", 100_00)
        await floor.do(DORA, "t1", "buy_in.1", who="cleo", amount_minor=765_432_10)
        await floor.do(DORA, "t1", "sit.1", who="cleo", box=3)
        await floor.do(DORA, "t1", "close_betting.1")
        for card in ("9s", "2d", "Kh", "3c"):
            await floor.do(DORA, "t1", "deal_card.1", card=card)
        await floor.do(DORA, "t1", "settle.1")
        await floor.do(DORA, "t1", "identify_player.1", who="cleo", player_id="P000123")
        await floor.do(DORA, "t1", "identify_player.1", who="ann", player_id="P000124")
        await floor.do(DORA, "t1", "open_betting.1")

    night(url, play)
    pack = make(url, "t1/1", 1)
    text = encode_pack(pack).decode()
    assert "cleo" not in text
    assert "76543210" not in text
    assert "P000123" not in text
    assert "P000124" in text
    assert "ben" not in {posting.account.removeprefix("chips:") for posting in pack.postings}
    checked = check(pack, heads_now(url))
    assert checked.sound
    assert checked.hidden == 3


HOSTILE = ('<script>alert("1")</script>', "x" * 200, "\"\\'{}", "第三手牌")


def test_hostile_texts_are_only_texts(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")

    async def play(floor: Night) -> None:
        await floor.table("t1", shoes=ShoeKind.MANUAL, burn=False, automations=[])
        await floor.do(SUE, "t1", "load_shoe.1", shoe="one", decks=8)
        await floor.do(DORA, "t1", "open_betting.1")
        for text in HOSTILE:
            await floor.do(SID, "t1", "rule.1", reason=text, effect="adjust", amounts={"ann": 5})

    night(url, play)
    pack = make(url, "t1/1", 1)
    assert pack.record is not None
    assert tuple(each["reason"] for each in pack.record["adjustments"]) == HOSTILE
    assert check(pack).sound
    for text in (*HOSTILE, "\u202egnp.exe", "\x1b[2J", "\u2028"):
        faults = check(replace(pack, stream=text)).faults
        assert faults
        assert all(fault.message.isprintable() and fault.stream.isprintable() for fault in faults)


# ---- heads


def test_the_latest_head_kept_elsewhere_ends_the_chain(floor: str) -> None:
    last = make(floor, "t1/1", 2).entries[-1].version
    hashes = {entry.version: entry.hash for entry in entries(floor, "t1/1")}

    def kept(version: int, at_us: int) -> KeptHeads:
        return KeptHeads("heads.1", at_us, {"t1/1": KeptHead(version, hashes[version])})

    pack = make(floor, "t1/1", 2, kept(last - 1, 1), kept(last + 9, 3), kept(last, 2))
    assert (pack.head.version, pack.head.source, pack.head.kept_us) == (last + 9, HeadSource.KEPT, 3)
    assert len(pack.links) == 8  # the next call for bets is whole
    assert check(pack, kept(last + 9, 3)).sound
    assert check(pack, kept(last + 3, 3)).sound
    assert make(floor, "t1/1", 2, kept(last - 1, 1)).head.source is HeadSource.JOURNAL


def test_a_pack_for_one_head_fails_against_another(floor: str) -> None:
    pack = make(floor, "t1/1", 2)
    other = KeptHeads("heads.1", 1, {"t1/1": KeptHead(pack.head.version, "1" * 64)})
    assert codes(check(pack, other)) == {FaultCode.HEAD_NOT_IN_STREAM}
    before = KeptHeads("heads.1", 1, {"t1/1": KeptHead(pack.first - 1, pack.previous)})
    assert codes(check(pack, before)) == {FaultCode.NOT_COVERED}
    later = KeptHeads("heads.1", 1, {"t1/1": KeptHead(pack.head.version + 1, "1" * 64)})
    assert codes(check(pack, later)) == {FaultCode.NOT_COVERED}
    elsewhere = KeptHeads("heads.1", 1, {"t2/1": KeptHead(1, "1" * 64)})
    assert codes(check(pack, elsewhere)) == {FaultCode.NOT_COVERED}
    assert check(pack).head is None


def test_a_pack_has_a_bound(floor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "MAX_LINKS", 10)
    pack = make(floor, "t1/1", 1)
    assert pack.head.source is HeadSource.ENTRY
    assert len(pack.links) == 9  # the next call for bets is whole
    assert check(pack).sound
    far = heads_now(floor)
    assert make(floor, "t1/1", 1, far).head.source is HeadSource.ENTRY
    monkeypatch.setattr(packs, "MAX_ROUND_ENTRIES", len(pack.entries) - 1)
    with pytest.raises(FloorRefused) as refused:
        make(floor, "t1/1", 1)
    assert refused.value.code == FloorCode.BAD_PACK


# ---- changes


def _is_sound(data: bytes) -> bool:
    try:
        return check_pack(data).sound
    except FloorRefused as refused:
        return refused.code is not FloorCode.BAD_PACK  # it could not even be read


def test_any_changed_byte_is_found(floor: str) -> None:
    data = encode_pack(make(floor, "t1/1", 5))

    @given(at=st.integers(0, len(data) - 1), change=st.integers(1, 255))
    @settings(max_examples=examples(200))
    def changed(at: int, change: int) -> None:
        altered = data[:at] + bytes([data[at] ^ change]) + data[at + 1 :]
        assert not _is_sound(altered)

    changed()


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if inside is None:
        yield path
        return
    if not value:
        yield path
    for key, each in inside:
        yield from _leaves(each, (*path, key))


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return f"{'1' if value[:1] != '1' else '2'}{value[1:]}"
    return ["more"] if isinstance(value, list) else 1


def _altered(fields: dict[str, Any], path: tuple[Any, ...]) -> bytes:
    """The pack with one field changed, and sealed again as a forger would."""
    copied = msgspec.json.decode(msgspec.json.encode(fields))
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = _other(inner[path[-1]])
    return _sealed(copied)


def _sealed(fields: dict[str, Any]) -> bytes:
    try:
        return encode_pack(msgspec.convert({**fields, "seal": ""}, type=Pack))
    except msgspec.ValidationError:  # it could not be read either
        return b""


STATED = {("release",), ("made_us",), ("head", "source"), ("head", "kept_us")}
"""Beside the settings, the only fields that nothing in the pack contradicts. The house's record has the file's hash."""


def test_any_change_of_content_is_found_even_if_it_is_sealed_again(floor: str) -> None:
    fields = msgspec.json.decode(encode_pack(make(floor, "t1/1", 4)))
    missed = []
    for path in _leaves(fields):
        if path[0] == "seal":
            continue
        if path[0] != "settings" and _is_sound(_altered(fields, path)):
            missed.append(path)
    assert set(missed) <= STATED


def test_what_is_left_out_moved_or_added_is_found(floor: str) -> None:
    pack = make(floor, "t1/1", 2)
    first, second, *rest = pack.entries
    for forged in (
        replace(pack, entries=pack.entries[1:]),
        replace(pack, entries=pack.entries[:-1]),
        replace(pack, entries=(second, first, *rest)),
        replace(pack, entries=(*pack.entries, pack.entries[-1])),
        replace(pack, entries=()),
        replace(pack, links=pack.links[1:]),
        replace(pack, links=(*pack.links, pack.links[-1])),
        replace(pack, links=()),
        replace(pack, record=None),
        replace(pack, record={"number": 2}),
        replace(pack, postings=()),
        replace(pack, clauses=()),
        replace(pack, needs_journal=True),
        replace(pack, older=pack.first, needs_journal=True),
        replace(pack, first=1),
        replace(pack, entries=(replace(first, context="{"), second, *rest)),
        replace(
            pack,
            book=replace(pack.book, id="commission"),
            conditions=replace(pack.conditions, book="commission"),
            record={**(pack.record or {}), "conditions": {**(pack.record or {})["conditions"], "book": "commission"}},
        ),
    ):
        assert not check(forged).sound


def test_what_the_check_does_not_read_is_refused(floor: str) -> None:
    """A person or another program may read it as a part of the pack."""
    data = encode_pack(make(floor, "t1/1", 4))
    body = data[: data.rindex(b',\n "seal"')]

    def refused(was: bytes, now: bytes) -> bool:
        forged = body.replace(was, now, 1)
        assert forged != body
        sealed = forged + b',\n "seal": "%s"\n}\n' % hashlib.sha256(forged).hexdigest().encode()
        try:
            check_pack(sealed)
        except FloorRefused as error:
            return error.code is FloorCode.BAD_PACK
        return False

    assert refused(b"{", b'{"record": {"number": 4},')
    assert refused(b"{", b'{"entries": [],')
    assert refused(b'"part":', b'"part": 7, "part":')
    assert refused(b'"part":', b'"note": "ann won", "part":')
    assert refused(b'"decks":', b'"note": "ann won", "decks":')
    assert refused(b'"record": {', b'"record": {"x": ' + b"[" * 100_000 + b"]" * 100_000 + b",")
    assert refused(b'"record": {', b'"record": {"x": ' + b"[" * 900 + b"]" * 900 + b",")


def test_another_release_is_no_excuse(floor: str) -> None:
    pack = make(floor, "t1/1", 4)
    assert pack.record is not None
    elsewhere = replace(pack, release="0.10.1\x1b[2J")
    checked = check(elsewhere)
    assert (checked.sound, checked.release_differs) == (True, False)
    retold_ = tuple(replace(clause, en="Ann wins.") for clause in pack.clauses)
    assert not check(replace(pack, clauses=retold_)).sound
    checked = check(replace(elsewhere, clauses=retold_))
    assert (checked.sound, checked.release_differs) == (True, True)
    fewer = {name: value for name, value in pack.record.items() if name != "happened_at_us"}
    checked = check(replace(elsewhere, record=fewer))
    assert (checked.sound, checked.release_differs) == (True, True)
    for forged in (
        replace(elsewhere, clauses=pack.clauses[1:]),
        replace(elsewhere, clauses=(*pack.clauses, replace(pack.clauses[0], clause="9.9"))),
        replace(elsewhere, record={}),
        replace(elsewhere, record={name: value for name, value in pack.record.items() if name != "bets"}),
        replace(elsewhere, record={**pack.record, "bets": []}),
        replace(elsewhere, record={**pack.record, "more": 1}),
    ):
        assert codes(check(forged)) == {FaultCode.PACK_DIFFERS}


def _of(pack: Pack, whole: tuple[Entry, ...], links: tuple[str, ...], number: int) -> Pack:
    """A pack with other entries, and all that follows from them."""
    rules = book(pack.book.id)
    given = {"entries": whole, "links": links, "round": number}
    worked_out = {"postings": postings_of(whole), "approvals": approvals_of(whole), "clauses": clauses_of(whole, rules)}
    record = record_fields(read_round(whole, pack.conditions)) if number else None
    return replace(pack, **given, **worked_out, record=record)


def _context(entry: Entry, **changes: Any) -> str:
    return write(replace(context_of(entry), **changes))


def hidden(entry: Entry) -> str:
    """As a pack has an entry that is not whole."""
    names = names_of(entry)
    assert names is not None
    return " ".join(names)


def _rechained(pack: Pack, changed: Entry) -> Pack:
    """With one entry changed, and everything made to agree with it again: hashes, head and what follows."""
    entries_ = [changed if entry.version == changed.version else entry for entry in pack.entries]
    given = {entry.version: entry for entry in (*entries_, *([pack.next_call] if pack.next_call else []))}
    links, before = iter(pack.links), pack.previous
    for version in range(pack.first, pack.head.version + 1):
        if version in given:
            before = digest(before, given[version])
            given[version] = replace(given[version], hash=before)
        else:
            before = chained(before, named_content(*next(links).split(" ")))
    whole = tuple(given[entry.version] for entry in entries_)
    next_call = given[pack.next_call.version] if pack.next_call else None
    rules = book(pack.book.id)
    return replace(
        pack,
        entries=whole,
        next_call=next_call,
        head=replace(pack.head, hash=before),
        postings=postings_of(whole),
        approvals=approvals_of(whole),
        clauses=clauses_of(whole, rules),
        record=record_fields(read_round(whole, pack.conditions)),
    )


def test_a_pack_made_to_agree_with_a_changed_entry_leads_to_another_head(floor: str) -> None:
    """Whatever was changed. Some changes are found even without a head."""
    pack, kept = make(floor, "t1/1", 4), heads_now(floor)
    assert _rechained(pack, pack.entries[0]) == pack
    bet = next(entry for entry in pack.entries if is_a(entry, "bet_placed.1"))
    second = next(entry for entry in pack.entries if entry.part)
    late = _context(bet, happened_at_us=bet.at_us + 1)
    for changed, found in (
        (replace(bet, at_us=bet.at_us + 1), None),
        (replace(bet, command_id="another"), None),
        (replace(bet, context=_context(bet, approved_by="sue")), None),
        (replace(bet, context=write(EntryContext(REVISION))), FaultCode.NOT_AN_ENTRY),
        (replace(bet, law="1" * 64), FaultCode.LAW_DIFFERS),
        (replace(bet, command_id="a\nb"), FaultCode.NOT_AN_ENTRY),
        (replace(bet, command=None), FaultCode.NOT_AN_ENTRY),
        (replace(second, command=bet.command, actor=bet.actor, position=bet.position), FaultCode.NOT_AN_ENTRY),
        (replace(bet, context=late), FaultCode.HAPPENED_LATER),
        (replace(bet, actor="eve"), FaultCode.DOES_NOT_REPLAY),
        (replace(bet, position="auditor"), FaultCode.DOES_NOT_REPLAY),
        (retold(bet, stake_minor=1), FaultCode.JUDGED_OTHERWISE),
    ):
        forged = _rechained(pack, changed)
        assert codes(check(forged)) == ({found} if found else set())
        assert FaultCode.HEAD_NOT_IN_STREAM in codes(check(forged, kept))


def test_the_approvals_are_those_of_the_entries(floor: str) -> None:
    pack = make(floor, "t1/1", 4)
    approved = replace(pack.entries[0], context=_context(pack.entries[0], proposed_by="dora", approved_by="sue"))
    pack = _rechained(pack, approved)
    assert [(each.proposed_by, each.approved_by) for each in pack.approvals] == [("dora", "sue")]
    assert check(pack).sound
    for approvals in ((), (replace(pack.approvals[0], approved_by="eve"),)):
        assert codes(check(replace(pack, approvals=approvals))) == {FaultCode.PACK_DIFFERS}


def test_a_pack_has_one_round(floor: str) -> None:
    pack = make(floor, "t1/1", 4)
    assert pack.next_call is not None
    both = replace(pack, entries=(*pack.entries, pack.next_call), next_call=None)
    assert codes(check(both)) == {FaultCode.PACK_DIFFERS}


def test_a_round_is_not_shown_as_round_0(floor: str) -> None:
    pack = make(floor, "t1/1", 4)
    assert pack.next_call is not None
    links = (hidden(pack.entries[0]), hidden(pack.next_call), *pack.links)
    forged = replace(_of(pack, pack.entries[1:], links, 0), next_call=None)
    assert codes(check(forged)) == {FaultCode.PACK_DIFFERS}


def test_a_ruling_after_the_settlement_cannot_be_left_out(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")

    async def play(floor: Night) -> None:
        await floor.table("t1", shoes=ShoeKind.MANUAL, burn=False, automations=[])
        await floor.do(SUE, "t1", "load_shoe.1", shoe="one", decks=8)
        await floor.do(DORA, "t1", "open_betting.1")
        await floor.bet("t1", "ann", 1, "banker", 100_00)
        await floor.do(DORA, "t1", "close_betting.1")
        for card in ("9s", "2d", "Kh", "3c"):
            await floor.do(DORA, "t1", "deal_card.1", card=card)
        await floor.do(DORA, "t1", "settle.1")
        await floor.do(SID, "t1", "rule.1", reason="goodwill", effect="adjust", amounts={"ann": 5})
        await floor.do(DORA, "t1", "open_betting.1")

    night(url, play)
    pack, kept = make(url, "t1/1", 1), heads_now(url)
    *rest, ruling = pack.entries
    assert is_a(ruling, "ruled.1")
    assert pack.next_call is not None
    assert is_a(pack.next_call, "betting_opened.1")
    assert (check(pack, kept).hidden, check(pack, kept).end_shown) == (0, True)
    for link in (hidden(ruling), content_hash(ruling)):
        forged = _of(pack, tuple(rest), (link, *pack.links), 1)
        assert codes(check(forged, kept)) == {FaultCode.PACK_HIDES}
        silent = replace(forged, next_call=None, links=(link, hidden(pack.next_call), *pack.links))
        assert codes(check(silent, kept)) == {FaultCode.PACK_HIDES}
    named = hidden(ruling).replace("ruled.1", "chips_bought.1"), hidden(ruling).replace(" 1 0 ", " 2 0 ")
    for link in named:
        assert FaultCode.ENTRY_ALTERED in codes(check(_of(pack, tuple(rest), (link, *pack.links), 1), kept))
    before = KeptHeads("heads.1", 1, {"t1/1": KeptHead(ruling.version, ruling.hash)})
    assert (check(pack, before).sound, check(pack, before).end_shown) == (True, False)
    assert make(url, "t1/1", 1, before).next_call is None
    assert make(url, "t1/1", 2).next_call is None
    assert codes(check(replace(pack, next_call=ruling))) & {FaultCode.ENTRY_MOVED, FaultCode.PACK_DIFFERS}


def test_a_round_without_its_last_entry_is_refused(floor: str) -> None:
    """Who leaves an entry out has to give its kind and round."""
    pack = make(floor, "t1/1", 2)
    last = pack.entries[-1]
    assert is_a(last, "round_settled.1")
    forged = replace(pack, entries=pack.entries[:-1], links=(hidden(last), *pack.links))
    assert {FaultCode.PACK_DIFFERS, FaultCode.PACK_HIDES} <= codes(check(forged))


# ---- tampered journals


def _settlement(url: str) -> Entry:
    return next(entry for entry in entries(url, "t1/1") if is_a(entry, "round_settled.1"))


@pytest.fixture
def copied(floor: str, tmp_path: Path) -> str:
    url = tmp_path / "copy.db"
    url.write_bytes(Path(floor).read_bytes())
    return str(url)


def test_the_pack_of_a_tampered_journal_fails(copied: str) -> None:
    settled = _settlement(copied)
    pack = make(copied, "t1/1", 1)
    tamper(copied, ("UPDATE entries SET actor = 'eve' WHERE version = ? AND stream = 2", (settled.version,)))
    faults = check(make(copied, "t1/1", 1)).faults
    assert [(fault.version, fault.code) for fault in faults][:1] == [(settled.version, FaultCode.ENTRY_ALTERED)]
    assert check(pack).sound


def test_the_pack_of_a_journal_tampered_with_after_the_round_fails(copied: str) -> None:
    head = make(copied, "t1/1", 1).head
    tamper(copied, ("UPDATE entries SET at_us = at_us + 1 WHERE version = ? AND stream = 2", (head.version - 3,)))
    assert codes(check(make(copied, "t1/1", 1))) == {FaultCode.HEAD_DIFFERS}


def test_a_journal_that_was_rewritten_whole_fails_against_a_kept_head(copied: str) -> None:
    kept = heads_now(copied)

    def forge(told: list[Entry]) -> list[Entry]:
        return [replace(entry, actor="eve") if is_a(entry, "betting_closed.1") else entry for entry in told]

    rewrite(copied, "t1/1", forge)
    assert FaultCode.HEAD_DIFFERS in codes(check(make(copied, "t1/1", 1, kept)))
    assert FaultCode.HEAD_NOT_IN_STREAM in codes(check(make(copied, "t1/1", 1), kept))


def test_heads_saved_after_the_journal_was_rewritten_do_not_hide_it(copied: str) -> None:
    """The server goes on copying heads."""
    first = make(copied, "t1/1", 3).first
    hashes = {entry.version: entry.hash for entry in entries(copied, "t1/1")}
    earlier = [heads_now(copied)] + [
        KeptHeads("heads.1", at, {"t1/1": KeptHead(version, hashes[version])})
        for at, version in enumerate((first - 1, first + 1), 1)
    ]

    def forge(told: list[Entry]) -> list[Entry]:
        return [replace(entry, at_us=entry.at_us + 1) if is_a(entry, "betting_closed.1") else entry for entry in told]

    rewrite(copied, "t1/1", forge)
    later = replace(heads_now(copied), at_us=NOW_US + 1)
    assert make(copied, "t1/1", 3, later).head.source is HeadSource.KEPT
    assert check(make(copied, "t1/1", 3, later)).sound
    for kept in earlier:
        pack = make(copied, "t1/1", 3, kept, later)
        assert (pack.head.source, pack.head.kept_us) == (HeadSource.KEPT, kept.at_us)
        assert not check(pack).sound


def test_a_cut_tail_fails_against_a_kept_head(copied: str) -> None:
    kept = heads_now(copied)
    rewrite(copied, "t1/1", lambda told: told[:-3])
    assert codes(check(make(copied, "t1/1", 1, kept), kept)) == {FaultCode.TAIL_CUT, FaultCode.NOT_COVERED}


def test_a_settlement_that_the_book_does_not_give_is_found(copied: str) -> None:
    """Rewritten with the right hashes: the cards and the stakes contradict it."""

    def forge(told: list[Entry]) -> list[Entry]:
        return [_robbed(entry) if is_a(entry, "round_settled.1") else entry for entry in told]

    rewrite(copied, "t1/1", forge)
    assert FaultCode.JUDGED_OTHERWISE in codes(check(make(copied, "t1/1", 1)))


def _robbed(entry: Entry) -> Entry:
    event = msgspec.json.decode(entry.event)
    result = event["results"][0]
    who = f"chips:{result['who']}"
    moved = dict(event["postings"])
    moved[who] = moved.get(who, 0) + 1
    moved["float"] = moved.get("float", 0) - 1
    return retold(
        entry,
        results=[{**result, "returned_minor": result["returned_minor"] + 1}, *event["results"][1:]],
        postings=list(moved.items()),
    )


def test_money_out_of_nothing_is_found(floor: str) -> None:
    pack = make(floor, "t1/1", 1)
    forged = []
    for entry in pack.entries:
        event = msgspec.json.decode(entry.event)
        postings = [[account, minor + 1] for account, minor in event.get("postings", [])][:1]
        forged.append(retold(entry, postings=postings) if postings else entry)
    assert FaultCode.POSTINGS_UNBALANCED in codes(check(replace(pack, entries=tuple(forged))))


# ---- journals of older schemas


@pytest.mark.parametrize(("number", "game", "needs"), [(3, "tiger-buffalo", True), (4, "da-hu-ying-xiong", False)])
def test_a_pack_of_an_older_schema_says_that_it_needs_the_journal(
    number: int, game: str, needs: Literal[True, False], tmp_path: Path
) -> None:
    url = str(tmp_path / "floor.db")
    put_old_floor(url, number, game, tmp_path)
    migrate(url)
    for stream, round_ in rounds_of(url):
        pack = make(url, stream, round_)
        checked = check(pack, heads_now(url))
        assert checked.faults == []
        assert checked.needs_journal is needs is pack.needs_journal
        assert (pack.older > 0) is needs
        assert (checked.unproved > 0) is (checked.hidden > 0)
        assert checked.proved is (not needs and not checked.hidden)


def test_a_hidden_entry_of_an_older_schema_is_not_proved(tmp_path: Path) -> None:
    """The hash of an old entry covers its content, so only the entries that are whole are proved."""
    url = str(tmp_path / "floor.db")
    put_old_floor(url, 3, "commission", tmp_path)
    migrate(url)
    stream, number = next(each for each in rounds_of(url) if make(url, *each).links and each[1])
    pack = make(url, stream, number)
    forged = replace(pack, links=("1" * 64, *pack.links[1:]))
    assert check(forged).needs_journal
    assert chained(pack.previous, pack.links[0]) != pack.links[0]
