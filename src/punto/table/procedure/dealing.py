"""The moments from the close of betting to the result: drawing and turning cards, squeezing, insurance."""

from collections.abc import Iterator

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Odds
from punto.rules.bets.insurance import InsuranceLine, Stage
from punto.rules.bets.pay_lines import Result, decided
from punto.rules.coup.coup import Coup
from punto.rules.coup.explanation import explain
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table.decision import coup_of
from punto.table.play.claims import claims, winning_lines
from punto.table.play.opening import shoe_empty
from punto.table.play.places import side_of
from punto.table.play.squeezing import highest_bettor, squeezer_of
from punto.table.procedure.betting import closed_keys
from punto.table.procedure.between_rounds import burning, result_phrase, shoe_warnings
from punto.table.procedure.scene import (
    CardEntry,
    ConsoleKey,
    ConsoleMoment,
    KeyAction,
    MomentName,
    Question,
    QuestionAnswer,
    Scene,
    body_of,
    card_entry,
    giving,
    lowest_position,
)
from punto.table.procedure.squeeze import squeeze_keys, squeeze_lines
from punto.table.records.commands import (
    DealCard,
    OpenInsurance,
    Settle,
    SqueezeCard,
    TurnCard,
    WaiveThirdCardInsurance,
)
from punto.table.records.positions import Position
from punto.table.records.reports import OfferLateInsurance, ReportShoeRunOut, ReportSimultaneousCards
from punto.table.situation import SituationKind, needs_card

_FACE_DOWN_ORDER = {1: 0, 3: 1, 2: 2, 4: 3}
"""Player's two cards are turned before Banker's."""
_NAMES = (MomentName.CLOSED, MomentName.CARDS, MomentName.CARDS, MomentName.CARDS, MomentName.THIRD, MomentName.THIRD)


def dealing(scene: Scene) -> ConsoleMoment:
    found, coup = scene.situation, coup_of(scene.book, scene.table)
    if found.line is not None:
        insurance = _offered if found.kind is SituationKind.INSURANCE else _insurance_due
        return insurance(scene, coup, found.line)
    match found.kind:
        case SituationKind.FINISHED:
            return _result(scene, coup)
        case SituationKind.BURNING:
            return burning(scene)
        case SituationKind.TURNING | SituationKind.SQUEEZING:
            return _turn(scene, coup)
    return _draw(scene, coup)


# ---- drawing


def _draw(scene: Scene, coup: Coup) -> ConsoleMoment:
    if shoe_empty(scene.table):
        return _beyond_count(scene, coup)
    drawn, to = len(coup.cards), coup.next.to
    third = drawn >= len(_FACE_DOWN_ORDER)
    space, card = _next_card(scene)
    return ConsoleMoment(
        name=_NAMES[drawn],
        now=phrase("console.now.card_for", side=to.value)
        if third
        else phrase("console.now.first_four", card=drawn + 1, side=to.value),
        why=(*((*_missed(scene), _why(coup)) if third else _closed_why(scene)), *squeeze_lines(scene)),
        say=phrase("console.say.card_for", side=to.value)
        if third
        else phrase("console.say.no_more_bets")
        if drawn == 0
        else None,
        clauses=(*coup.next.clauses, *(scene.clauses(Topic.LATE_WITHDRAWAL) if drawn == 0 else ())),
        space=space,
        card=card,
        keys=(*_late_offer(scene), *closed_keys(scene), *_waiver(scene)),
        questions=_at_once(scene, card),
        wanted=drawn + 1,
    )


def _beyond_count(scene: Scene, coup: Coup) -> ConsoleMoment:
    """A card is needed and the count says that there is none. A card that comes out all the same is entered."""
    space, card = _next_card(scene)
    return ConsoleMoment(
        name=_NAMES[len(coup.cards)],
        now=phrase("console.now.shoe_empty"),
        why=(*_missed(scene), *_shoe_empty_why(scene), _why(coup)),
        say=phrase("console.say.one_moment"),
        clauses=scene.clauses(Topic.SHOE_RUN_OUT, *(() if scene.sealed else (Topic.CARD_COUNT,))),
        who=(lowest_position(ReportShoeRunOut, scene.table.settings),),
        space=space,
        card=card,
        keys=(*_late_offer(scene), *_unseen_key(scene), *closed_keys(scene)),
        wanted=len(coup.cards) + 1,
        tone="trouble",
    )


def _shoe_empty_why(scene: Scene) -> tuple[Phrase, ...]:
    if not shoe_empty(scene.table):
        return ()
    return (phrase("console.why.shoe_empty" if scene.sealed else "console.why.shoe_empty_felt"),)


def _unseen_key(scene: Scene) -> tuple[ConsoleKey, ...]:
    """Where cards lie face down, a key says that one came out although the count leaves none."""
    if not (shoe_empty(scene.table) and scene.settings.felt and scene.settings.face_down):
        return ()
    action = giving(scene, DealCard, place=_next_place(scene))
    return (ConsoleKey("A", phrase("console.key.card_beyond_count"), action),)


def _why(coup: Coup) -> Phrase:
    """Why the next card is drawn, or why none is."""
    return explain(coup)[1].why


def _closed_why(scene: Scene) -> tuple[Phrase, ...]:
    return () if scene.round.cards else tuple(shoe_warnings(scene))


def _next_card(scene: Scene) -> tuple[ConsoleKey | None, CardEntry | None]:
    """How the next card gets onto the table: by Space where nobody has to say which card it is, else by its rank."""
    table = scene.table
    place = _next_place(scene)
    if shoe_empty(table):  # no key voids a round: the guide does, with a supervisor
        guide = ConsoleKey("Space", phrase("console.key.shoe_empty"), KeyAction(page="guide"))
        typed = not (scene.sealed or scene.settings.face_down)
        return guide, card_entry(scene, body_of(DealCard, place=place)) if typed else None
    if scene.settings.face_down and not table.carried:
        return _unseen(scene, place), None
    if scene.sealed or not needs_card(table):
        return ConsoleKey("Space", phrase("console.key.deal"), giving(scene, DealCard, place=place)), None
    return None, card_entry(scene, body_of(DealCard, place=place))


def _unseen(scene: Scene, place: int) -> ConsoleKey:
    """One press for what is left of the first four cards, which nobody turns before all lie there."""
    first = len(_FACE_DOWN_ORDER)
    if place >= first:
        return ConsoleKey("Space", phrase("console.key.deal_unseen"), giving(scene, DealCard, place=place))
    commands = tuple(body_of(DealCard, place=each) for each in range(place, first + 1))
    return ConsoleKey("Space", phrase("console.key.deal_four", cards=len(commands)), KeyAction(give=commands))


def _next_place(scene: Scene) -> int:
    """Where the next card lies, counted from 1. Two consoles at one table send it, so a card counts once."""
    return len(coup_of(scene.book, scene.table).cards) + 1


# ---- turning and squeezing


def _turn(scene: Scene, coup: Coup) -> ConsoleMoment:
    """Cards lie face down. Those that a player squeezes come back from the player."""
    now, settings = scene.round, scene.settings
    down = sorted((place for place, card in enumerate(now.cards, 1) if card is None), key=_turning_order)
    if now.insurance.waived:
        down.reverse()  # Banker's third card is opened first
    held = {place: squeezer_of(now, coup, place) for place in down if place not in now.squeezed}
    waiting = [place for place in down if held.get(place)]
    if not settings.felt:  # players open their cards on their own screens
        down = [place for place in down if not held.get(place)]
    if not down:
        return _waiting(scene, held[waiting[0]] or "")
    place = down[0]
    side, squeezer = side_of(coup, place), held.get(place)
    known = scene.sealed or place in scene.scanned
    together = squeezer is not None and place <= len(_FACE_DOWN_ORDER)
    turn = body_of(TurnCard, place=place, **({"order_unseen": True} if together else {}))
    commands = (body_of(SqueezeCard, place=place, who=squeezer), turn) if squeezer else (turn,)
    return ConsoleMoment(
        name=MomentName.SQUEEZE if squeezer else MomentName.TURN,
        now=_turn_phrase(side, place),
        why=tuple(squeeze_lines(scene)),
        clauses=scene.clauses(Topic.SQUEEZE) if squeezer else coup.next.clauses,
        space=ConsoleKey("Space", phrase("console.key.turn"), KeyAction(give=commands)) if known else None,
        card=None if known else card_entry(scene, *commands),
        keys=(*_waiver(scene), *closed_keys(scene)),
        wanted=place,
    )


def _turning_order(place: int) -> int:
    return _FACE_DOWN_ORDER.get(place, place)


def _turn_phrase(side: Side | None, place: int) -> Phrase:
    if side is None:
        return phrase("console.now.turn_place", place=place)
    if place > len(_FACE_DOWN_ORDER):
        return phrase("console.now.turn_third", side=side.value)
    return phrase("console.now.turn", side=side.value, card=(place + 1) // 2)


def _waiting(scene: Scene, who: str) -> ConsoleMoment:
    return ConsoleMoment(
        name=MomentName.SQUEEZE,
        now=phrase("console.now.squeezing", who=who),
        why=tuple(squeeze_lines(scene)),
        clauses=scene.clauses(Topic.SQUEEZE),
        who=(Position.PLAYER,),
        keys=(*squeeze_keys(scene), *_waiver(scene)),
    )


def _waiver(scene: Scene) -> Iterator[ConsoleKey]:
    highest = highest_bettor(scene.table)
    if highest is not None and scene.may(WaiveThirdCardInsurance):
        action = giving(scene, WaiveThirdCardInsurance, who=highest)
        yield ConsoleKey("W", phrase("console.key.waiver"), action)


# ---- insurance


def _insurance_due(scene: Scene, coup: Coup, line: InsuranceLine) -> ConsoleMoment:
    space, card = _next_card(scene)
    question = _offer_question(scene) if card is not None else None
    first = (*_insurance_key(scene), *_not_offered_key(scene, space), *_late_offer(scene))
    return ConsoleMoment(
        name=MomentName.INSURANCE_DUE,
        now=phrase("console.now.insurance_due", side=line.side),
        why=(*_missed(scene), _points(coup), _why(coup), *squeeze_lines(scene)),
        say=phrase("console.say.insurance", side=line.side, odds=Odds(line.odds_text)),
        clauses=(line.clause, *scene.clauses(Topic.INSURANCE)),
        space=ConsoleKey("Space", phrase("console.key.offered"), giving(scene, OpenInsurance)),
        card=card_entry(scene, ask=question.id) if question else None,
        keys=_with_first(first, closed_keys(scene)),
        questions=(question,) if question else (),
        wanted=len(coup.cards) + 1,
        tone=line.side.value,
    )


def _with_first(keys: tuple[ConsoleKey, ...], others: tuple[ConsoleKey, ...]) -> tuple[ConsoleKey, ...]:
    """A key that two things want is the first's: a squeeze can be refused once the offer is made."""
    taken = {key.key for key in keys}
    return (*keys, *(key for key in others if key.key not in taken))


def _offered(scene: Scene, coup: Coup, line: InsuranceLine) -> ConsoleMoment:
    """The offer stands: the next card closes it."""
    space, card = _next_card(scene)
    stage = phrase("console.why.next_card_closes")
    return ConsoleMoment(
        name=MomentName.INSURANCE,
        now=phrase("console.now.insurance", side=line.side),
        why=(
            *_shoe_empty_why(scene),
            _points(coup),
            stage,
            *((_why(coup),) if line.stage is Stage.FOUR else ()),
            *squeeze_lines(scene),
        ),
        say=phrase("console.say.insurance", side=line.side, odds=Odds(line.odds_text)),
        clauses=(line.clause, *scene.clauses(Topic.INSURANCE_CAP, Topic.INSURANCE_FORGONE)),
        space=space,
        card=card,
        keys=(*_insurance_key(scene), *_unseen_key(scene), *_waiver(scene), *closed_keys(scene)),
        wanted=len(coup.cards) + 1,
        tone=line.side.value,
    )


def _points(coup: Coup) -> Phrase:
    player, banker = coup.hand(Side.PLAYER).points, coup.hand(Side.BANKER).points
    return phrase("why.score", player=player, banker=banker)


def _insurance_key(scene: Scene) -> tuple[ConsoleKey, ...]:
    if scene.settings.cards_only:
        return ()
    return (ConsoleKey("I", phrase("console.key.insurance"), KeyAction(enter="insurance")),)


def _not_offered_key(scene: Scene, space: ConsoleKey | None) -> tuple[ConsoleKey, ...]:
    """Where no rank is typed, a key says that the card is out although nobody offered."""
    if space is None or scene.sealed or shoe_empty(scene.table):
        return ()
    return (
        ConsoleKey(
            "F", phrase("console.key.not_offered"), giving(scene, DealCard, not_offered=True, place=_next_place(scene))
        ),
    )


def _offer_question(scene: Scene) -> Question:
    """A card was typed while an offer was due."""
    deal = body_of(DealCard, place=_next_place(scene))
    return Question(
        id="offer",
        title=phrase("console.ask.offer"),
        text=phrase("console.ask.offer_text"),
        answers=(
            QuestionAnswer("Y", phrase("console.ask.offered_aloud"), (body_of(OpenInsurance), deal), "card"),
            QuestionAnswer("N", phrase("console.ask.not_offered"), ({**deal, "not_offered": True},), "card"),
            QuestionAnswer("Escape", phrase("console.ask.not_drawn")),
        ),
    )


def _at_once(scene: Scene, card: CardEntry | None) -> tuple[Question, ...]:
    """A scanner typed two cards within a blink."""
    if card is None or not card.give or not scene.book.has(Topic.SIMULTANEOUS_CARDS) or not scene.round.cards:
        return ()
    at_once = body_of(ReportSimultaneousCards, entered=1)
    return (
        Question(
            id="at_once",
            title=phrase("console.ask.at_once"),
            text=phrase("console.ask.at_once_text"),
            answers=(
                QuestionAnswer("Y", phrase("console.ask.one_by_one"), card.give, "card"),
                QuestionAnswer("N", phrase("console.ask.together"), (at_once,), "cards"),
                QuestionAnswer("Escape", phrase("console.ask.not_drawn")),
            ),
        ),
    )


# ---- the result


def _result(scene: Scene, coup: Coup) -> ConsoleMoment:
    won = [bet for bet in _menu(scene) if bet not in MAIN_BETS and decided(scene.book.bets[bet], coup) is Result.WIN]
    also = (phrase("console.why.also_win", bets=tuple(won)),) if won else ()
    natural = coup.natural
    topic = Topic.TIE if coup.winner is Winner.TIE else Topic.WINNER
    label = phrase("console.key.done") if scene.settings.cards_only else phrase("console.key.settle")
    return ConsoleMoment(
        name=MomentName.RESULT,
        now=phrase("console.now.result", outcome=coup.winner.value),
        why=(*_owed_nothing(scene, coup), _why(coup), *also),
        say=phrase("console.say.natural", natural=_natural(coup), result=result_phrase(scene))
        if natural
        else result_phrase(scene),
        clauses=scene.clauses(topic, *((Topic.NATURAL,) if natural else ())),
        space=ConsoleKey("Space", label, giving(scene, Settle)),
        card=None if scene.sealed or scene.settings.face_down else card_entry(scene, ask="unwanted"),
        keys=(*_late_offer(scene), *closed_keys(scene)),
        questions=() if scene.sealed or scene.settings.face_down else (_unwanted(scene),),
        tone=coup.winner.value,
    )


def _unwanted(scene: Scene) -> Question:
    """The Table of Play calls for no further card: nothing that is typed deals one without a question."""
    deal = body_of(DealCard, place=_next_place(scene))
    return Question(
        id="unwanted",
        title=phrase("console.ask.unwanted"),
        text=phrase("console.ask.unwanted_text"),
        answers=(
            QuestionAnswer("Y", phrase("console.ask.on_the_felt"), (deal,), "card"),
            QuestionAnswer("Escape", phrase("console.ask.not_on_the_felt")),
        ),
    )


def _late_offer(scene: Scene) -> tuple[ConsoleKey, ...]:
    """Insurance that was not offered can still be offered, by the pit manager: the guide shows what follows."""
    if not scene.may(OfferLateInsurance):
        return ()
    return (ConsoleKey("V", phrase("console.key.late_offer"), KeyAction(page="guide")),)


def _missed(scene: Scene) -> tuple[Phrase, ...]:
    return tuple(
        phrase("console.why.missed_some" if each.players else "console.why.missed", side=each.side)
        for each in scene.round.insurance.missed
    )


def _owed_nothing(scene: Scene, coup: Coup) -> Iterator[Phrase]:
    """At the end of a coup: what becomes of insurance that was not offered. At a felt table nothing is owed by now."""
    now = scene.round
    for missed in now.insurance.missed:
        side = missed.side
        if missed not in (each for each, _ in winning_lines(scene.book, now, coup, side)):
            yield phrase("console.why.missed_lost", side=side)
        elif any(placed.bet == side for placed in claims(scene.book, scene.table)):
            yield phrase("console.why.missed", side=side)
        elif any(bet == side for _, _, bet in now.insurance.returned_uninsured):
            yield phrase("console.why.missed_returned", side=side)
        else:
            yield phrase("console.why.missed_by_nobody", side=side)


def _menu(scene: Scene) -> tuple[str, ...]:
    return scene.book.layouts[scene.settings.layout].menu


def _natural(coup: Coup) -> Phrase:
    """The higher natural; of two alike, Player's."""
    player, banker = coup.hand(Side.PLAYER).points or 0, coup.hand(Side.BANKER).points or 0
    side, points = (Side.PLAYER, player) if player >= banker else (Side.BANKER, banker)
    return phrase("console.say.natural_of", side=side.value, points=points)
