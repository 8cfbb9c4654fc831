"""Somebody hands over a pack that is not what the journal gives. Each is refused, or not proved, by name."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.head_copies import heads_at
from punto.floor.audit.kept_heads import KeptHead, KeptHeads
from punto.floor.audit.packs.check_pack import check_pack
from punto.floor.audit.packs.pack import make_pack
from punto.floor.audit.packs.pack_file import Pack, encode_pack
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.entry import Entry, content_hash, named_content, names_of
from punto.floor.journal.stream_name import StreamName
from tests.floor.audit.forging import is_a, retold
from tests.floor.nights import opened, small

pytestmark = pytest.mark.slow

HIDES, DIFFERS, ALTERED = FaultCode.PACK_HIDES, FaultCode.PACK_DIFFERS, FaultCode.ENTRY_ALTERED


@pytest.fixture(scope="module")
def genuine(tmp_path_factory: pytest.TempPathFactory) -> tuple[Pack, KeptHeads]:
    url = str(tmp_path_factory.mktemp("packs") / "floor.db")
    small(url)
    with opened(url) as database:
        kept = database.reading(lambda tx: heads_at(tx, 1)).result()
        pack = database.reading(lambda tx: make_pack(tx, StreamName("t1", 1), 4, [kept], 2)).result()
    return pack, kept


def first(pack: Pack, kind: str) -> Entry:
    return next(entry for entry in pack.entries if is_a(entry, kind))


def named(entry: Entry) -> str:
    names = names_of(entry)
    assert names is not None
    return " ".join(names)


def without(pack: Pack, kind: str, link: Callable[[Entry], str] = named) -> Pack:
    """Leave one entry out and give a link in its place."""
    gone = first(pack, kind)
    before = gone.version - pack.first - sum(entry.version < gone.version for entry in pack.entries)
    links = (*pack.links[:before], link(gone), *pack.links[before:])
    return replace(pack, entries=tuple(entry for entry in pack.entries if entry is not gone), links=links)


def changed(pack: Pack, kind: str, **fields: Any) -> Pack:
    return replace(
        pack, entries=tuple(replace(one, **fields) if one is first(pack, kind) else one for one in pack.entries)
    )


def told(pack: Pack, kind: str, **fields: Any) -> Pack:
    return replace(
        pack, entries=tuple(retold(one, **fields) if one is first(pack, kind) else one for one in pack.entries)
    )


def another_winner(pack: Pack) -> str:
    return "player" if '"winner":"tie"' in first(pack, SETTLED).event else "tie"


def renamed(kind: str, round_: str = "4", part: str = "0") -> Callable[[Entry], str]:
    return lambda entry: " ".join((kind, round_, part, named(entry).split(" ")[3]))


def head(pack: Pack, **fields: Any) -> Pack:
    return replace(pack, head=replace(pack.head, **fields))


BET, CLOSED, DEALT, SETTLED = "bet_placed.1", "betting_closed.1", "card_dealt.1", "round_settled.1"

FORGED: dict[str, tuple[FaultCode, Callable[[Pack], Pack]]] = {
    "a bet is left out": (HIDES, lambda pack: without(pack, BET)),
    "the close is left out": (HIDES, lambda pack: without(pack, CLOSED)),
    "a card is left out": (HIDES, lambda pack: without(pack, DEALT)),
    "the settlement is left out": (HIDES, lambda pack: without(pack, SETTLED)),
    "a bet by its hash alone": (HIDES, lambda pack: without(pack, BET, content_hash)),
    "a card by its hash alone": (HIDES, lambda pack: without(pack, DEALT, content_hash)),
    "the settlement by its hash alone": (HIDES, lambda pack: without(pack, SETTLED, content_hash)),
    "a bet as a buy-in": (ALTERED, lambda pack: without(pack, BET, renamed("chips_bought.1"))),
    "a bet of another round": (ALTERED, lambda pack: without(pack, BET, renamed(BET, "5"))),
    "a card of another round": (ALTERED, lambda pack: without(pack, DEALT, renamed(DEALT, "3"))),
    "a card as a seat": (ALTERED, lambda pack: without(pack, DEALT, renamed("player_sat.1"))),
    "a part of another command": (HIDES, lambda pack: without(pack, BET, renamed(BET, "4", "9"))),
    "no link at all": (FaultCode.TAIL_CUT, lambda pack: replace(pack, entries=pack.entries[:-1])),
    "an entry twice": (FaultCode.ENTRY_MOVED, lambda pack: replace(pack, entries=(*pack.entries, pack.entries[-1]))),
    "entries in another order": (FaultCode.ENTRY_MOVED, lambda pack: replace(pack, entries=pack.entries[::-1])),
    "another stake": (ALTERED, lambda pack: told(pack, BET, stake_minor=1)),
    "another player": (ALTERED, lambda pack: told(pack, BET, who="eve")),
    "another bet": (ALTERED, lambda pack: told(pack, BET, bet="tie")),
    "another box": (ALTERED, lambda pack: told(pack, BET, box=3)),
    "another card": (ALTERED, lambda pack: told(pack, DEALT, card="As")),
    "another winner": (ALTERED, lambda pack: told(pack, SETTLED, winner=another_winner(pack))),
    "somebody else placed it": (ALTERED, lambda pack: changed(pack, BET, actor="eve")),
    "in another position": (ALTERED, lambda pack: changed(pack, SETTLED, position="shift_manager")),
    "at another time": (ALTERED, lambda pack: changed(pack, BET, at_us=1)),
    "with another id": (ALTERED, lambda pack: changed(pack, BET, command_id="other")),
    "under another law": (FaultCode.LAW_DIFFERS, lambda pack: changed(pack, BET, law="0" * 64)),
    "without a context": (DIFFERS, lambda pack: changed(pack, BET, context="")),
    "without a round": (FaultCode.NOT_AN_ENTRY, lambda pack: changed(pack, BET, context='{"revision":5}')),
    "another hash": (ALTERED, lambda pack: changed(pack, BET, hash="0" * 64)),
    "another number": (DIFFERS, lambda pack: replace(pack, round=5)),
    "as round 0": (DIFFERS, lambda pack: replace(pack, round=0, record=None)),
    "another record": (DIFFERS, lambda pack: replace(pack, record={**(pack.record or {}), "number": 9})),
    "no postings": (DIFFERS, lambda pack: replace(pack, postings=())),
    "another posting": (
        DIFFERS,
        lambda pack: replace(pack, postings=(replace(pack.postings[0], amount_minor=1), *pack.postings[1:])),
    ),
    "no clauses": (DIFFERS, lambda pack: replace(pack, clauses=())),
    "of another book": (DIFFERS, lambda pack: replace(pack, book=replace(pack.book, id="commission"))),
    "another beginning": (ALTERED, lambda pack: replace(pack, previous="0" * 64)),
    "another head": (FaultCode.HEAD_DIFFERS, lambda pack: head(pack, hash="0" * 64)),
    "a later head": (FaultCode.TAIL_CUT, lambda pack: head(pack, version=pack.head.version + 1)),
    "a link": (HIDES, lambda pack: replace(pack, links=("0" * 64, *pack.links[1:]), next_call=None)),
    "a call that is none": (FaultCode.ENTRY_MOVED, lambda pack: replace(pack, next_call=pack.entries[0])),
    "older than it is": (DIFFERS, lambda pack: replace(pack, older=pack.first)),
    "as if it needed the journal": (DIFFERS, lambda pack: replace(pack, needs_journal=True)),
}


def test_the_genuine_pack_is_proved(genuine: tuple[Pack, KeptHeads]) -> None:
    pack, kept = genuine
    checked = check_pack(encode_pack(pack), [kept])
    assert (checked.proved, checked.unproved) == (True, 0)
    assert checked.head == kept.streams["t1/1"]
    assert len(FORGED) >= 40


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_pack_is_found(genuine: tuple[Pack, KeptHeads], name: str) -> None:
    pack, kept = genuine
    code, forge = FORGED[name]
    checked = check_pack(encode_pack(forge(pack)), [kept])
    assert code in {fault.code for fault in checked.faults}
    assert not checked.proved


@pytest.mark.parametrize("first", [0, -1, 2**70])
def test_a_first_entry_that_has_no_number_is_refused(genuine: tuple[Pack, KeptHeads], first: int) -> None:
    pack, kept = genuine
    with pytest.raises(FloorRefused) as trouble:
        check_pack(encode_pack(replace(pack, first=first)), [kept])
    assert trouble.value.code is FloorCode.BAD_PACK


def test_nothing_is_proved_without_a_head_from_elsewhere(genuine: tuple[Pack, KeptHeads]) -> None:
    pack, _ = genuine
    checked = check_pack(encode_pack(pack))
    assert (checked.faults, checked.head, checked.proved) == ([], None, False)


def test_heads_of_others_prove_nothing(genuine: tuple[Pack, KeptHeads]) -> None:
    pack, _ = genuine
    other = KeptHeads("heads.1", 1, {"t9/1": KeptHead(1, "1" * 64)})
    checked = check_pack(encode_pack(pack), [other])
    assert ([fault.code for fault in checked.faults], checked.head) == ([FaultCode.NOT_COVERED], None)


def test_the_form_of_earlier_packs_is_read_and_hides_nothing_of_this_release(genuine: tuple[Pack, KeptHeads]) -> None:
    """They have hashes alone. Of entries whose kind and round can be proved that is refused."""
    pack, kept = genuine
    assert check_pack(encode_pack(replace(pack, punto="pack.1")), [kept]).proved
    hashes = tuple(named_content(*link.split(" ")) for link in pack.links)
    checked = check_pack(encode_pack(replace(pack, punto="pack.1", links=hashes)), [kept])
    assert {fault.code for fault in checked.faults} == {FaultCode.PACK_HIDES}
