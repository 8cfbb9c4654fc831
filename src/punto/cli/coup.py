"""``punto coup``: explain a coup card by card, and show the result of every bet of the game."""

import click
from msgspec import UNSET, Struct, UnsetType

from punto.catalogue.sentence import write
from punto.catalogue.values import Odds, write_count
from punto.cli._shared.terminal import coloured, json_option, print_json, print_table, refusing
from punto.cli._shared.wording import STAGES
from punto.library import game as read_game
from punto.rules.bets.insurance import InsuranceLine, Stage
from punto.rules.bets.pay_lines import BetRule, Verdict, decided
from punto.rules.coup.cards import FACE_DOWN, Card, write_cards
from punto.rules.coup.coup import Cards, Coup, Hand
from punto.rules.coup.explanation import CardStep, explain
from punto.rules.coup.table_of_play import Side, To
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import require_copies
from punto.rules.topics import Topic

_CHINESE = {To.PLAYER: "闲", To.BANKER: "庄"}


class CoupStepOut(Struct):
    """A card and where it went; without a card, where the next one goes."""

    card: Card | None
    to: To
    why: str
    clauses: tuple[Clause, ...]


class CoupOfferOut(Struct, omit_defaults=True):
    """Insurance that was offered in this coup."""

    stage: Stage
    side: Side
    odds: str
    clauses: tuple[Clause, ...]
    result: str | UnsetType = UNSET


class CoupBetOut(Struct, omit_defaults=True):
    """The result of a bet, None while it is undecided."""

    result: str | None
    clauses: tuple[Clause, ...] = ()
    odds: str | UnsetType = UNSET
    commission: str | UnsetType = UNSET


class CoupOut(Struct, omit_defaults=True):
    game: str
    cards: Cards
    steps: list[CoupStepOut]
    next: CoupStepOut
    player: Hand
    banker: Hand
    natural: bool
    finished: bool
    winner: str | None
    offers: list[CoupOfferOut]
    bets: dict[str, CoupBetOut]
    unused: Cards


@click.command("coup")
@click.argument("game")
@click.argument("cards", nargs=-1)
@click.option("--layout", help="Show only the bets of this layout.")
@click.option("--decks", type=int, help="Decks in the shoe. Default: the most the book allows.")
@json_option
def command(game: str, cards: tuple[str, ...], layout: str | None, decks: int | None, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Explain a coup of GAME card by card.

    Shows the result of every bet, too. CARDS are in the order drawn; ?? is a card that lies face down. For an
    unfinished coup the output shows who draws next and which bets are already decided.

    \b
    Example:
      punto coup commission 5s Kd 3h 7c 2d
    """
    with refusing(as_json=as_json):
        rules = read_game(game)
        coup = rules.coup(" ".join(cards))
        require_copies(rules, coup, decks)
        menu = rules.layout(layout).menu if layout is not None else tuple(rules.bets)
        bets = {bet: _bet(rules.bets[bet], coup) for bet in menu}
        if as_json:
            print_json(_as_json(rules, coup, bets))
        else:
            _print(rules, coup, bets)


def _bet(rule: BetRule, coup: Coup) -> CoupBetOut:
    """The full verdict of a finished coup. Before the end, only the result, if it is certain."""
    if not coup.finished:
        result = decided(rule, coup)
        return CoupBetOut(result, (rule.clause,) if result else ())
    verdict: Verdict = rule.verdict(coup)
    bet = CoupBetOut(verdict.result, verdict.clauses)
    if verdict.odds_text is not None:
        bet.odds = verdict.odds_text
    if verdict.commission is not None:
        bet.commission = str(verdict.commission)
    return bet


def _offer_status(rules: Rulebook, coup: Coup, offer: CoupOfferOut) -> str:
    """Whether an offer of an unfinished coup can still be taken."""
    now = rules.insurance and rules.insurance.open_offer(coup)
    return "open now" if now and now.stage is offer.stage else "over"


def _offer(line: InsuranceLine, coup: Coup) -> CoupOfferOut:
    offer = CoupOfferOut(line.stage, line.side, line.odds_text, (line.clause,))
    if coup.finished:
        verdict = line.verdicts[coup.winner]
        offer.result, offer.clauses = verdict.result, verdict.clauses
    return offer


def _step(step: CardStep) -> CoupStepOut:
    return CoupStepOut(step.card, step.to, write(step.why), step.clauses)


def _as_json(rules: Rulebook, coup: Coup, bets: dict[str, CoupBetOut]) -> CoupOut:
    steps, following = explain(coup)
    return CoupOut(
        game=rules.id,
        cards=coup.cards,
        steps=[_step(step) for step in steps],
        next=_step(following),
        player=coup.hand(Side.PLAYER),
        banker=coup.hand(Side.BANKER),
        natural=coup.natural,
        finished=coup.finished,
        winner=coup.winner if coup.finished else None,
        offers=[_offer(line, coup) for line in rules.offers(coup)],
        bets=bets,
        unused=coup.left_over,
    )


def _print(rules: Rulebook, coup: Coup, bets: dict[str, CoupBetOut]) -> None:
    version = f", version {rules.version}" if rules.version else ""
    click.secho(f"{rules.title}{version}", bold=True)
    click.echo()
    _print_cards(rules, coup)
    offers = [_offer(line, coup) for line in rules.offers(coup)]
    if rules.insurance is not None:
        click.secho("Insurance", bold=True)
        print_table(
            [
                [
                    STAGES[offer.stage],
                    coloured(f"{offer.side.capitalize()} insured", offer.side),
                    coloured(offer.result) if isinstance(offer.result, str) else _offer_status(rules, coup, offer),
                    write(Odds(offer.odds)),
                    _cited(offer.clauses),
                ]
                for offer in offers
            ]
            or [["none was offered"]]
        )
        click.echo()
    click.secho("Bets" if coup.finished else "Bets that are decided", bold=True)
    print_table([_bet_row(rules.bets[bet], out) for bet, out in bets.items() if out.result] or [["none yet"]])
    click.echo()


def _print_cards(rules: Rulebook, coup: Coup) -> None:
    steps, following = explain(coup)
    rows = [
        [
            f"card {at}",
            click.style(step.card or FACE_DOWN, bold=True),
            _side(step.to),
            write(step.why),
            _cited(step.clauses),
        ]
        for at, step in enumerate(steps, 1)
    ]
    last, to = ("no more", "") if following.to is To.NOBODY else ("next", _side(following.to))
    rows.append([last, "", to, write(following.why), _cited(following.clauses)])
    print_table(rows)
    click.echo()
    hands = []
    for side in Side:
        hand = coup.hand(side)
        points = "" if hand.points is None or not hand.cards else write_count(hand.points, "point")
        cards = write_cards(hand.cards) or "no cards"
        hands.append([_side(To(side)), cards, points])
    if coup.finished:
        words = {"player": "Player 闲 wins", "banker": "Banker 庄 wins", "tie": "Tie 和"}
        losing, winning = sorted(coup.hand(side).points or 0 for side in Side)
        topic = Topic.TIE if coup.winner == "tie" else Topic.WINNER
        result = coloured(f"{words[coup.winner]} {winning} to {losing}", coup.winner)
        verdict = result + (", by a natural" if coup.natural else "")
        hands.append([verdict, _cited(rules.topics[topic]), ""])
    print_table(hands)
    if coup.left_over:
        click.echo(f"  left over: {write_cards(coup.left_over)}")
    click.echo()


def _side(to: To) -> str:
    return coloured(f"{_CHINESE.get(to, '')} {to.capitalize()}".strip(), to)


def _bet_row(rule: BetRule, out: CoupBetOut) -> list[str]:
    name = f"{rule.name} {rule.chinese}" if rule.chinese else rule.name
    pays = write(Odds(out.odds)) if isinstance(out.odds, str) else ""
    if isinstance(out.commission, str):
        pays += f" less {out.commission}"
    return [name, coloured(out.result or ""), pays, _cited(out.clauses)]


def _cited(clauses: tuple[Clause, ...]) -> str:
    return click.style(", ".join(clauses), dim=True) if clauses else ""
