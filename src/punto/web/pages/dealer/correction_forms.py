"""Dialogs that correct what was entered wrongly."""

from collections.abc import Callable, Iterable

from msgspec import to_builtins
from msgspec.structs import replace

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Face
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side, To
from punto.table.corrections.payments import due_for
from punto.table.decision import coup_of
from punto.table.play.payouts import marked_lines
from punto.table.procedure.between_rounds import card_phrase
from punto.table.procedure.forms import (
    Field,
    FieldKind,
    Form,
    Menu,
    Pick,
    amount,
    choice,
    correction,
    form,
    reason,
    who_corrects,
    who_gives,
)
from punto.table.procedure.scene import Scene
from punto.table.records.commands import MarkPaid
from punto.table.records.corrections import (
    CancelRound,
    CorrectBet,
    CorrectCard,
    CorrectInsurance,
    CorrectPayment,
    ReopenBetting,
)
from punto.table.records.events import Payout
from punto.table.records.identity import Place
from punto.table.records.state import BetKey, Phase, TakenInsurance, cards_in_order
from punto.web.words.event_words import on_sheet

_FIRST_FOUR = (Side.PLAYER, Side.BANKER, Side.PLAYER, Side.BANKER)


def corrections_menu(scene: Scene) -> Menu:
    """What can be corrected now, by anybody."""
    items = tuple((name, title) for name, (title, wanted, _) in CORRECTIONS.items() if wanted(scene))
    text = None if items else phrase("dialog.nothing_to_correct")
    return Menu(title=phrase("dialog.corrections"), text=text, items=items)


# ---- cards


def correct_card(scene: Scene) -> Form:
    made = correction(
        scene,
        CorrectCard,
        phrase("command.correct_card"),
        choice("", phrase("dialog.which_card"), *_seen_cards(scene)),
        Field("card", FieldKind.CARD, phrase("dialog.really"), value="" if scene.settings.faces_by_rank else "suit"),
        reason(optional=True),
    )
    return replace(made, shows_changes=True)


def _seen_cards(scene: Scene) -> list[Pick]:
    """Who has to approve it depends on the card that really lies there: the form says so once it is named."""
    cards, coup = list(enumerate(cards_in_order(scene.table), 1)), coup_of(scene.book, scene.table)
    picks = [
        Pick(_card_in_hand(coup, place, each.card), {"shoe": each.shoe, "draw": each.draw})
        for place, each in reversed(cards)
        if each.card is not None
    ]
    return [*_raised_card(scene), *picks, *_burned_card(scene)]


def _card_in_hand(coup: Coup, place: int, face: Face) -> Phrase:
    to = hand_of(coup, place)
    if to is None:
        return phrase("dialog.card_over", place=place, card=card_phrase(face))
    return phrase("dialog.card", place=place, side=to, card=card_phrase(face))


def hand_of(coup: Coup, place: int) -> Side | None:
    """The hand that a card belongs to; None if it belongs to none, or not yet."""
    if place > coup.used:
        return None
    if place <= len(_FIRST_FOUR):
        return _FIRST_FOUR[place - 1]
    to = coup.fifth.to if place == len(_FIRST_FOUR) + 1 else coup.sixth.to
    return Side(to.value) if to in (To.PLAYER, To.BANKER) else None


def _raised_card(scene: Scene) -> list[Pick]:
    """The card that the table has stopped at, which is not dealt yet."""
    now, shoe = scene.table.round, scene.table.shoe
    raised = now.irregularities.raised if now is not None and not now.over else None
    if raised is None or shoe is None or raised.card is None:
        return []
    label = phrase("dialog.raised_card", card=card_phrase(raised.card))
    return [Pick(label, {"shoe": shoe.id, "draw": shoe.drawn})]


def _burned_card(scene: Scene) -> list[Pick]:
    shoe = scene.table.shoe
    if shoe is None or shoe.burned_card is None:
        return []
    face: Face = shoe.burned_card
    return [Pick(phrase("dialog.burned_card", card=card_phrase(face)), {"shoe": shoe.id, "draw": 0})]


# ---- bets and payments


def correct_bet(scene: Scene) -> Form:
    picks = (
        Pick(_bet(scene, key, placed.stake_minor), _key(key))
        for key, placed in (scene.round.at_close or scene.round.bets).items()
    )
    return correction(
        scene,
        CorrectBet,
        phrase("command.correct_bet"),
        choice("", phrase("dialog.which_bet"), *picks),
        amount("stake_minor", phrase("dialog.lay_there")),
        reason(optional=True),
    )


def add_bet(scene: Scene) -> Form:
    """A bet that lay there and was never entered."""
    settings = scene.settings
    boxes = (
        Pick(
            phrase("person.box", box=settings.box_label(box)),
            {"who": scene.table.seats.get(box, str(Place(box))), "box": box},
        )
        for box in range(1, settings.boxes + 1)
    )
    menu = (Pick(phrase("dialog.bet_named", bet=bet), bet) for bet in scene.book.layouts[settings.layout].menu)
    return correction(
        scene,
        CorrectBet,
        phrase("dialog.add_bet"),
        choice("", phrase("dialog.box"), *boxes),
        choice("bet", phrase("dialog.bet"), *menu),
        amount("stake_minor", phrase("dialog.lay_there")),
        reason(optional=True),
    )


def correct_insurance(scene: Scene) -> Form:
    picks = (_insurance(scene, taken) for taken in scene.round.insurance.cover)
    return correction(
        scene,
        CorrectInsurance,
        phrase("command.correct_insurance"),
        choice("", phrase("dialog.which_bet"), *picks),
        amount("stake_minor", phrase("dialog.lay_there")),
        reason(optional=True),
    )


def _insurance(scene: Scene, taken: TakenInsurance) -> Pick:
    of = {"stage": taken.stage, "who": taken.who, "box": taken.box}
    needs = who_gives(scene, CorrectInsurance, **of, stake_minor=0)
    return Pick(_bet(scene, taken.key, taken.stake_minor), of, needs=needs)


def correct_offer(scene: Scene) -> Form:
    offered = scene.round.insurance.offered
    picks = (
        Pick(
            phrase("dialog.offer_not_made" if stage in offered else "dialog.offer_made", stage=stage),
            {"stage": stage, "offered": stage not in offered},
        )
        for stage in Stage
    )
    title, which = phrase("dialog.correct_offer"), choice("", phrase("dialog.which_offer"), *picks)
    return correction(scene, CorrectInsurance, title, which, reason(optional=True))


def correct_payment(scene: Scene) -> Form:
    """In the words of the settlement sheet: what is taken, and what is paid beside the stake."""
    keys = dict.fromkeys((result.who, result.box, result.bet) for result in scene.round.results)
    return correction(
        scene,
        CorrectPayment,
        phrase("command.correct_payment"),
        choice("", phrase("dialog.which_payment"), *_payments(scene, keys)),
        replace(amount("paid_minor", phrase("dialog.handed_over")), beside=True),
        amount("recovered_minor", phrase("dialog.recovered"), optional=True),
        reason(),
    )


def _payments(scene: Scene, keys: Iterable[BetKey]) -> list[Pick]:
    """Each bet as the sheet has it; then those that were to be left or paid, with the stake taken instead.

    What a player keeps of the stake comes with the answer: the command says all that they got.
    """
    as_due: list[Pick] = []
    taken: list[Pick] = []
    for key in keys:
        due_minor, stake_minor = due_for(scene.round, key)
        assert due_minor is not None  # noqa: S101 - it is one of the results
        due, place = on_sheet(due_minor - stake_minor), _place(scene, key)
        lost = due_minor < stake_minor
        label = phrase("dialog.payment_left" if lost else "dialog.payment", **place, due=due)
        as_due.append(Pick(label, {**_key(key), "paid_minor": stake_minor}))
        if not lost:
            words = phrase("dialog.payment_taken", **place, due=due, stake=Money(stake_minor))
            taken.append(Pick(words, {**_key(key), "paid_minor": 0}))
    return [*as_due, *taken]


def _place(scene: Scene, key: BetKey) -> dict[str, object]:
    """Where a bet lies and which it is."""
    who, box, bet = key
    named = Place.find(who) == Place(box)  # the place names its box
    at = phrase("dialog.person", who=who) if named else _at_box(scene, who, box)
    return {"place": at, "bet": bet}


def _at_box(scene: Scene, who: str, box: int) -> Phrase:
    return phrase("dialog.person_at", who=who, box=scene.settings.box_label(box))


def _bet(scene: Scene, key: BetKey, minor: int) -> Phrase:
    who, box, bet = key
    place = Place.find(who)
    if place is not None and place.box == box:  # the place names its box
        return phrase("dialog.bet_at", who=who, bet=bet, amount=Money(minor))
    return phrase("dialog.bet_of", who=who, box=scene.settings.box_label(box), bet=bet, amount=Money(minor))


def _key(key: BetKey) -> dict[str, object]:
    return dict(zip(("who", "box", "bet"), key, strict=True))


def unmark(scene: Scene) -> Form:
    """Lines of the sheet that were marked as done by a slip."""
    picks = [Pick(_marked(scene, line), {"lines": [to_builtins(line)]}) for line in marked_lines(scene.round)]
    which = choice("", phrase("dialog.which_line"), *picks)
    return form(scene, MarkPaid, phrase("dialog.unmark"), which, taken_back=True)


def _marked(scene: Scene, line: Payout) -> Phrase:
    place, done = _place(scene, (line.who, line.box, line.bet)), on_sheet(line.amount_minor)
    return phrase("dialog.payment" if line.stage is None else "dialog.payment_insurance", **place, due=done)


# ---- rounds


def reopen_betting(scene: Scene) -> Form:
    return correction(scene, ReopenBetting, phrase("command.reopen_betting"), reason(optional=True))


def cancel_round(scene: Scene) -> Form:
    return correction(scene, CancelRound, phrase("command.cancel_round"))


# ---- which of them


def _accepted(
    kind: type[CorrectBet | CorrectCard | CorrectInsurance | CorrectPayment | ReopenBetting | CancelRound],
) -> Callable[[Scene], bool]:
    return lambda scene: who_corrects(scene, kind) is not None


def _with_bets(scene: Scene) -> bool:
    return bool(scene.table.round and scene.round.at_close) and _accepted(CorrectBet)(scene)


def _with_cover(scene: Scene) -> bool:
    return bool(scene.table.round and scene.round.insurance.cover) and _accepted(CorrectInsurance)(scene)


def _with_marks(scene: Scene) -> bool:
    return scene.table.round is not None and bool(scene.round.marked) and scene.table.phase is Phase.READY


CorrectionForm = tuple[Phrase, Callable[[Scene], bool], Callable[[Scene], Form]]
CORRECTIONS: dict[str, CorrectionForm] = {
    "correct_card": (phrase("command.correct_card"), _accepted(CorrectCard), correct_card),
    "correct_bet": (phrase("command.correct_bet"), _with_bets, correct_bet),
    "add_bet": (phrase("dialog.add_bet"), _accepted(CorrectBet), add_bet),
    "correct_insurance": (phrase("command.correct_insurance"), _with_cover, correct_insurance),
    "correct_offer": (phrase("dialog.correct_offer"), _accepted(CorrectInsurance), correct_offer),
    "correct_payment": (phrase("command.correct_payment"), _accepted(CorrectPayment), correct_payment),
    "unmark": (phrase("dialog.unmark"), _with_marks, unmark),
    "reopen_betting": (phrase("command.reopen_betting"), _accepted(ReopenBetting), reopen_betting),
    "cancel_round": (phrase("command.cancel_round"), _accepted(CancelRound), cancel_round),
}
"""By the name of the form: its title, whether it can be given now, and the form."""
