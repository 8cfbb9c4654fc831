"""What would follow from a command, in words: for pages, the command line and the API alike."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import UnsetType

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money, Odds
from punto.floor.journal.entry import tag_name
from punto.rules.coup.cards import Face
from punto.table.consequences import Consequences, Finished, MovedMoney, PossibleOrder
from punto.table.preview import shown
from punto.table.records.commands import Command
from punto.table.records.correction_events import BettingReopened, PaymentCorrected
from punto.table.records.events import Event, InsuranceOffered, MinimumAdvised, RoundSettled
from punto.table.records.findings import (
    CardCorrected,
    CardOrderRuled,
    Hands,
    IrregularityDismissed,
    IrregularityReported,
    LateBetRefused,
    OptionsClosed,
    RoundVoided,
    Ruled,
    ShoeReplaced,
    ShoeTakenOff,
    UninsuredBetReturned,
)
from punto.table.records.identity import player_number
from punto.table.records.kinds import Effect, Irregularity, Late
from punto.table.records.positions import STAFF, Position
from punto.table.situation import Then
from punto.web.messages.previews import Told
from punto.web.words.event_words import Writer
from punto.web.words.translator import TRANSLATORS, Translator

_SUITS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
_GOING_ON = frozenset({Then.DEAL, Then.TURN, Then.INSURE, Then.CLOSE_INSURANCE, Then.SETTLE, Then.BET})


def tell(
    consequences: Consequences,
    command: Command,
    t: Translator,
    names: Mapping[str, str] | UnsetType,
    labels: tuple[str, ...] = (),
) -> Told:
    """``names`` are those of registered players by id, ``labels`` those of the boxes."""
    told = _Teller(t, names, labels)
    finished, aloud = consequences.finished, what_to_say(consequences.events, consequences.then)
    return Told(
        title=t.write(phrase(f"command.{tag_name(type(command))}")),
        follows=told.writer.lines(shown(consequences.events)),
        established=_established(consequences, t),
        as_dealt=t("consequence.as_dealt", **_hands(consequences.as_dealt, t)) if consequences.as_dealt else "",
        should_be=t("consequence.should_be", **_hands(consequences.should_be, t)) if consequences.should_be else "",
        orders=tuple(map(told.order, consequences.orders)),
        more_orders=t("consequence.more_orders", orders=more) if (more := consequences.more_orders) else "",
        choosing=tuple(
            t("consequence.choosing", who=told.person(each.who), amount=Money(each.back_minor))
            for each in consequences.choosing
        ),
        away=t("consequence.away", people=tuple(map(told.person, consequences.away))) if consequences.away else "",
        money=tuple(map(told.moved, consequences.money)),
        balances=tuple(
            t(
                "consequence.balance",
                who=told.person(each.who),
                before=Money(each.before_minor),
                after=Money(each.after_minor),
            )
            for each in consequences.balances
        ),
        finished=_finished(consequences, t),
        endings=endings_of(finished, told.writer),
        say=t.write(aloud) if aloud else "",
        say_in={language: each.write(aloud) if aloud else "" for language, each in TRANSLATORS.items()},
        who_may=who_may(consequences.positions, t),
        then=t.write(phrase(f"then.{consequences.then}")),
        then_who=who_may(consequences.then_positions, t),
    )


def meaning(told: Told) -> tuple[str, ...]:
    """What it means for the people at the table, beside the events that follow: one line each, in order."""
    lines = (
        told.established,
        told.as_dealt,
        told.should_be,
        *told.orders,
        told.more_orders,
        *told.choosing,
        told.away,
        *told.money,
        told.finished,
        *told.endings,
        told.then,
    )
    return tuple(line for line in lines if line)


def registered_in(consequences: Consequences) -> frozenset[str]:
    """The registered players whom the words name."""
    finished = [consequences.finished, *(each.finished for each in consequences.orders)]
    named: Iterable[str] = (
        *(each.who for each in consequences.choosing),
        *(each.who for each in consequences.money),
        *(ending.who for each in finished if each for ending in each.endings),
        *consequences.away,
        *(who for event in consequences.events for who in _named_by(event)),
    )
    return frozenset(who for who in named if player_number(who) is not None)


def _named_by(event: Event) -> Iterable[str]:
    return (getattr(event, "who", ""), getattr(event, "player_id", ""), *getattr(event, "players", ()))


def who_may(positions: tuple[Position, ...], t: Translator) -> str:
    """The positions in words: one and all above it, or a list."""
    lowest = next((position for position in positions if position in STAFF), None)
    if lowest is not None and positions == STAFF[STAFF.index(lowest) :] and lowest is not STAFF[-1]:
        return t("consequence.or_above", position=lowest)
    return t("consequence.positions", positions=positions) if positions else ""


def write_cards(cards: tuple[Face | None, ...], t: Translator) -> str:
    """Cards as signs, which are the same in all languages."""
    signs = [_sign(card) if card is not None else "?" for card in cards]
    return " ".join(signs) or t("consequence.no_cards")


def _sign(face: Face) -> str:
    return ("10" if face.rank == "T" else face.rank) + _SUITS.get(face.suit, "")


def _finished(consequences: Consequences, t: Translator) -> str:
    if consequences.finished is None:
        return ""
    result = result_phrase(consequences.finished)
    if consequences.choosing or consequences.then is Then.ASK:
        return t("consequence.finished_if", result=result)
    return t("consequence.finished", result=result)


def result_phrase(finished: Finished) -> Phrase:
    losing, winning = sorted((finished.player, finished.banker))
    return phrase("call.result", outcome=finished.winner, winning=winning, losing=losing)


class _Teller:
    def __init__(self, t: Translator, names: Mapping[str, str] | UnsetType, labels: tuple[str, ...]) -> None:
        self.t, self.writer = t, Writer(t, names, labels)

    def person(self, who: str) -> str:
        return self.writer.person(who)

    def order(self, possible: PossibleOrder) -> str:
        t, finished = self.t, possible.finished
        cards, hands = write_cards(possible.cards, t), t("consequence.hands", **_hands(possible.hands, t))
        if finished is None:
            return t("consequence.order_open", cards=cards, hands=hands)
        result, endings = result_phrase(finished), t.paragraph(endings_of(finished, self.writer))
        return t("consequence.order", cards=cards, hands=hands, result=result, endings=endings)

    def moved(self, moved: MovedMoney) -> str:
        t, gets, amount = self.t, moved.amount_minor > 0, Money(abs(moved.amount_minor))
        if not moved.bet:
            who = self.person(moved.who)
            return t("consequence.gets" if gets else "consequence.gives", who=who, amount=amount)
        place = self.writer.place(moved.who, moved.box)
        bet = moved.bet
        return t("consequence.gets_for" if gets else "consequence.gives_for", place=place, bet=bet, amount=amount)


def endings_of(finished: Finished | None, writer: Writer) -> tuple[str, ...]:
    """What each player ends with; empty if the round is not finished."""
    t = writer.t
    return tuple(
        t(
            "consequence.ending",
            who=writer.person(each.who),
            staked=Money(each.staked_minor),
            back=Money(each.back_minor),
        )
        for each in (finished.endings if finished else ())
    )


def _hands(hands: Hands, t: Translator) -> dict[str, str]:
    return {"player": write_cards(hands.player, t), "banker": write_cards(hands.banker, t)}


def _established(consequences: Consequences, t: Translator) -> str:
    if consequences.established is None:
        return ""
    if not consequences.established:
        return t("consequence.nothing_established")
    return t("consequence.established", bets=consequences.established_by)


# ---- what to say aloud


def what_to_say(events: Sequence[Event], then: Then) -> Phrase | None:
    """What the dealer tells the table after the events of a command; None if nothing has to be said."""
    if any(isinstance(event, RoundVoided) for event in events):
        return phrase("aloud.void")
    for event in events:
        said = _SAID.get(type(event))
        if said is not None and (words := said(event)) is not None:
            return words
    kinds = {type(event) for event in events}
    if then is Then.CHOOSE:
        return phrase("aloud.choose")
    if then is Then.ASK:
        return phrase("aloud.ask")
    if then is Then.RULE_ORDER:
        return phrase("aloud.order")
    if OptionsClosed in kinds and CardCorrected in kinds:
        return phrase("aloud.no_choice")
    if OptionsClosed in kinds:
        return phrase("aloud.time" if len(kinds) == 1 else "aloud.all_chosen")
    if CardOrderRuled in kinds:
        return phrase("aloud.order_ruled")
    if kinds & {ShoeTakenOff, ShoeReplaced}:
        return phrase("aloud.new_shoe")
    if any(map(_corrects_a_payment, events)):
        return phrase("aloud.corrected")
    goes_on = kinds & {IrregularityReported, IrregularityDismissed, Ruled} and then in _GOING_ON
    return phrase("aloud.goes_on") if goes_on else None


def _corrects_a_payment(event: Event) -> bool:
    """Whether somebody was paid otherwise before."""
    return isinstance(event, PaymentCorrected) or (isinstance(event, RoundSettled) and bool(event.differences))


def _ruled(event: Ruled) -> Phrase | None:
    if event.effect is Effect.RETURN:
        return phrase("aloud.bets_returned")
    return phrase("aloud.adjusted") if event.effect is Effect.ADJUST else None


def _reported(event: IrregularityReported) -> Phrase | None:
    return phrase("aloud.earlier_round") if event.kind is Irregularity.LATER_ERROR else None


def _late_bet(event: LateBetRefused) -> Phrase:
    return phrase("aloud.late_withdrawal" if event.tried is Late.WITHDRAWN else "aloud.late_bet")


def _advised(_: MinimumAdvised) -> Phrase:
    return phrase("aloud.below_minimum")


def _offered(event: InsuranceOffered) -> Phrase:
    return phrase("aloud.insurance", side=event.side, odds=Odds(event.odds))


def _uninsured(_: UninsuredBetReturned) -> Phrase:
    return phrase("aloud.uninsured")


def _reopened(_: BettingReopened) -> Phrase:
    return phrase("aloud.betting")


_SAID: dict[type[Event], Callable[..., Phrase | None]] = {
    Ruled: _ruled,
    IrregularityReported: _reported,
    LateBetRefused: _late_bet,
    MinimumAdvised: _advised,
    InsuranceOffered: _offered,
    UninsuredBetReturned: _uninsured,
    BettingReopened: _reopened,
}
"""Events after which it is said what they mean, whatever comes next."""
