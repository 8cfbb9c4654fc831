"""A dealer who plays by what the console offers, without a browser."""

import random
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from punto.catalogue.sentence import LANGUAGES, Phrase, write
from punto.floor.journal.entry import command_of
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.cards import Card, Face
from punto.table.procedure.moment import moments_of
from punto.table.procedure.scene import ConsoleMoment, MomentName, Scene
from punto.table.records.commands import BurnCards, Command, DealCard, TurnCard
from punto.table.records.positions import Position
from punto.table.situation import needs_card
from tests.table.tables import DEALER, Evening

CARD_KEYS = frozenset("A1234567890TJQKSHDC")
"""What the page takes for a card while one is wanted, whatever else the key could do."""


def scene_of(evening: Evening, shoes: ShoeKind = ShoeKind.MANUAL, position: Position = Position.DEALER) -> Scene:
    return Scene(evening.rules, evening.table, shoes is not ShoeKind.MANUAL, position, "dora")


def moment_of(evening: Evening, shoes: ShoeKind = ShoeKind.MANUAL) -> ConsoleMoment:
    """The moment of the table."""
    return moments_of(scene_of(evening, shoes))[-1]


def command_in(body: dict[str, Any], by: tuple[str, Position] = DEALER) -> Command:
    return command_of({**body, "by": by[0], "position": by[1]})


def phrases_in(moment: ConsoleMoment) -> Iterator[Phrase]:
    """Everything that a moment says."""
    yield moment.now
    yield from moment.why
    if moment.say is not None:
        yield moment.say
    yield from (key.label for key in (*moment.keys, *((moment.space,) if moment.space else ())))
    for question in moment.questions:
        yield question.title
        yield from (answer.label for answer in question.answers)


class Played(Struct):
    """What was pressed in a round."""

    keys: int = 0
    offers: int = 0


class ConsoleDealer:
    """Presses Space where the moment has it, and else types the rank of a card that the shoe still has."""

    def __init__(self, evening: Evening, shoes: ShoeKind, seed: int) -> None:
        self.evening, self.shoes = evening, shoes
        self.seen: set[MomentName] = set()
        self._random = random.Random(seed)  # noqa: S311 - cards of a test

    def play_round(self) -> Played:
        """From the call for bets to the next one."""
        played = Played()
        self.press(played)
        while (moment := self.look()).name is not MomentName.READY:
            played.offers += moment.name is MomentName.INSURANCE_DUE
            self.press(played)
        return played

    def look(self) -> ConsoleMoment:
        moment = moment_of(self.evening, self.shoes)
        self.seen.add(moment.name)
        keys = [key.key for key in moment.keys]
        assert len(keys) == len(set(keys)), moment
        assert moment.card is None or CARD_KEYS.isdisjoint(keys), moment
        for language in LANGUAGES:
            assert all(write(each, language).strip() for each in phrases_in(moment))
        return moment

    def press(self, played: Played) -> None:
        moment = self.look()
        played.keys += 1
        if moment.space is not None:
            assert moment.space.action.needs is None
            self._give(moment.space.action.give)
        else:
            assert moment.card is not None, moment
            assert not moment.card.ask
            self._give(moment.card.give, self._some_card())

    def _give(self, bodies: tuple[dict[str, Any], ...], card: Face | None = None) -> None:
        assert bodies
        for place, body in enumerate(bodies, 1):
            filled = {**body, "card": card} if card is not None and place == len(bodies) else self._from_shoe(body)
            self.evening.do(command_in(filled))

    def _from_shoe(self, body: dict[str, Any]) -> dict[str, Any]:
        """At a sealed shoe the floor fills in the card."""
        names = (_tag(BurnCards), _tag(TurnCard), *((_tag(DealCard),) if needs_card(self.evening.table) else ()))
        if self.shoes is ShoeKind.MANUAL or body["command"] not in names:
            return body
        return {**body, "card": self._some_card()}

    def _some_card(self) -> Face:
        shoe = self.evening.table.shoe
        assert shoe is not None
        return self._random.choice([card for card in Card if shoe.has_left(card)])


def _tag(kind: type[Command]) -> str:
    return str(kind.__struct_config__.tag)
