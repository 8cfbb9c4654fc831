"""Random moves at a table, for any source of randomness."""

import msgspec

from punto.rules.coup.coup import Coup
from punto.rules.settlement.stakes import MAIN_BETS
from punto.table.moves.legal_move import LegalMove
from punto.table.records import commands, corrections, reports
from punto.table.records.commands import Command
from punto.table.records.identity import is_plain_name
from punto.table.records.kinds import Choice
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from tests.model import finishing, slips, troubles
from tests.model.choices import IDS, KINDS, PEOPLE, Choices
from tests.model.evening import AMOUNTS, Evening

DEALER = ("del", Position.DEALER)
SUPERVISOR = ("sue", Position.PIT_SUPERVISOR)
MANAGER = ("cas", Position.CASINO_MANAGER)
"""Acts for the house under any settings."""
HOUSE = ("house", Position.HOUSE)
PLAYERS = tuple((who, Position.PLAYER) for who in PEOPLE)


def open_with_people(evening: Evening, some: Choices) -> None:
    """Open a table with a shoe and up to four people at two boxes."""
    evening.do(some.opening(evening.table))
    decks = some.number(evening.rules.decks.least, evening.rules.decks.most)
    evening.do(commands.LoadShoe(*SUPERVISOR, some.shoe(), decks))
    newcomers(evening, some)


def newcomers(evening: Evening, some: Choices) -> None:
    """People without chips buy some and take a place; with few boxes they share them."""
    for at, who in enumerate(PEOPLE):
        if evening.table.chips_minor(who) or some.chance(4):
            continue
        evening.do(commands.BuyIn(*DEALER, who, some.pick((100, 1000, 20_000))))
        place = commands.Sit if at < 2 else commands.StandBehind
        evening.do(place(who, Position.PLAYER, who, some.number(1, 2)))


def anything(evening: Evening, some: Choices) -> None:
    command = some.any_command(evening.table)
    evening.check_no_amounts(command)
    evening.check_other_books(command)
    evening.do(command)


def something_legal(evening: Evening, some: Choices) -> None:
    options = evening.check_options(*some.actor())
    if options:
        evening.do(_chosen(evening, some, options))


def a_bet(evening: Evening, some: Choices) -> None:
    """Several bets by players who may place them; sometimes a player changes one again."""
    for _ in range(some.number(1, 5)):
        _take_up(evening, some, commands.PlaceBet)
        evening.check()
    if some.chance(4):
        _take_up(evening, some, commands.WithdrawBet)


def people_change_their_bets(evening: Evening, some: Choices) -> None:
    """Those at one box bet on one side, raise and withdraw in turns; at the felt the excess may be rejected."""
    table, now = evening.table, evening.table.round
    if table.phase is not Phase.BETTING or now is None or not table.seats:
        return
    box, bet = some.pick(sorted(table.seats)), some.pick(sorted(MAIN_BETS))
    for who in sorted(table.people - {table.seats[box]}):
        evening.do(commands.StandBehind(who, Position.PLAYER, who, box))
    people = [table.seats[box], *sorted(who for who, boxes in evening.table.behind.items() if box in boxes)]
    for _ in range(some.number(3, 12)):
        who = some.pick(people)
        by = DEALER if evening.books.felt else (who, Position.PLAYER)
        if (who, box, bet) in evening.books.stakes and some.chance(4):
            evening.do(commands.WithdrawBet(*by, who, box, bet, some.number(1, 120)))
        else:
            evening.do(commands.PlaceBet(*by, who, box, bet, some.number(1, 120)))
        evening.check()
    if some.chance(2):
        evening.do(commands.RejectExcess(*DEALER, box, some.pick((None, None, bet))))
        evening.check()


def insurance(evening: Evening, some: Choices) -> None:
    for _ in range(some.number(1, 3)):
        if some.chance(3):
            _take_up(evening, some, commands.CallInsurance, DEALER)
        else:
            _take_up(evening, some, commands.TakeInsurance)
    if some.chance(4):
        evening.do(commands.CloseInsurance(*DEALER))


def a_squeeze(evening: Evening, some: Choices) -> None:
    """A request, the answer of the house, and the cards that the player then opens."""
    _take_up(evening, some, commands.RequestSqueeze)
    options = evening.check_options(*MANAGER)
    answers = (commands.GrantSqueeze, commands.RefuseSqueeze, commands.WaiveThirdCardInsurance)
    answers_given = tuple(option for option in options if isinstance(option.command, answers))
    if answers_given:
        command = _chosen(evening, some, answers_given)
        if isinstance(command, commands.GrantSqueeze):
            command = msgspec.structs.replace(command, standing=some.chance(3))
        evening.do(command)
    for _ in range(some.number(0, 2)):
        _take_up(evening, some, commands.SqueezeCard)


def _take_up(evening: Evening, some: Choices, kind: type[Command], *by: tuple[str, Position]) -> None:
    """Something that one of these people can do; without ``by``, one of the players."""
    people = by or tuple((who, Position.PLAYER) for who in sorted(evening.table.people))
    options = [option for each in people for option in evening.check_options(*each) if isinstance(option.command, kind)]
    main = [option for option in options if getattr(option.command, "bet", "") in MAIN_BETS]
    if main and some.chance(2):
        options = main
    if options:
        evening.do(_chosen(evening, some, tuple(options)))


def something_goes_wrong(evening: Evening, some: Choices) -> None:
    """A report or ruling by someone who may give it, and the players' choices; seldom one that ends the round."""
    kind = some.pick(tuple(troubles.MAKE))
    if kind in troubles.VOIDING and not some.chance(4):
        kind = some.pick(troubles.MISDEALS)
    by = HOUSE if kind in (reports.ReportRestart, reports.ExchangeShoe) else MANAGER
    evening.do(some.command(kind, *by, evening.table))
    evening.check()
    now = evening.table.round
    if now is not None and now.irregularities.order_lost and some.chance(2):
        evening.do(some.command(reports.RuleCardOrder, *SUPERVISOR, evening.table))
        evening.check()
    the_players_choose(evening, some)
    if now is not None and now.irregularities.order_lost and some.chance(2):
        evening.do(some.command(reports.RuleCardOrder, *SUPERVISOR, evening.table))
        evening.check()


def an_order_is_lost(evening: Evening, some: Choices) -> None:
    """Cards in doubt, with a hand or with none; then rulings, choices and other choices than were entered."""
    if evening.table.phase is not Phase.DEALING:
        return
    if some.chance(2):
        early = tuple(some.face(evening.table) for _ in range(2))
        evening.do(reports.ReportExcessCard(*MANAGER, early))
        evening.do(reports.CallTime(*SUPERVISOR))
    evening.do(troubles.lost_order(some, MANAGER, evening.table))
    evening.check()
    for _ in range(some.number(3, 6)):
        _settle_doubt(evening, some)
        evening.check()
        _other_choices(evening, some)


def an_order_comes_to_matter(evening: Evening, some: Choices) -> None:
    """The order of cards beyond a finished coup is lost. Then a card of the coup was another one."""
    now = evening.table.round
    if evening.table.phase is not Phase.DEALING or now is None or not Coup.of(evening.rules.space, now.cards).finished:
        return
    early, first = tuple(some.face(evening.table) for _ in range(2)), len(now.cards) + len(evening.table.carried) + 1
    if some.chance(2):
        evening.do(reports.ReportExcessCard(*MANAGER, early, reconstructable=False, reason="both fell"))
    else:
        evening.do(reports.ReportExcessCard(*MANAGER, early))
        places = (first, first + 1)
        evening.do(reports.ReportDealingError(*MANAGER, "mixed up", reconstructable=False, in_doubt=places))
    if some.chance(2):
        evening.do(reports.CallTime(*SUPERVISOR))
    for _ in range(2):
        at = some.number(0, min(4, len(now.cards)) - 1)
        card = some.face(evening.table)
        evening.do(corrections.CorrectCard(*MANAGER, now.shoes[at], now.draws[at], card))
        evening.check()


def _settle_doubt(evening: Evening, some: Choices) -> None:
    """Somebody rules, chooses or calls time; or the dealer goes on, a card was wrong, or there is a further error."""
    now = evening.table.round
    if evening.offer_stands and some.chance(2):
        insurance(evening, some)
    elif now is not None and now.irregularities.options is not None and not some.chance(6):
        the_players_choose(evening, some)
        _other_choices(evening, some)
        if some.chance(2):
            evening.do(reports.CallTime(*SUPERVISOR))
    elif now is not None and now.irregularities.order_lost and not some.chance(3):
        evening.do(some.command(reports.RuleCardOrder, *SUPERVISOR, evening.table))
    elif some.chance(3):
        evening.do(some.command(corrections.CorrectCard, *MANAGER, evening.table))
    elif some.chance(4):
        evening.do(troubles.lost_order(some, MANAGER, evening.table))
    elif evening.table.phase is Phase.DEALING:
        evening.do(finishing.forward(evening, some.pick))


def _other_choices(evening: Evening, some: Choices) -> None:
    """Some of those who chose are said to have chosen otherwise, in time or too late."""
    now = evening.table.round
    for who, choice in now.irregularities.choices.items() if now is not None else ():
        if some.chance(3):
            other = Choice.RETURN if choice is Choice.CONTINUE else Choice.CONTINUE
            evening.do(corrections.CorrectOption(*SUPERVISOR, who, other))
            evening.check()


def a_slip_is_corrected(evening: Evening, some: Choices) -> None:
    """A correction or two by somebody who may give them, in any phase."""
    for _ in range(some.number(1, 2)):
        kind = some.pick(slips.MOSTLY) if not some.chance(4) else some.pick(tuple(slips.MAKE))
        by = some.pick((MANAGER, MANAGER, SUPERVISOR, some.pick((DEALER, *PLAYERS))))
        evening.do(some.command(kind, *by, evening.table))
        evening.check()


def the_server_restarts(evening: Evening, some: Choices) -> None:
    evening.do(some.command(reports.ReportRestart, *HOUSE, evening.table))


def somebody_is_identified(evening: Evening, some: Choices) -> None:
    people = sorted(who for who in evening.table.people if is_plain_name(who))
    if people:
        evening.do(commands.IdentifyPlayer(*DEALER, some.pick(people), some.pick(IDS)))


def the_players_choose(evening: Evening, some: Choices) -> None:
    """All or some of the players who may choose; sometimes after they walked away."""
    now = evening.table.round
    options = now.irregularities.options if now is not None else None
    if options is not None and options.by_hand:
        evening.do(some.command(reports.CallTime, *SUPERVISOR, evening.table))
    for who in options.waiting_for if options is not None else ():
        if some.chance(10):
            evening.do(commands.Leave(who, Position.PLAYER, who))
        elif not some.chance(3):
            evening.do(some.command(reports.ChooseOption, who, Position.PLAYER, evening.table))
        evening.check()


def a_step_by_itself(evening: Evening, some: Choices) -> None:
    command = evening.check_step(some.pick)
    if command is not None:
        evening.do(command)


def the_dealer_goes_on(evening: Evening, some: Choices) -> None:
    """A few steps by those who have to take them."""
    if evening.table.phase is Phase.READY:
        newcomers(evening, some)
    for _ in range(some.number(1, 4)):
        command = _next_by_hand(evening, some)
        if isinstance(command, commands.CloseBetting) and not evening.books.stakes and not some.chance(4):
            a_bet(evening, some)  # after the call for bets, wait for some
        if isinstance(command, commands.CloseBetting) and some.chance(12):
            cards = evening.lawful_cards()
            card = None if evening.face_down or not cards else some.pick(cards)
            command = commands.DealCard(*DEALER, card, before_close=True)
        if isinstance(command, commands.OpenInsurance) and some.chance(3):
            cards = evening.lawful_cards()
            card = None if evening.face_down or not cards else some.pick(cards)
            command = commands.DealCard(*DEALER, card, not_offered=True)
        if evening.offer_stands and some.chance(2):
            insurance(evening, some)
        evening.do(command)
        evening.check()


def a_quiet_stretch(evening: Evening, some: Choices) -> None:
    """Sometimes rounds without a bet, towards the end of the shoe."""
    if not some.chance(4):
        return
    for _ in range(some.number(10, 60)):
        evening.do(_next_by_hand(evening, some))


def legal_lists_all_that_is_accepted(evening: Evening, some: Choices) -> None:
    """Try one command of each kind by the same person."""
    by, position = some.actor()
    options = evening.check_options(by, position)
    for kind in KINDS:
        evening.check_listed(options, some.command(kind, by, position, evening.table))


def the_round_can_be_finished(evening: Evening, some: Choices) -> None:
    finishing.check_round_can_be_finished(evening, some.pick)


MOVES = (
    anything,
    something_legal,
    a_bet,
    a_bet,
    people_change_their_bets,
    insurance,
    a_squeeze,
    something_goes_wrong,
    something_goes_wrong,
    an_order_is_lost,
    the_players_choose,
    a_slip_is_corrected,
    a_slip_is_corrected,
    a_slip_is_corrected,
    the_server_restarts,
    somebody_is_identified,
    a_step_by_itself,
    the_dealer_goes_on,
    a_quiet_stretch,
    legal_lists_all_that_is_accepted,
    the_round_can_be_finished,
)


def _chosen(evening: Evening, some: Choices, options: tuple[LegalMove, ...]) -> Command:
    """One of the moves, with an amount within its bounds; each kind is equally likely."""
    kinds = tuple({type(option.command): None for option in options})
    kind = some.pick(kinds)
    if kind in (commands.CloseTable, commands.Leave, commands.IdentifyPlayer) and not some.chance(6):
        kind = some.pick(kinds)
    option = some.pick([option for option in options if type(option.command) is kind])
    command = option.command
    if isinstance(command, commands.IdentifyPlayer):
        return msgspec.structs.replace(command, player_id=some.pick(IDS))
    if isinstance(command, commands.ChangeSettings):
        return some.change((command.by, command.position), some.settings(command.settings))
    if isinstance(command, commands.DealCard | commands.TurnCard | commands.BurnCards) and command.card is not None:
        return msgspec.structs.replace(command, card=some.face(evening.table))
    if option.most is None:
        return command
    amount = AMOUNTS[kind]
    least = getattr(command, amount)
    most = option.most if some.chance(3) else min(option.most, max(least, 3000))
    return msgspec.structs.replace(command, **{amount: most if some.chance(4) else some.number(least, most)})


def _next_by_hand(evening: Evening, some: Choices) -> Command:
    """The next command by people, from any position."""
    table = evening.table
    if table.phase is Phase.CLOSED:
        return some.opening(table)
    if table.phase is Phase.READY:
        if evening.accepts(commands.OpenBetting(*DEALER)):
            return commands.OpenBetting(*DEALER)
        if table.shoe is not None and not table.shoe.drawn:
            return commands.BurnCards(*DEALER, some.face(table))
        return commands.LoadShoe(*SUPERVISOR, some.shoe(), evening.rules.decks.least)
    return finishing.forward(evening, some.pick)
