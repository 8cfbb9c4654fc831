"""The boxes of a table with everything that lies in them, for the dealer's eye and for what is typed."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import accumulate, count, product
from string import ascii_uppercase

from msgspec import Struct

from punto.catalogue.values import Money
from punto.rules.bets.insurance import InsuranceLine, Stage
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.table.play.insurance_stakes import felt_room, insurance_bounds
from punto.table.play.insuring import line_on_offer
from punto.table.play.limits import above_maximum, box_total, excess, limits_of, rejections
from punto.table.play.odd_bets import odd_payouts
from punto.table.play.squeezing import highest_bettor
from punto.table.procedure.scene import Scene
from punto.table.records.identity import Place
from punto.table.records.state import Phase, PlacedBet
from punto.web.messages import TableView
from punto.web.pages.base.i18n import Translator, person_name
from punto.web.pages.parts.bets import side_of_felt

CODES = {
    "player": "P",
    "banker": "B",
    "tie": "T",
    "player_pair": "PP",
    "banker_pair": "BP",
    "super_six_plus": "S",
    "tiger": "G",
    "big_tiger": "BG",
    "small_tiger": "SG",
    "tiger_tie": "GT",
    "tiger_pair": "GP",
    "big_buffalo": "BF",
    "small_buffalo": "SF",
    "tiger_buffalo": "GF",
    "wu_dalang": "W",
    "player_char_siu": "PC",
    "banker_char_siu": "BC",
}
"""What is typed for a bet of the shipped books, after the box. G is tiger, F buffalo, C char siu."""
_LONGEST_CODE = 4
MAX_TYPED = 9
"""One digit says which of the people behind a box is meant."""


class BetInBox(Struct, frozen=True):
    code: str
    name: str
    look: str
    """player, banker or centre: its side of the felt."""
    stake_minor: int
    played_minor: int | None
    assumed: bool
    flag: str
    """low, over, odd or empty."""


class ShownPerson(Struct, frozen=True):
    """Somebody at a box and what they have there."""

    who: str
    name: str
    typed: str
    """What is typed for them, after the box: nothing if they sit, see :func:`typed_behind`."""
    seated: bool
    highest: bool
    asks: tuple[Side, ...]
    """The hands that they have asked to squeeze, and nobody has answered."""
    squeezes: tuple[Side, ...]
    bets: tuple[BetInBox, ...]
    insured_minor: int
    called: bool
    """The chips for the insurance follow."""
    may_insure_minor: int
    pays_minor: int
    """What insurance of that stake would pay."""


class ShownBox(Struct, frozen=True):
    box: int
    label: str
    people: tuple[ShownPerson, ...]
    total_minor: int
    room: tuple[tuple[str, int], ...]
    """The code of each main bet, and how much more may lie on it."""
    notes: tuple[str, ...]
    """Whose chips go back, and why."""


class Insurable(Struct, frozen=True):
    line: InsuranceLine
    most_minor: int


def bet_codes(scene: Scene) -> dict[str, str]:
    """The bets of the layout by what is typed for them."""
    return {code: bet for bet, code in codes_of(scene.book, scene.settings.layout).items()}


def codes_of(book: Rulebook, layout: str) -> dict[str, str]:
    """What is typed for each bet of a layout: what its book says, or what is usual, or something made from its id."""
    return _codes(tuple((bet, book.bets[bet].typed) for bet in book.layouts[layout].menu))


@lru_cache(maxsize=64)
def _codes(menu: tuple[tuple[str, str | None], ...]) -> dict[str, str]:
    codes = {bet: typed for bet, typed in menu if typed is not None}
    for bet, _ in menu:
        if bet not in codes:
            codes[bet] = next(code for code in _possible_codes(bet) if code not in codes.values())
    return {bet: codes[bet] for bet, _ in menu}


def _possible_codes(bet: str) -> Iterator[str]:
    """The usual code, the first letters of the id's words, more and more of its letters, and then any."""
    if bet in CODES:
        yield CODES[bet]
    words = [re.sub("[^A-Z]", "", word) for word in bet.upper().split("_")]
    letters = "".join(words)
    yield from (
        each for each in ("".join(word[:1] for word in words), *accumulate(letters)) if 0 < len(each) <= _LONGEST_CODE
    )
    yield from map("".join, product(ascii_uppercase, repeat=_LONGEST_CODE))


def people_at(scene: Scene, box: int) -> dict[int, str]:
    """Who is at a box, by number: 0 for whoever sits there, from 1 on for those who stand behind it.

    A place behind the box has its own number. Everybody else has the next one that is free, in the order of their bets.
    """
    table = scene.table
    seated = table.seats.get(box) or str(Place(box))
    behind = [who for who, boxes in sorted(table.behind.items()) if box in boxes]
    bettors = [placed.who for placed in _bets(scene) if placed.box == box]
    standing = [who for who in dict.fromkeys([*behind, *bettors]) if who != seated]
    places = {who: place.number for who in standing if (place := Place.find(who)) is not None and place.box == box}
    free = (number for number in count(1) if number not in places.values())
    numbers = {number: who for who, number in places.items()}
    numbers |= {next(free): who for who in standing if who not in places}
    return {0: seated, **dict(sorted(numbers.items()))}


def places_typed(scene: Scene, box: int) -> list[str]:
    """Who is meant by each number behind a box; at a felt table also by those where nobody is on record yet."""
    people = people_at(scene, box)
    if not scene.settings.felt:
        return [people.get(number, "") for number in range(max(people) + 1)]
    places = (Place(box, behind=True, number=number) for number in range(1, max(MAX_TYPED, *people) + 1))
    return [people[0], *(people.get(place.number, str(place)) for place in places)]


def typed_behind(number: int) -> str:
    """What is typed for somebody behind a box, after the box.

    >>> typed_behind(0), typed_behind(1), typed_behind(2)
    ('', '/', '/2')
    """
    return f"/{number}" if number > 1 else "/" * number


def show_boxes(scene: Scene, view: TableView, t: Translator) -> tuple[ShownBox, ...]:
    if scene.settings.cards_only:
        return ()
    return tuple(_box(scene, box, view, t) for box in range(1, scene.settings.boxes + 1))


def _box(scene: Scene, box: int, view: TableView, t: Translator) -> ShownBox:
    bets = _bets(scene)
    in_box = [placed for placed in bets if placed.box == box]
    return ShownBox(
        box=box,
        label=scene.settings.box_label(box),
        people=tuple(_people(scene, box, in_box, view, t)),
        total_minor=sum(placed.stake_minor for placed in in_box),
        room=tuple(_room(scene, box)) if scene.table.phase is Phase.BETTING else (),
        notes=tuple(dict.fromkeys(_notes(scene, box, view, t))) if scene.table.phase is Phase.BETTING else (),
    )


def _bets(scene: Scene) -> tuple[PlacedBet, ...]:
    """What lies on the felt; after a void round, what goes back."""
    now = scene.table.round
    if now is None or (now.over and now.irregularities.void is None):
        return ()
    return tuple(now.bets.values())


def _people(scene: Scene, box: int, in_box: list[PlacedBet], view: TableView, t: Translator) -> Iterator[ShownPerson]:
    now, labels = scene.table.round, scene.settings.box_labels
    highest = highest_bettor(scene.table) if now is not None and not now.over else None
    for number, who in people_at(scene, box).items():
        bets = tuple(_bet(scene, placed, t) for placed in in_box if placed.who == who)
        sits = number == 0
        if sits and not bets and box not in scene.table.seats:
            continue  # an empty box
        cover = [each for each in now.insurance.cover if (each.who, each.box) == (who, box)] if now and bets else []
        room = insurable(scene, who, box)
        yield ShownPerson(
            who=who,
            name="" if Place.find(who) == Place(box) else person_name(who, t, view.names, labels),
            typed=typed_behind(number),
            seated=sits,
            highest=bool(bets) and who == highest,
            asks=_hands(now.squeeze_requests if now and bets else {}, who),
            squeezes=_hands(now.accepted if now and bets else {}, who),
            bets=bets,
            insured_minor=sum(each.stake_minor for each in cover),
            called=any(each.called for each in cover),
            may_insure_minor=room.most_minor if room else 0,
            pays_minor=int(room.line.odds * room.most_minor) if room else 0,
        )


def _hands(by_side: Mapping[Side, str], who: str) -> tuple[Side, ...]:
    return tuple(side for side in Side if by_side.get(side) == who)


def _bet(scene: Scene, placed: PlacedBet, t: Translator) -> BetInBox:
    settings, bets = scene.settings, scene.round.bets
    flag = ""
    if odd_payouts(scene.book, settings, placed.bet, placed.stake_minor):
        flag = "odd"
    if placed.stake_minor < (limits_of(settings, placed.bet).min_minor or 0):
        flag = "low"
    side, over_minor = excess(bets, placed.box, settings.differential_minor)
    if above_maximum(settings, bets, placed.box, placed.bet) > 0 or (over_minor > 0 and placed.bet == side):
        flag = "over"
    return BetInBox(
        code=codes_of(scene.book, settings.layout).get(placed.bet, placed.bet.upper()),
        name=t(f"bet.{placed.bet}"),
        look=placed.bet if placed.bet in MAIN_BETS else side_of_felt(scene.book.bets[placed.bet]),
        stake_minor=placed.stake_minor,
        played_minor=placed.played_minor,
        assumed=placed.assumed,
        flag=flag,
    )


def _room(scene: Scene, box: int) -> Iterator[tuple[str, int]]:
    """What may still lie on Player and Banker under the maximum and the differential limit."""
    settings, bets = scene.settings, scene.round.bets
    totals = {side: box_total(bets, box, side) for side in Side}
    for side in Side:
        other = totals[Side.BANKER if side is Side.PLAYER else Side.PLAYER]
        most = [limit for limit in (settings.main.max_minor, _differential(scene, other)) if limit is not None]
        if most:
            yield codes_of(scene.book, settings.layout)[side], max(0, min(most) - totals[side])


def _differential(scene: Scene, other_minor: int) -> int | None:
    limit = scene.settings.differential_minor
    return None if limit is None else limit + other_minor


def _notes(scene: Scene, box: int, view: TableView, t: Translator) -> Iterator[str]:
    """Whose chips go back if the excess is rejected."""
    settings, bets = scene.settings, scene.round.bets
    over = [
        (placed.bet, above_maximum(settings, bets, box, placed.bet)) for placed in bets.values() if placed.box == box
    ]
    for bet, over_minor in (*dict(over).items(), excess(bets, box, settings.differential_minor)):
        least = limits_of(settings, bet).min_minor or 0
        for back in rejections(bets, box, bet, over_minor, least, (), seated_too=True):
            amount = bets[back.who, box, back.bet].stake_minor - back.stake_minor
            name = person_name(back.who, t, view.names, settings.box_labels)
            yield t("console.box.goes_back", who=name, amount=Money(amount), bet=back.bet)


def insurable(scene: Scene, who: str, box: int) -> Insurable | None:
    """The insurance that somebody may take now, offered or due, and the largest stake; None if they may not."""
    table = scene.table
    if table.phase is not Phase.DEALING or scene.book.insurance is None or scene.settings.cards_only:
        return None
    if scene.settings.felt:
        room = felt_room(scene.book, table, who, box)
        return Insurable(room.line, room.largest_minor) if room.line is not None and room.largest_minor else None
    bounds = insurance_bounds(scene.book, table, who, box)
    if isinstance(bounds, Refusal):
        return None
    most = min(bounds[1], table.chips_minor(who))
    return Insurable(bounds[0], most) if most > 0 else None


# ---- for what is typed


class TypedBox(Struct, frozen=True):
    box: int
    label: str
    people: list[str]


class TypedStake(Struct, frozen=True):
    who: str
    box: int
    bet: str
    stake_minor: int


class TypedInsurance(Struct, frozen=True):
    """Somebody who may insure, or has insured, at the offer of the moment."""

    who: str
    box: int
    side: Side
    stage: Stage
    most_minor: int
    """How much more may lie there."""
    lies_minor: int


class Typing(Struct, frozen=True):
    """What the page needs to turn "3B500" into a command."""

    boxes: list[TypedBox]
    codes: dict[str, str]
    names: dict[str, str]
    """The names of bets."""
    stakes: list[TypedStake]
    insurance: list[TypedInsurance]


def typing_of(scene: Scene, t: Translator) -> Typing | None:
    """None where no bets are recorded."""
    if scene.table.phase is Phase.CLOSED or scene.settings.cards_only:
        return None
    boxes = range(1, scene.settings.boxes + 1)
    codes = bet_codes(scene)
    return Typing(
        boxes=[TypedBox(box, scene.settings.box_label(box), places_typed(scene, box)) for box in boxes],
        codes=codes,
        names={bet: t(f"bet.{bet}") for bet in codes.values()},
        stakes=[TypedStake(each.who, each.box, each.bet, each.stake_minor) for each in _bets(scene)],
        insurance=[
            typed for box in boxes for who in people_at(scene, box).values() for typed in _insurance(scene, who, box)
        ],
    )


def _insurance(scene: Scene, who: str, box: int) -> Iterator[TypedInsurance]:
    """At most one: what somebody may still insure at the offer that is due or stands, and what lies there."""
    room, now = insurable(scene, who, box), scene.table.round
    if now is None or not (room or now.insurance.offer_stands):
        return
    line = room.line if room else line_on_offer(scene.book, scene.table)
    cover = (each for each in now.insurance.cover if (each.who, each.box, each.stage) == (who, box, line.stage))
    lies_minor = sum(each.stake_minor for each in cover)
    if room or lies_minor:
        yield TypedInsurance(who, box, line.side, line.stage, room.most_minor if room else 0, lies_minor)
