"""What can be done about cards: too many, too few, misplaced, exposed, drawn together, foreign."""

from collections.abc import Iterator

from punto.catalogue.sentence import Phrase, phrase
from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.table.irregularities.possible_orders import lawful_orders
from punto.table.moves.legal_move import another_shoe
from punto.table.procedure.trouble.acts import Fields, TroubleAct
from punto.table.procedure.trouble.felt import NOBODY, SOME_REASON, TableInTrouble
from punto.table.procedure.trouble.questions import (
    BETWEEN,
    UNSEEN,
    FactKind,
    FactPick,
    FactQuestion,
    Facts,
    cards_question,
    choice_question,
    is_lost,
    order_question,
    preset_question,
    reason_question,
)
from punto.table.records import reports
from punto.table.records.corrections import CorrectCard
from punto.table.records.kinds import Irregularity, ShoeCheck
from punto.table.refusals import TableCode, refuse

_FELL = phrase("guide.reason.fell")
_SWEPT = phrase("guide.reason.swept")
_UNSEEN_ORDER = phrase("guide.reason.unseen_order")
_LOST = (_FELL, _SWEPT, _UNSEEN_ORDER)

_ANY_OTHER = "other"
_BOTH_UNSEEN = f"{UNSEEN}{BETWEEN}{UNSEEN}"
_DRAWS = (Irregularity.EXCESS_CARD, Irregularity.WRONG_NUMBER)
"""What the table raises at a card that is not dealt yet."""


def _raised_card(felt: TableInTrouble) -> str:
    """The card at which the table has stopped, as an answer; empty if it has not."""
    raised = felt.raised
    if raised is None or raised.kind not in _DRAWS:
        return ""
    return raised.card or UNSEEN


def _first_card(felt: TableInTrouble) -> Face | None:
    """That card, or one that nobody has seen."""
    return felt.raised.card if felt.raised is not None and _raised_card(felt) else None


# ---- cards too many or too few


def _hand_question(facts: Facts, *, no_hand: bool) -> FactQuestion:
    hands = tuple(FactPick(side, phrase("guide.hand", side=side), {"to": side.value}) for side in Side)
    picks = (FactPick("none", phrase("guide.hand.none"), {}), *hands) if no_hand else hands
    return choice_question(facts, "to", phrase("guide.which_hand"), picks, preset="none" if no_hand else "")


def _ask_excess(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    raised = _raised_card(felt)
    preset = UNSEEN if felt.sealed else ""
    yield cards_question(felt, facts, phrase("guide.cards.excess"), preset=preset, fixed=raised)
    if felt.has_hands:
        yield _hand_question(facts, no_hand=True)
        yield order_question(facts)
    yield reason_question(facts, *_LOST, needed=is_lost(facts))


def _probe_excess(felt: TableInTrouble) -> Iterator[Fields]:
    first = _first_card(felt)
    yield {"cards": (first,)}
    yield {"cards": (first,), "to": Side.PLAYER, "reconstructable": False, "reason": SOME_REASON}


def _ask_wrong_number(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    raised = _raised_card(felt)
    order = order_question(facts, preset="known" if raised else "lost" if not felt.dealing else "")
    yield order
    if order.answer == "known":
        yield from _ask_which_number(felt, facts, raised)
        yield reason_question(facts)
    elif order.answer == "lost":
        if not raised:
            yield cards_question(felt, facts, phrase("guide.cards.found"), least=0)
        if facts.get("cards"):
            yield _hand_question(facts, no_hand=True)
        yield reason_question(facts, phrase("guide.reason.in_the_rack"), *_LOST, needed=True)


def _ask_which_number(felt: TableInTrouble, facts: Facts, raised: str) -> Iterator[FactQuestion]:
    known = {"reconstructable": True}
    picks = (
        FactPick("many", phrase("guide.number.many"), known),
        FactPick("few", phrase("guide.number.few"), known),
    )
    preset = "many" if raised else ""
    number = choice_question(facts, "number", phrase("guide.number"), picks, preset=preset)
    yield number
    if number.answer == "many":
        yield cards_question(felt, facts, phrase("guide.cards.too_many"), fixed=raised)
        if felt.has_hands:
            yield _hand_question(facts, no_hand=False)


def _probe_wrong_number(felt: TableInTrouble) -> Iterator[Fields]:
    first = _first_card(felt)
    for cards in ((), (first,)):
        yield {"cards": cards, "reason": SOME_REASON}
        yield {"cards": cards, "reason": SOME_REASON, "reconstructable": True}


# ---- misplaced, exposed, together


def _ask_doubt(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    """Whether the order is lost, and of which cards."""
    yield order_question(facts)
    if is_lost(facts):
        yield FactQuestion(
            name="in_doubt",
            field="in_doubt",
            kind=FactKind.PLACES,
            label=phrase("guide.in_doubt"),
            answer=facts.get("in_doubt", ""),
            optional=True,
            cards=felt.cards(),
        )


def _ask_wrong_side(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    yield FactQuestion(
        name="wrong",
        field="as_dealt",
        kind=FactKind.SIDES,
        label=phrase("guide.wrong_side"),
        answer=facts.get("wrong", ""),
        cards=tuple(each for each in felt.cards() if not each.early),
    )
    now = felt.round
    if now is not None and (now.accepted or now.squeezed):
        picks = (
            FactPick("area", phrase("guide.person.area"), {}),
            FactPick("person", phrase("guide.person.person"), {"to_person": True}),
        )
        yield choice_question(facts, "with", phrase("guide.wrong_with"), picks, preset="area")
    yield from _ask_doubt(felt, facts)
    yield reason_question(facts, *_LOST, needed=is_lost(facts))


def _probe_wrong_side(felt: TableInTrouble) -> Iterator[Fields]:
    """Every card with the other hand: some card lies wrongly if one can."""
    cards = [each for each in felt.cards() if not each.early]
    yield {"as_dealt": tuple(Side.BANKER if each.side is Side.PLAYER else Side.PLAYER for each in cards)}


def _ask_face_up(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    down = tuple(each for each in felt.cards() if each.card is None and not each.early)
    last = str(down[-1].place) if down else ""
    yield preset_question(facts, "place", FactKind.PLACE, phrase("guide.face_up.place"), last, cards=down)
    if not felt.sealed:
        yield card_question(felt, facts, phrase("guide.face_up.card"))


def card_question(felt: TableInTrouble, facts: Facts, label: Phrase) -> FactQuestion:
    return FactQuestion(
        name="card",
        field="card",
        kind=FactKind.CARD,
        label=label,
        answer=facts.get("card", ""),
        with_suit=not felt.settings.faces_by_rank,
    )


def _none_face_down(felt: TableInTrouble) -> Phrase | None:
    cards = felt.cards()
    all_up = felt.dealing and felt.settings.face_down and all(each.card is not None for each in cards)
    return phrase("guide.no_card_down") if all_up else None


def _probe_face_up(felt: TableInTrouble) -> Iterator[Fields]:
    """A card that the shoe cannot have is raised, so any will do."""
    down = [each.place for each in felt.cards() if each.card is None and not each.early]
    yield from ({"place": place, "card": Face.ACE_SPADES} for place in down or [0])


def _ask_at_once(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    raised, dealt = _raised_card(felt), len(felt.round.cards) if felt.round is not None else 0
    least = {"0": 2, "1": 1}.get(facts.get("entered") or "0", 0)
    preset = _BOTH_UNSEEN if felt.sealed and least == 2 else ""
    yield cards_question(
        felt, facts, phrase("guide.cards.at_once"), preset=preset, least=max(least, bool(raised)), fixed=raised
    )
    if dealt:
        picks = (
            FactPick("0", phrase("guide.entered.none"), {}),
            *(FactPick(str(n), phrase("guide.entered", cards=n), {"entered": n}) for n in range(1, dealt + 1)),
        )
        yield choice_question(facts, "entered", phrase("guide.entered_too"), picks, preset="0")


def _probe_at_once(felt: TableInTrouble) -> Iterator[Fields]:
    first = _first_card(felt)
    yield {"cards": (first, None)}
    dealt = len(felt.round.cards) if felt.round is not None else 0
    yield {"cards": (first,) if _raised_card(felt) else (), "entered": max(2, dealt)}
    yield {"cards": (first,), "entered": min(1, dealt)}


def _ask_order(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    now = felt.round
    lost = now.irregularities.order_lost if now is not None else ()
    yield FactQuestion(
        name="places",
        field="order",
        kind=FactKind.ORDER,
        label=phrase("guide.drawn_order"),
        answer=facts.get("places", ""),
        cards=tuple(each for each in felt.cards() if each.place in lost),
    )


def _probe_order(felt: TableInTrouble) -> Iterator[Fields]:
    now = felt.round
    lost = now.irregularities.order_lost if now is not None else ()
    yield {"order": next(lawful_orders(felt.book, felt.table, lost), lost) if lost else ()}


def _ask_another_shoe(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    known: Fields = {}
    if felt.shoes:
        offered = {f"shoe:{each.fields['shoe']}": each for each in felt.shoes}
        picks = (FactPick(key, each.label, each.fields) for key, each in offered.items())
        others = FactPick(_ANY_OTHER, phrase("dialog.shoe_other"), {})
        which = choice_question(
            facts, "which", phrase("dialog.which_shoe"), (*picks, others), preset=next(iter(offered))
        )
        yield which
        known = offered[which.answer].fields if which.answer in offered else {}
    if "shoe" not in known:
        yield preset_question(facts, "shoe", FactKind.TEXT, phrase("guide.shoe"), another_shoe(felt.table))
    if "decks" not in known:
        yield _ask_decks(felt, facts)
    when = (
        FactPick("next", phrase("guide.shoe.next"), {}),
        FactPick("now", phrase("guide.shoe.now"), {"now": True}),
    )
    yield choice_question(facts, "when", phrase("guide.shoe_when"), when, preset="next")


def _ask_decks(felt: TableInTrouble, facts: Facts) -> FactQuestion:
    decks, shoe = felt.book.decks, felt.table.shoe
    picks = tuple(FactPick(str(n), phrase("guide.decks", decks=n), n) for n in range(decks.least, decks.most + 1))
    preset = str(shoe.decks) if shoe is not None else ""
    return choice_question(facts, "decks", phrase("guide.how_many_decks"), picks, field="decks", preset=preset)


def _probe_another_shoe(felt: TableInTrouble) -> Iterator[Fields]:
    shoe = felt.table.shoe
    yield {"shoe": another_shoe(felt.table), "decks": felt.book.decks.least if shoe is None else shoe.decks}


def _ask_dealing_error(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    yield reason_question(
        facts, _FELL, phrase("guide.reason.wrong_place"), phrase("guide.reason.touched"), _SWEPT, needed=True
    )
    yield from _ask_doubt(felt, facts)


def _with_reason(_: TableInTrouble) -> Iterator[Fields]:
    yield {"reason": SOME_REASON}


# ---- the shoe


def _ask_foreign(_: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    yield reason_question(facts, phrase("guide.reason.other_back"), phrase("guide.reason.other_game"))


def _ask_extra_copy(_: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    yield reason_question(facts, phrase("guide.reason.extra_copy"))


def _ask_too_few(_: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    yield reason_question(facts, phrase("guide.reason.too_few"))


def _ask_not_shuffled(_: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    yield reason_question(facts, phrase("guide.reason.in_order"))


def _ask_inspection(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    waiting = (shoe for shoe, check in felt.table.taken_off.items() if check is ShoeCheck.OPEN)
    picks = tuple(FactPick(shoe, phrase("guide.shoe_named", shoe=shoe), shoe) for shoe in waiting)
    yield choice_question(facts, "shoe", phrase("guide.which_shoe"), picks, field="shoe")
    yield reason_question(facts, phrase("guide.reason.complete"), phrase("guide.reason.card_replaced"), needed=True)


def _no_shoe_waits(felt: TableInTrouble) -> Phrase | None:
    waits = ShoeCheck.OPEN in felt.table.taken_off.values()
    return None if waits else phrase("guide.no_shoe_waits")


def _probe_inspection(felt: TableInTrouble) -> Iterator[Fields]:
    waiting = [shoe for shoe, check in felt.table.taken_off.items() if check is ShoeCheck.OPEN]
    yield from ({"shoe": shoe, "reason": SOME_REASON} for shoe in waiting or [NOBODY])


def _ask_run_out(_: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    yield reason_question(facts)


# ---- what the table or the server did by itself


def _ask_dismissal(_: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    yield reason_question(facts, phrase("guide.reason.misread"), phrase("guide.reason.not_drawn"), needed=True)


def _ask_slip(_: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    yield reason_question(facts, phrase("guide.reason.slip"))


def _probe_take_back(felt: TableInTrouble) -> Iterator[Fields]:
    shoe = felt.table.shoe
    yield {"shoe": shoe.id if shoe is not None else NOBODY, "draw": shoe.drawn if shoe is not None else 0, "card": None}


def _ask_take_back(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    (fields,) = _probe_take_back(felt)
    only = (FactPick("last", phrase("guide.take_back.last"), fields),)
    yield choice_question(facts, "entry", phrase("guide.take_back"), only)
    yield from _ask_slip(felt, facts)


def _nothing_to_take_back(felt: TableInTrouble) -> Refusal | None:
    if felt.raised is None:
        return refuse(felt.book, TableCode.NOTHING_RAISED)
    return refuse(felt.book, TableCode.NOTHING_TO_CORRECT, variant="sealed") if felt.sealed else None


def _ask_interruption(_: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    yield reason_question(
        facts,
        phrase("guide.reason.power"),
        phrase("guide.reason.system"),
        phrase("guide.reason.alarm"),
    )


EXCESS = TroubleAct("excess", (reports.ReportExcessCard,), _ask_excess, _probe_excess)
WRONG_NUMBER = TroubleAct("wrong_number", (reports.ReportWrongNumber,), _ask_wrong_number, _probe_wrong_number)
WRONG_SIDE = TroubleAct("wrong_side", (reports.ReportWrongSide,), _ask_wrong_side, _probe_wrong_side)
FACE_UP = TroubleAct("face_up", (reports.ReportFaceUpCard,), _ask_face_up, _probe_face_up, _none_face_down)
AT_ONCE = TroubleAct("at_once", (reports.ReportSimultaneousCards,), _ask_at_once, _probe_at_once)
RULE_ORDER = TroubleAct("rule_order", (reports.RuleCardOrder,), _ask_order, _probe_order)
REPLACE_SHOE = TroubleAct("replace_shoe", (reports.ReplaceShoe,), _ask_another_shoe, _probe_another_shoe)
DEALING_ERROR = TroubleAct("dealing_error", (reports.ReportDealingError,), _ask_dealing_error, _with_reason)
FOREIGN_CARD = TroubleAct("foreign_card", (reports.ReportForeignCard,), _ask_foreign)
EXTRA_COPY = TroubleAct("extra_copy", (reports.ReportCardCount, reports.ReportForeignCard), _ask_extra_copy)
TOO_FEW = TroubleAct("too_few", (reports.ReportCardCount,), _ask_too_few)
NOT_SHUFFLED = TroubleAct("not_shuffled", (reports.ReportNotShuffled,), _ask_not_shuffled)
INSPECT_SHOE = TroubleAct("inspect_shoe", (reports.InspectShoe,), _ask_inspection, _probe_inspection, _no_shoe_waits)
RUNS_OUT = TroubleAct("runs_out", (reports.ReportShoeRunOut,), _ask_run_out)
DISMISS = TroubleAct("dismiss", (reports.DismissIrregularity,), _ask_dismissal, _with_reason)
TAKE_BACK = TroubleAct("take_back", (CorrectCard,), _ask_take_back, _probe_take_back, _nothing_to_take_back)
INTERRUPTION = TroubleAct("interruption", (reports.ReportInterruption,), _ask_interruption)
RESUME = TroubleAct("resume", (reports.ResumeRound,))
