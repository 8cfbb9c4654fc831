"""The moments between rounds: a closed table, the shoe, ready; and what the last round leaves to do."""

from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money, Odds
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import Face
from punto.rules.coup.space import Winner
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table.decision import coup_of
from punto.table.play.opening import before_cut_card
from punto.table.play.payouts import is_marked, left_to_pay, payout_of, unverified
from punto.table.play.shuffler import MOST_CARDS, few_cards
from punto.table.procedure.chip_set import USUAL_CHIPS
from punto.table.procedure.ruling_mark import ground_phrase
from punto.table.procedure.scene import (
    ConsoleKey,
    ConsoleMoment,
    KeyAction,
    MomentName,
    Scene,
    body_of,
    card_entry,
    giving,
    lowest_position,
)
from punto.table.procedure.settlement_sheet import settlement_sheet
from punto.table.records.commands import (
    BurnCards,
    CutCardOut,
    EndShoe,
    LoadShoe,
    MarkPaid,
    OpenBetting,
    OpenTable,
    VerifyPayouts,
)
from punto.table.records.events import Difference, SettledBet
from punto.table.records.identity import Place
from punto.table.records.kinds import Irregularity
from punto.table.records.positions import Position
from punto.table.records.state import as_played
from punto.table.situation import LastRound, SituationKind

SHOE_KEY = ConsoleKey("N", phrase("console.key.new_shoe"), KeyAction(open="shoe"))
PEOPLE_KEYS = (
    ConsoleKey("B", phrase("console.key.buy_in"), KeyAction(open="buy_in")),
    ConsoleKey("S", phrase("console.key.seats"), KeyAction(open="seats")),
)
SEATS_BESIDE_CARDS = ConsoleKey("M", phrase("console.key.seats"), KeyAction(open="seats"))
"""Where a card is typed: there S is a suit."""
DIALOGS = (
    SHOE_KEY,
    ConsoleKey("D", phrase("console.key.relief"), KeyAction(open="relief")),
    *PEOPLE_KEYS,
    ConsoleKey("T", phrase("console.key.table"), KeyAction(open="table")),
)
"""The dialogs that can be opened between rounds."""


def closed_table() -> ConsoleMoment:
    return ConsoleMoment(
        name=MomentName.CLOSED_TABLE,
        now=phrase("console.now.closed_table"),
        who=(lowest_position(OpenTable, None),),
        space=ConsoleKey("Space", phrase("console.key.open_table"), KeyAction(open="open_table")),
    )


def other_law(scene: Scene) -> ConsoleMoment:
    """The table was opened under rules that this version does not have. A ruling ends the round."""
    return ConsoleMoment(
        name=MomentName.OTHER_LAW,
        now=phrase("console.now.other_law"),
        who=(Position.SHIFT_MANAGER,),
        clauses=scene.clauses(Topic.RULING),
        keys=DIALOGS[-1:],
        tone="trouble",
    )


def ready(scene: Scene) -> ConsoleMoment:
    """Between rounds: the shoe has to be put on, burned or taken off, or the next round can start."""
    table, shoe, kind = scene.table, scene.table.shoe, scene.situation.kind
    if shoe is None:
        return _no_shoe()
    if kind is SituationKind.BURNING:
        return burning(scene)
    if kind is SituationKind.SHOE_OVER:
        return _shoe_over(scene)
    if scene.gaming_stopped:
        return _gaming_stopped(scene)
    burned = shoe.burned > 0 and shoe.drawn == shoe.burned
    carried = any(each.card is not None for each in table.carried)
    why = [*shoe_warnings(scene), *_last_round(scene)]
    if table.at_shuffler and table.round is not None and not table.board_used:
        why.append(phrase("console.why.board_empty"))
    if carried:
        why.append(phrase("console.why.carried"))
    if burned and shoe.burned_card is not None:
        why.append(phrase("console.why.burned", card=card_phrase(shoe.burned_card), cards=shoe.burned_unseen))
    return ConsoleMoment(
        name=MomentName.READY,
        now=phrase("console.now.ready"),
        why=tuple(why),
        say=phrase("console.say.burning", cards=shoe.burned_unseen) if burned else phrase("console.say.place_bets"),
        clauses=scene.clauses(Topic.BETTING_OPENS, *((Topic.EXCESS_OPTIONS,) if carried else ())),
        space=ConsoleKey("Space", phrase("console.key.open_betting"), giving(scene, OpenBetting)),
        keys=(*cut_card_keys(scene), *DIALOGS),
    )


def _gaming_stopped(scene: Scene) -> ConsoleMoment:
    """No bets are called for. At a felt table the dealer can still say that they were."""
    called = ConsoleKey("A", phrase("console.key.called_all_the_same"), giving(scene, OpenBetting))
    return ConsoleMoment(
        name=MomentName.READY,
        now=phrase("console.now.gaming_stopped"),
        why=(phrase("console.why.gaming_stopped"), *_last_round(scene)),
        say=phrase("console.say.gaming_stopped"),
        who=(Position.PIT_MANAGER,),
        keys=(*((called,) if scene.settings.felt else ()), *cut_card_keys(scene), *DIALOGS),
        tone="trouble",
    )


def burning(scene: Scene) -> ConsoleMoment:
    """The first card of a shoe is shown, and as many are burned as it counts."""
    sealed = scene.sealed
    return ConsoleMoment(
        name=MomentName.BURN,
        now=phrase("console.now.burn"),
        why=(phrase("console.why.burn"),),
        space=ConsoleKey("Space", phrase("console.key.burn"), giving(scene, BurnCards)) if sealed else None,
        card=None if sealed else card_entry(scene, body_of(BurnCards)),
        keys=(SHOE_KEY,) if scene.table.round is None or scene.table.round.over else (),  # the others are cards
    )


def _no_shoe() -> ConsoleMoment:
    return ConsoleMoment(
        name=MomentName.SHOE,
        now=phrase("console.now.no_shoe"),
        who=(lowest_position(LoadShoe, None),),
        space=ConsoleKey("Space", phrase("console.key.new_shoe"), KeyAction(open="shoe")),
        keys=DIALOGS[1:],
    )


def _shoe_over(scene: Scene) -> ConsoleMoment:
    ends = not scene.sealed or scene.settings.felt
    return ConsoleMoment(
        name=MomentName.SHOE,
        now=phrase("console.now.shoe_over"),
        why=tuple(_last_round(scene)),
        say=phrase("console.say.shoe_over"),
        space=ConsoleKey("Space", phrase("console.key.end_shoe"), giving(scene, EndShoe)) if ends else SHOE_KEY,
        keys=DIALOGS,
    )


def _last_round(scene: Scene) -> list[Phrase]:
    now = scene.table.round
    if now is None or not now.settled:
        return []
    return [phrase("console.why.last_round", number=now.number, result=result_phrase(scene))]


def result_phrase(scene: Scene) -> Phrase:
    """Who won by how much, as it is called."""
    end = coup_of(scene.book, scene.table).end
    assert end is not None  # noqa: S101 - the coup is finished
    if end.winner is Winner.TIE:
        return phrase("console.say.tie", points=end.player)
    losing, winning = sorted((end.player, end.banker))
    return phrase("console.say.wins", side=end.winner.value, winning=winning, losing=losing)


def cut_card_keys(scene: Scene) -> tuple[ConsoleKey, ...]:
    """At a felt table the dealer says when the cut card has come out."""
    if not scene.may(CutCardOut) or (scene.sealed and not scene.settings.felt):
        return ()
    return (ConsoleKey("O", phrase("console.key.cut_card"), giving(scene, CutCardOut)),)


def shoe_warnings(scene: Scene) -> list[Phrase]:
    """The cut card is near or overdue; fewer cards are left than a round may need."""
    warnings, before, few = [], before_cut_card(scene.table), few_cards(scene.table)
    if before is not None and before <= 0:
        warnings.append(phrase("console.why.cut_card_due"))
    elif before is not None and before <= MOST_CARDS:
        warnings.append(phrase("console.why.cut_card_near", cards=before))
    if few is not None:
        warnings.append(phrase("console.why.few_cards", cards=few))
    return warnings


def card_phrase(face: Face) -> Phrase:
    if not face.suit:
        return phrase("card.rank", rank=face.rank)
    return phrase("card", rank=face.rank, suit=face.suit)


# ---- what the last round leaves to do, until the dealer says that it is done


def left_to_do(scene: Scene) -> ConsoleMoment | None:
    """The settlement or the void of the last round, which the page shows until the dealer has dealt with it."""
    last = scene.situation.last
    if last is LastRound.VOID:
        return _void(scene)
    return _settlement(scene) if last is LastRound.SETTLED and scene.round.results else None


def _settlement(scene: Scene) -> ConsoleMoment | None:
    """Until every line of the sheet is done. That there is none, only the page knows to be read."""
    now, settings = scene.round, as_played(scene.table).settings
    assert settings is not None  # noqa: S101 - a round was played
    lines = settlement_sheet(scene.book, settings, now.results, USUAL_CHIPS, now.owed)  # for their order
    left = {(each.who, each.box, each.bet, each.stage): each for each in left_to_pay(now)}
    current, nothing = next((left[line.key] for line in lines if line.key in left), None), not lines
    if current is None and not nothing:
        return None
    read = KeyAction(page="dismiss", final=True)
    if current is None:
        space, rest = ConsoleKey("Space", phrase("console.key.all_paid"), read), read
    else:
        line = giving(scene, MarkPaid, lines=[_line(current)])
        space = ConsoleKey("Space", phrase("console.key.next_line"), line)
        rest = replace(giving(scene, MarkPaid), final=True)
    return ConsoleMoment(
        name=MomentName.SETTLEMENT,
        now=phrase("console.now.settlement"),
        why=tuple(_last_round(scene)),
        say=_result_and_pays(scene),
        clauses=scene.clauses(Topic.COMMISSION, Topic.INSURANCE_TIE),
        space=space,
        keys=(ConsoleKey("Shift Space", phrase("console.key.all_paid"), rest),),
        dismiss=f"settled-{now.number}" if nothing else "",
        tone=coup_of(scene.book, scene.table).winner.value,
    )


def _line(result: SettledBet) -> dict[str, Any]:
    fields: dict[str, Any] = to_builtins(payout_of(result))
    return fields


def with_verification(scene: Scene, moment: ConsoleMoment) -> ConsoleMoment:
    """While payouts wait for a supervisor, the moment says so and has the key for it."""
    if not unverified(scene.table):
        return moment
    supervisor = lowest_position(VerifyPayouts, scene.table.settings)
    return replace(
        moment,
        why=(*moment.why, phrase("console.why.verify_payouts")),
        who=tuple(dict.fromkeys((*moment.who, supervisor))),
        keys=(ConsoleKey("V", phrase("console.key.verify_payouts"), giving(scene, VerifyPayouts)), *moment.keys),
    )


def with_differences(scene: Scene, moment: ConsoleMoment) -> ConsoleMoment:
    """After a correction the moment says what to pay and to collect for lines that were done by the sheet before.

    What was not done yet is on the new sheet as a whole.
    """
    now = scene.table.round
    if now is None or not now.settled or not now.differences:
        return moment
    done = [_difference(scene, each) for each in now.differences if is_marked(now, each)]
    again = phrase("console.why.settled_again" if done else "console.why.sheet_made_again")
    return replace(moment, why=(again, *done, *moment.why))


def _difference(scene: Scene, each: Difference) -> Phrase:
    pays, amount = each.amount_minor > 0, Money(abs(each.amount_minor))
    place = Place.find(each.who)
    if place is not None and place.box == each.box:  # the place names its box
        return phrase("console.why.pay" if pays else "console.why.collect", who=each.who, bet=each.bet, amount=amount)
    return phrase(
        "console.why.pay_at_box" if pays else "console.why.collect_at_box",
        who=each.who,
        box=scene.settings.box_label(each.box),
        bet=each.bet,
        amount=amount,
    )


def _result_and_pays(scene: Scene) -> Phrase:
    """The result, and every side bet on the felt that pays."""
    won = {
        result.bet: result.odds
        for result in scene.round.results
        if result.result is Result.WIN and result.stage is None and result.bet not in MAIN_BETS and result.odds
    }
    if not won:
        return result_phrase(scene)
    pays = tuple(phrase("console.say.pays", bet=bet, odds=Odds(odds)) for bet, odds in won.items())
    return phrase("console.say.result_and_pays", result=result_phrase(scene), pays=pays)


def _void(scene: Scene) -> ConsoleMoment:
    now, ground = scene.round, scene.round.irregularities.void
    assert ground is not None  # noqa: S101 - the round is void
    return ConsoleMoment(
        name=MomentName.VOID,
        now=phrase("console.now.void"),
        why=(ground_phrase(ground, scene.clauses(Topic.RULING)),),
        say=phrase("console.say.void"),
        clauses=scene.clauses(Topic.RULING if ground is Irregularity.RULING else Topic.VOID, Topic.VOID_RETURNS),
        space=ConsoleKey("Space", phrase("console.key.all_returned"), KeyAction(page="dismiss", final=True)),
        dismiss=f"void-{now.number}",
        tone="trouble",
    )
