"""What can be done about bets and people: choices, late bets, missed insurance, rulings, slips."""

from collections.abc import Iterator

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money
from punto.rules.coup.cards import Card, Face
from punto.rules.coup.table_of_play import Side
from punto.rules.money import write_amount
from punto.rules.refusals import Refusal
from punto.rules.topics import Topic
from punto.table import decide
from punto.table.play.claims import claimed_sides, claims
from punto.table.play.seating import has_stakes
from punto.table.procedure.trouble.acts import Fields, TroubleAct
from punto.table.procedure.trouble.card_acts import card_question
from punto.table.procedure.trouble.felt import NO_PLAYER, NOBODY, SOME_REASON, TableInTrouble
from punto.table.procedure.trouble.questions import (
    FactKind,
    FactPick,
    FactQuestion,
    Facts,
    choice_question,
    preset_question,
    reason_question,
)
from punto.table.records import reports
from punto.table.records.commands import MAX_COUNTED, DealCard, Leave
from punto.table.records.corrections import CorrectOption
from punto.table.records.events import InsuranceMissed
from punto.table.records.identity import Place
from punto.table.records.kinds import Choice, Effect, Late
from punto.table.records.positions import Position
from punto.table.records.state import BetKey, PlacedBet
from punto.table.refusals import TableCode, refuse

NO_BET: BetKey = (NO_PLAYER, 1, "player")


def _key_text(key: BetKey) -> str:
    who, box, bet = key
    return f"{box}:{bet}:{who}"


def _bet_label(key: BetKey, stake_minor: int) -> Phrase:
    who, box, bet = key
    place, amount = Place.find(who), Money(stake_minor)
    if place is not None and place.box == box:  # the place names its box
        return phrase("dialog.bet_at", who=who, bet=bet, amount=amount)
    return phrase("dialog.bet_of", who=who, box=box, bet=bet, amount=amount)


def _bet_fields(key: BetKey) -> Fields:
    return dict(zip(("who", "box", "bet"), key, strict=True))


def _person(who: str) -> Phrase:
    return phrase("dialog.person", who=who)


def _stakes(felt: TableInTrouble) -> dict[BetKey, int]:
    """The bets and the insurance of the round, settled or not."""
    now = felt.table.round
    if now is None:
        return {}
    stakes = {key: placed.stake_minor for key, placed in now.bets.items()}
    for covered in now.insurance.cover:
        stakes[covered.key] = stakes.get(covered.key, 0) + covered.stake_minor
    return stakes


# ---- the players choose


def _waiting_for(felt: TableInTrouble) -> tuple[str, ...]:
    options = felt.round.irregularities.options if felt.round is not None else None
    return options.waiting_for if options is not None else ()


def _choice_picks() -> tuple[FactPick, ...]:
    return tuple(FactPick(choice, phrase("guide.choice", choice=choice), choice.value) for choice in Choice)


def _ask_choice(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    people = tuple(FactPick(who, _person(who), who) for who in _waiting_for(felt))
    yield choice_question(facts, "who", phrase("guide.who"), people, field="who")
    yield choice_question(facts, "choice", phrase("guide.wants"), _choice_picks(), field="choice")


def _probe_choice(felt: TableInTrouble) -> Iterator[Fields]:
    yield from ({"who": who, "choice": Choice.CONTINUE} for who in _waiting_for(felt) or (NO_PLAYER,))


def _no_options(felt: TableInTrouble) -> Refusal | None:
    return felt.refusal_of(reports.CallTime, {})


def _ask_took_back(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    """Where only cards are recorded, nobody says who took their bets back."""
    if felt.settings.cards_only:
        yield FactQuestion(
            name="took_back",
            field="took_back",
            kind=FactKind.NUMBER,
            label=phrase("guide.took_back"),
            answer=facts.get("took_back", ""),
            optional=True,
            most=MAX_COUNTED,
        )


def _choices_made(felt: TableInTrouble) -> dict[str, Choice]:
    return felt.round.irregularities.choices if felt.round is not None else {}


def _no_choices(felt: TableInTrouble) -> Phrase | None:
    return None if _choices_made(felt) else phrase("guide.no_choices")


def _ask_other_choice(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    refused = {fields["who"]: felt.refusal_of(CorrectOption, fields) for fields in _other_choices(felt)}
    people = tuple(FactPick(who, _person(who), who, why_not=refusal) for who, refusal in refused.items())
    yield choice_question(facts, "who", phrase("guide.who"), people, field="who")
    yield choice_question(facts, "choice", phrase("guide.really_wants"), _choice_picks(), field="choice")


def _other_choices(felt: TableInTrouble) -> Iterator[Fields]:
    for who, choice in _choices_made(felt).items():
        yield {"who": who, "choice": Choice.RETURN if choice is Choice.CONTINUE else Choice.CONTINUE}


def _probe_other_choice(felt: TableInTrouble) -> Iterator[Fields]:
    yield from _other_choices(felt) if _choices_made(felt) else [{"who": NO_PLAYER, "choice": Choice.CONTINUE}]


# ---- chips that move after the close


def _ask_late_bet(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    bets = {} if felt.round is None else felt.round.bets
    moved = (
        FactPick(Late.PLACED, phrase("guide.late.placed"), Late.PLACED.value),
        *(
            FactPick(late, label, late.value)
            for late, label in (
                (Late.INCREASED, phrase("guide.late.increased")),
                (Late.WITHDRAWN, phrase("guide.late.withdrawn")),
            )
            if bets
        ),
    )
    tried = choice_question(facts, "tried", phrase("guide.late"), moved, field="tried")
    yield tried
    stake = ""
    if tried.answer == Late.PLACED:
        yield from _ask_new_bet(felt, facts)
    elif tried.answer:
        picks = tuple(
            FactPick(_key_text(key), _bet_label(key, each.stake_minor), _bet_fields(key)) for key, each in bets.items()
        )
        bet = choice_question(facts, "bet", phrase("guide.which_bet"), picks)
        yield bet
        staked = {_key_text(key): each.stake_minor for key, each in bets.items()}
        if tried.answer == Late.WITHDRAWN and bet.answer in staked:
            stake = write_amount(staked[bet.answer])
    yield preset_question(facts, "amount", FactKind.AMOUNT, phrase("guide.amount"), stake, field="amount_minor")


def _nobody_here(felt: TableInTrouble) -> Phrase | None:
    return None if felt.people() else phrase("guide.nobody_here")


def _ask_new_bet(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    people = tuple(FactPick(who, _person(who), who) for who in felt.people())
    who = choice_question(facts, "who", phrase("guide.who"), people, field="who")
    yield who
    boxes = tuple(FactPick(str(box), phrase("guide.box", box=box), box) for box in range(1, felt.settings.boxes + 1))
    own = felt.box_of(who.answer)
    yield choice_question(facts, "box", phrase("guide.which_box"), boxes, field="box", preset=str(own) if own else "")
    menu = felt.book.layouts[felt.settings.layout].menu
    picks = tuple(FactPick(bet, phrase("dialog.bet_named", bet=bet), bet) for bet in menu)
    yield choice_question(facts, "bet", phrase("guide.which_bet"), picks, field="bet")


def _probe_late_bet(felt: TableInTrouble) -> Iterator[Fields]:
    bets = list(felt.round.bets) if felt.round is not None else []
    menu = felt.book.layouts[felt.settings.layout].menu
    for who in felt.people()[:1] or (NO_PLAYER,):
        yield {"who": who, "box": 1, "bet": menu[0], "tried": Late.PLACED, "amount_minor": 1}
    yield from ({**_bet_fields(key), "tried": Late.WITHDRAWN, "amount_minor": 1} for key in bets[:1])


# ---- insurance that was not offered


def _ask_card_out(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    if not felt.settings.face_down:
        yield card_question(felt, facts, phrase("guide.card_out"))


def _probe_card_out(felt: TableInTrouble) -> Iterator[Fields]:
    shoe, carried = felt.table.shoe, felt.table.carried
    known = carried[0].card if carried else None
    left = next((card for card in Card if shoe is not None and shoe.has_left(Face(card))), Card.ACE_SPADES)
    yield {"card": None if felt.settings.face_down else known or Face(left)}


def _no_offer_due(felt: TableInTrouble) -> Refusal | Phrase | None:
    """None if the next card can be one that came before its offer. At a sealed shoe none does."""
    if felt.sealed:
        return phrase("guide.sealed_offers")
    (fields,) = _probe_card_out(felt)
    decision = decide(felt.book, felt.table, DealCard(NOBODY, Position.DEALER, **fields, not_offered=True))
    if isinstance(decision, Refusal):
        return decision
    is_missed = any(isinstance(event, InsuranceMissed) for event in decision)
    return None if is_missed else refuse(felt.book, TableCode.NO_INSURANCE_DUE, Topic.INSURANCE)


def _uninsured(felt: TableInTrouble) -> list[tuple[Fields, Refusal | None]]:
    """Every bet that could have been insured, with why it cannot be returned."""
    now = felt.table.round
    if now is None:
        keys: list[BetKey] = []
    elif felt.settings.cards_only:
        keys = [(str(Place(box)), box, side) for box in range(1, felt.settings.boxes + 1) for side in Side]
    else:
        keys = [key for key in now.bets if key[2] in set(Side)]
    found = []
    for who, box, side in keys or [NO_BET]:
        fields = {"who": who, "box": box, "side": Side(side)}
        found.append((fields, felt.refusal_of(reports.ReturnUninsuredBets, {**fields, "reason": SOME_REASON})))
    return found


def claim_lines(felt: TableInTrouble) -> tuple[Phrase, ...]:
    """Who decides, and what is owed to whom if they had meant to insure: with many bets their lines scroll."""
    settings = felt.settings
    if settings.cards_only:
        sides = claimed_sides(felt.book, felt.table)
        owed = tuple(phrase("claim.by_hand", side=side) for side in sides)
    else:
        owed = tuple(_claim(placed, settings.box_label(placed.box)) for placed in claims(felt.book, felt.table))
    return (phrase("claim.who_decides"), *owed)


def _claim(placed: PlacedBet, box: str) -> Phrase:
    place, amount = Place.find(placed.who), Money(placed.stake_minor)
    if place is not None and place.box == placed.box:  # the place names its box
        return phrase("claim.goes_back", who=placed.who, bet=placed.bet, amount=amount)
    return phrase("claim.goes_back_at_box", who=placed.who, box=box, bet=placed.bet, amount=amount)


def likely_uninsured(felt: TableInTrouble) -> str:
    return RETURN_BET.name if claimed_sides(felt.book, felt.table) else ""


def _ask_uninsured(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    stakes = _stakes(felt)
    picks = []
    for fields, refusal in _uninsured(felt):
        key = (fields["who"], fields["box"], fields["side"].value)
        if refusal is None:
            label = (
                _bet_label(key, stakes[key]) if key in stakes else phrase("guide.bet_at_box", box=key[1], bet=key[2])
            )
            picks.append(FactPick(_key_text(key), label, {**fields, "side": fields["side"].value}))
    yield choice_question(facts, "bet", phrase("guide.meant_to_insure"), tuple(picks))
    yield reason_question(facts, phrase("guide.reason.asked"), phrase("guide.reason.had_chips_ready"), needed=True)


def _probe_uninsured(felt: TableInTrouble) -> Iterator[Fields]:
    yield from ({**fields, "reason": SOME_REASON} for fields, _ in _uninsured(felt))


# ---- people who leave, errors of earlier rounds, rulings


def _with_stakes(felt: TableInTrouble) -> list[str]:
    return [who for who in sorted(felt.table.people) if has_stakes(felt.table, who)]


def _ask_leaving(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    refused = {who: felt.refusal_of(Leave, {"who": who}) for who in _with_stakes(felt)}
    picks = tuple(FactPick(who, _person(who), who, why_not=refusal) for who, refusal in refused.items())
    yield choice_question(facts, "who", phrase("guide.who"), picks, field="who")


def _probe_leaving(felt: TableInTrouble) -> Iterator[Fields]:
    yield from ({"who": who} for who in _with_stakes(felt))


def _nobody_has_stakes(felt: TableInTrouble) -> Phrase | None:
    return None if _with_stakes(felt) else phrase("guide.no_stakes")


def _no_earlier_round(felt: TableInTrouble) -> Phrase | None:
    return None if felt.table.round is not None and felt.table.round.number > 1 else phrase("guide.no_earlier_round")


def _ask_earlier_round(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    last = str(felt.table.round.number - 1) if felt.table.round is not None else ""
    yield preset_question(facts, "round", FactKind.NUMBER, phrase("guide.round"), last)
    yield reason_question(facts, phrase("guide.reason.card_misread"), phrase("guide.reason.mispaid"), needed=True)


def _probe_earlier_round(_: TableInTrouble) -> Iterator[Fields]:
    yield {"round": 1, "reason": SOME_REASON}


def _ask_ruling(felt: TableInTrouble, facts: Facts) -> Iterator[FactQuestion]:
    effects = {effect: _why_no_effect(felt, effect) for effect in Effect}
    picks = tuple(
        FactPick(effect, phrase("guide.effect", effect=effect), effect.value, why_not=why)
        for effect, why in effects.items()
    )
    effect = choice_question(facts, "effect", phrase("guide.ruling"), picks, field="effect")
    yield effect
    if effect.answer == Effect.RETURN:
        bets = tuple(
            FactPick(_key_text(key), _bet_label(key, minor), _bet_fields(key)) for key, minor in _stakes(felt).items()
        )
        answer = facts.get("bets", "")
        yield FactQuestion(
            name="bets", field="bets", kind=FactKind.BETS, label=phrase("guide.ruled_bets"), picks=bets, answer=answer
        )
    if effect.answer == Effect.ADJUST:
        people = tuple(FactPick(who, _person(who)) for who in felt.people())
        label, answer = phrase("guide.ruled_amounts"), facts.get("amounts", "")
        yield FactQuestion(
            name="amounts", field="amounts", kind=FactKind.AMOUNTS, label=label, picks=people, answer=answer
        )
    yield reason_question(facts, phrase("guide.reason.on_camera"), phrase("guide.reason.not_covered"), needed=True)


def _probe_effect(felt: TableInTrouble, effect: Effect) -> Iterator[Fields]:
    ruling = {"reason": SOME_REASON, "effect": effect}
    if effect is Effect.RETURN:
        for key in _stakes(felt) or (NO_BET,):
            yield {**ruling, "bets": (reports.RuledBet(*key),)}
    elif effect is Effect.ADJUST:
        yield from ({**ruling, "amounts": {who: 1}} for who in felt.people() or (NO_PLAYER,))
    else:
        yield ruling


def _why_no_effect(felt: TableInTrouble, effect: Effect) -> Refusal | Phrase | None:
    """None if the table would accept some ruling with this effect."""
    refusals = [felt.refusal_of(reports.Rule, fields) for fields in _probe_effect(felt, effect)]
    if None in refusals:
        return None
    if effect is Effect.ADJUST and (nobody := _nobody_here(felt)):
        return nobody
    return phrase("guide.no_stakes") if effect is Effect.RETURN and not _stakes(felt) else refusals[0]


def _probe_ruling(felt: TableInTrouble) -> Iterator[Fields]:
    for effect in Effect:
        yield from _probe_effect(felt, effect)


CHOOSE = TroubleAct("choose", (reports.ChooseOption,), _ask_choice, _probe_choice, _no_options)
CALL_TIME = TroubleAct("call_time", (reports.CallTime,), _ask_took_back)
CORRECT_CHOICE = TroubleAct("correct_choice", (CorrectOption,), _ask_other_choice, _probe_other_choice, _no_choices)
LATE_BET = TroubleAct("late_bet", (reports.ReportLateBet,), _ask_late_bet, _probe_late_bet, _nobody_here)
CARD_OUT = TroubleAct("card_out", (DealCard,), _ask_card_out, _probe_card_out, _no_offer_due, {"not_offered": True})
LATE_OFFER = TroubleAct("late_offer", (reports.OfferLateInsurance,))
RETURN_BET = TroubleAct("return_bet", (reports.ReturnUninsuredBets,), _ask_uninsured, _probe_uninsured)
LEAVES = TroubleAct("leaves", (Leave,), _ask_leaving, _probe_leaving, _nobody_has_stakes)
EARLIER_ROUND = TroubleAct(
    "earlier_round", (reports.ReportLaterError,), _ask_earlier_round, _probe_earlier_round, _no_earlier_round
)
RULING = TroubleAct("ruling", (reports.Rule,), _ask_ruling, _probe_ruling)
