"""A bot that plays at a table: `python examples/bot.py http://127.0.0.1:8000 "salon 1" --rounds 20`.

It enters as a visitor, takes the play money, sits down, and bets on the side that won last. It remembers every card it
has seen from a shoe, and takes insurance if its exact edge, given these cards, favours the bettor.
"""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import click

from punto import Card, Coup, Refused, Rulebook, Stage, book
from punto.catalogue.sentence import write
from punto.catalogue.values import Odds
from punto.client import Client, ClientRefused
from punto.odds import shoe_without
from punto.rules.bets.insurance import InsuranceLine
from punto.rules.coup.space import UNKNOWN, run_index
from punto.rules.coup.table_of_play import POINTS
from punto.rules.money import read_amount, write_amount
from punto.rules.refusals import Clause
from punto.web.messages import HandView, Moved, RoundView, TableView

SIDES = {"player": "闲 Player", "banker": "庄 Banker", "tie": "和 Tie"}


class Memory:
    """The cards seen from every shoe, collected from the events of a table."""

    def __init__(self, rules: Rulebook) -> None:
        self._rules = rules
        self._decks: dict[str, int] = {}
        self._seen: dict[str, list[Card]] = defaultdict(list)
        self._shoe_of_place: dict[int, str] = {}
        self._shoe = ""

    def take(self, event: dict[str, Any]) -> None:
        """Remember the cards that this event shows."""
        match event:
            case {"event": "shoe_loaded.1" | "shoe_replaced.1", "shoe": shoe, "decks": decks}:
                self._decks[shoe] = decks
            case {"event": "cards_burned.1", "shoe": shoe, "card": card}:
                self._seen[shoe].append(Card(card))
            case {"event": "cards_drawn_out_of_turn.1", "shoe": shoe, "cards": cards}:
                self._seen[shoe] += [Card(card) for card in cards if card]
            case {"event": "card_dealt.1", "place": place, "shoe": shoe}:
                self._shoe_of_place[place] = self._shoe = shoe
            case {"event": "card_turned.1", "place": place, "card": card} if not event.get("again"):
                self._seen[self._shoe_of_place[place]].append(Card(card))

    def left(self) -> list[int]:
        """Number of unseen cards of each value in the current shoe."""
        shoe = shoe_without(self._rules, self._decks[self._shoe], self._seen[self._shoe])
        return shoe.values(self._rules.table_of_play)


def edge_of(rules: Rulebook, line: InsuranceLine, coup: Coup, left: list[int]) -> Fraction:
    """The house edge of an insurance, over every way in which this coup can continue."""
    player, banker, third, _ = coup.partial
    returned, deals = Fraction(), 0
    for fifth in POINTS if third == UNKNOWN else (third,):
        before = left[fifth] if third == UNKNOWN else 1
        for sixth in POINTS:
            deal = before * (left[sixth] - (third == UNKNOWN and fifth == sixth))
            end = rules.space.ends[run_index((player, banker, fifth, sixth))]
            verdict = line.verdicts[end.winner]
            returned += Fraction(deal * verdict.numerator, verdict.denominator)
            deals += deal
    return 1 - returned / deals


class Bot:
    """One session at one table."""

    def __init__(self, client: Client, table: str, name: str, stake_minor: int) -> None:
        self._client, self._table, self._name, self._stake_minor = client, table, name, stake_minor
        state = client.table(table).state
        self._rules = book(state.book)
        self._memory = Memory(self._rules)
        self._box = 0
        self._side = "player"
        self._bet_in = self._played = 0
        self._looked_at: set[tuple[int, Stage]] = set()
        self._offered = self._taken = 0
        self._clauses: set[Clause] = set()

    def play(self, rounds: int) -> None:
        """Sit down, play this many rounds, and leave."""
        state = self._sit_down()
        chips_minor = self._chips_minor()
        click.echo(f"{self._table}: {state.title}. {self._name} sits at box {self._box}, {write_amount(chips_minor)}.")
        try:
            self._play_rounds(rounds)
        except KeyboardInterrupt:  # still leave the table properly
            click.echo()
        self._client.leave(self._table)
        self._sum_up(chips_minor)

    def _play_rounds(self, rounds: int) -> None:
        for moved in self._client.watch(self._table, self._catch_up()):
            self._read_events(moved)
            if self._played >= rounds or (moved.state is not None and not self._act(moved.state)):
                return

    def _sit_down(self) -> TableView:
        self._client.enter(self._name)
        self._client.play_money(self._table)
        state = self._client.table(self._table).state
        boxes = state.settings.boxes if state.settings else 0
        self._box = next((box for box in range(1, boxes + 1) if box not in state.seats), 0)
        self._client.sit(self._table, self._box)
        return state

    def _catch_up(self) -> str:
        """Read the table's events so far. Returns the cursor to watch from."""
        page = self._client.events(self._table, most=500)
        while True:
            for view in page.events:
                self._memory.take(view.event)
            if not page.more:
                return page.next
            page = self._client.events(self._table, page.next, most=500)

    def _chips_minor(self) -> int:
        me = self._client.table(self._table).me
        return me.chips_minor if me else 0

    # ---- events

    def _read_events(self, moved: Moved) -> None:
        for view in moved.events:
            event = view.event
            self._memory.take(event)
            if event["event"] == "round_settled.1":
                self._settled(event)
            elif event["event"] == "round_voided.1" and event["round"] == self._bet_in:
                self._note(f"Round {event['round']} is void", event["clauses"])

    def _settled(self, event: dict[str, Any]) -> None:
        if event["winner"] in ("player", "banker"):
            self._side = event["winner"]
        mine = [result for result in event["results"] if result["who"] == self._name]
        if not mine:
            return
        self._played += 1
        click.echo(f"Round {self._bet_in}: 闲 {event['player']}  庄 {event['banker']}  {SIDES[event['winner']]}")
        for result in mine:
            text = f"{result['bet'].replace('_', ' ')} {write_amount(result['stake_minor'])}: {result['result']}"
            self._note(f"{text}, {write_amount(result['returned_minor'])} back", result["clauses"])

    def _note(self, text: str, clauses: Iterable[Clause]) -> None:
        cited = tuple(clauses)
        self._clauses.update(cited)
        click.echo(f"    {text}  ({', '.join(cited)})" if cited else f"    {text}")

    # ---- actions

    def _act(self, state: TableView) -> bool:
        """Bet, or consider an insurance offer. Returns False to stop playing."""
        now = state.round
        if now is None:
            return state.phase != "closed"
        if state.phase == "betting" and self._bet_in != now.number:
            return self._bet(now)
        if now.offer is not None and (now.number, now.offer.stage) not in self._looked_at:
            self._looked_at.add((now.number, now.offer.stage))
            if any((bet.who, bet.bet) == (self._name, now.offer.side) for bet in now.bets):
                self._look_at_offer(now, now.offer.stage)
        return True

    def _bet(self, now: RoundView) -> bool:
        try:
            self._client.bet(self._table, self._box, self._side, self._stake_minor, round=now.number)
        except ClientRefused as refused:
            self._note(f"No bet: {refused.message}", refused.clauses)
            # too late for this round; any other refusal is permanent
            return refused.code in ("betting_not_open", "other_round")
        self._bet_in = now.number
        return True

    def _look_at_offer(self, now: RoundView, stage: Stage) -> None:
        self._offered += 1
        coup = _coup(self._rules, now.player, now.banker)
        line = self._rules.insurance.open_offer(coup) if self._rules.insurance else None
        if line is None or line.stage is not stage:
            return
        edge = edge_of(self._rules, line, coup, self._memory.left())
        text = f"{SIDES[line.side]} insurance at {write(Odds(line.odds_text))}, edge {edge} ({float(edge):+.2%})"
        if edge >= 0:
            self._note(f"{text}: no", (line.clause,))
            return
        try:
            most = next(
                option.most
                for option in self._client.legal(self._table)
                if option.command.get("command") == "take_insurance.1" and option.command["box"] == self._box
            )
            self._client.insure(self._table, self._box, most or 0, round=now.number)
        except (StopIteration, ClientRefused) as error:  # the offer is over, or the cap leaves no room
            self._note(f"{text}: too late{f', {error.message}' if isinstance(error, ClientRefused) else ''}", ())
            return
        self._taken += 1
        self._note(f"{text}: {write_amount(most or 0)}", (line.clause,))

    def _sum_up(self, before_minor: int) -> None:
        after_minor = self._chips_minor()
        click.echo(
            f"{self._played} rounds, {self._taken} of {self._offered} insurances taken:"
            f" {write_amount(before_minor)} has become {write_amount(after_minor)}."
        )
        for clause in sorted(self._clauses, key=lambda text: [int(part) for part in text.split(".") if part.isdigit()]):
            click.echo(f"    {clause}  {self._rules.summary(clause)}")
        self._client.sign_out()


def _coup(rules: Rulebook, player: HandView, banker: HandView) -> Coup:
    """The cards on the table, in the order drawn."""
    by_place = dict(zip((*player.places, *banker.places), (*player.cards, *banker.cards), strict=True))
    return Coup.of(rules.space, tuple(Card(card) if (card := by_place[place]) else None for place in sorted(by_place)))


@click.command()
@click.argument("url")
@click.argument("table")
@click.option("--name", default="a bot", show_default=True, help="Name of the visitor.")
@click.option("--rounds", default=20, show_default=True, help="Rounds to play.")
@click.option("--stake", default="100", show_default=True, help="Stake of each bet.")
def main(url: str, table: str, name: str, rounds: int, stake: str) -> None:
    """Play some rounds at TABLE of the floor at URL."""
    try:
        with Client(url) as client:
            Bot(client, table, name, read_amount(stake)).play(rounds)
    except Refused as refused:
        clauses = f" ({', '.join(refused.clauses)})" if refused.clauses else ""
        raise click.ClickException(f"{refused.message}{clauses}") from refused


if __name__ == "__main__":
    main()
