"""Why a bet won, lost or came back, in words."""

from punto.floor.journal.round_records import WentBack
from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import BetRule, PayLine, Result, When, WhenPairs, covers
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import Pairs, Winner
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.records.kinds import Irregularity
from punto.web.messages import Settled, Voided
from punto.web.pages.base.i18n import Tongue
from punto.web.pages.base.templates import money

_CARDS = {2: "two cards", 3: "three cards"}
_PAIRS = {
    frozenset({Pairs.PLAYER, Pairs.BOTH, Pairs.TWIN}): "Player's first two cards are a pair",
    frozenset({Pairs.BANKER, Pairs.BOTH, Pairs.TWIN}): "Banker's first two cards are a pair",
    frozenset({Pairs.PLAYER, Pairs.BANKER}): "one hand begins with a pair",
    frozenset({Pairs.BOTH}): "both hands begin with a pair, of two ranks",
    frozenset({Pairs.TWIN}): "both hands begin with a pair of the same rank",
}
_WINS = {Winner.PLAYER: "Player wins", Winner.BANKER: "Banker wins", Winner.TIE: "the hands tie"}

_WENT_BACK = {
    WentBack.VOID: "The round is void: the bet goes back.",
    WentBack.OPTION: "Taken back by choice after a dealing error.",
    WentBack.RULING: "A ruling gave this bet back.",
    WentBack.UNINSURED: "Insurance was due, was not offered and would have won: the bet goes back.",
}
_GROUNDS = {
    Irregularity.INTERRUPTION: "The game was interrupted before an outcome was certain.",
    Irregularity.FOREIGN_CARD: "A card that does not belong to the shoe was found.",
    Irregularity.CARD_COUNT: "The shoe has a wrong number of cards.",
    Irregularity.WRONG_NUMBER: "A hand had a wrong number of cards.",
    Irregularity.SHOE_RUN_OUT: "The shoe ran out of cards.",
    Irregularity.NOT_SHUFFLED: "The cards had not been shuffled.",
    Irregularity.RULING: "A ruling voided it.",
}
"""Every ground on which a round can be void."""


def say_ground(voided: Voided, t: Tongue) -> str:
    """Why a round is void."""
    return t(_GROUNDS[voided.ground])


def say_when(when: When | WhenPairs, t: Tongue) -> str:
    """What a pay line asks for."""
    if isinstance(when, WhenPairs):
        return t(_PAIRS[when.patterns])
    said = [t(_WINS[when.winner])]
    if when.points is not None:
        points = sorted(when.points)
        several = t(" or ").join(filter(None, (", ".join(map(str, points[:-1])), str(points[-1]))))
        said.append(t("on {points}", points=several))
    if when.margin is not None:
        said.append(t("by {margin}", margin=when.margin))
    cards = when.player_cards or when.banker_cards
    if cards is not None:
        said.append(t("with {cards}", cards=t(_CARDS[cards])))
    if when.cards is not None:
        said.append(t("after {cards} cards in all", cards=when.cards))
    return t(" ").join(said)


def why(rules: Rulebook, coup: Coup | None, settled: Settled, t: Tongue) -> str:
    """Why that became of a bet."""
    if settled.went_back is not None:
        return t(_WENT_BACK[settled.went_back])
    if coup is None or not coup.finished:
        return ""
    if settled.stage is not None:
        return _why_insurance(coup, settled, t)
    rule = rules.bets[settled.bet]
    sentences = [_score(coup, t)]
    line = _line(rule, coup)
    if settled.result is Result.WIN and line is not None:
        sentences.append(t("It pays when {when}.", when=say_when(line.when, t)))
    elif settled.result is Result.PUSH:
        sentences.append(t("A tie gives this bet back."))
    else:
        asks = t("; or when ").join(say_when(each.when, t) for each in rule.pays if each.verdict.result is Result.WIN)
        sentences.append(t("It pays when {when}.", when=asks))
    if settled.commission_minor:
        sentences.append(t("The house keeps {amount} of the winnings.", amount=money(settled.commission_minor)))
    if settled.played_minor is not None:
        sentences.append(t("Of the stake {amount} played.", amount=money(settled.played_minor)))
    return t(" ").join(sentences)


def _score(coup: Coup, t: Tongue) -> str:
    player, banker = coup.hand(Side.PLAYER).points, coup.hand(Side.BANKER).points
    return t("Player {player}, Banker {banker}.", player=player, banker=banker)


def _line(rule: BetRule, coup: Coup) -> PayLine | None:
    """The pay line that the coup has come to."""
    outcome = coup.outcome
    cell = outcome.pairs if rule.over_pairs else outcome.end
    return next((line for line in rule.pays if covers(line, cell)), None)


def _why_insurance(coup: Coup, settled: Settled, t: Tongue) -> str:
    """From what became of it: on a tie one line pays and another gives the stake back."""
    side = t("Banker") if settled.bet.startswith("banker") else t("Player")
    stage = t("Taken after four cards.") if settled.stage is Stage.FOUR else t("Taken after Player's third card.")
    won = settled.result is Result.WIN
    if coup.winner is Winner.TIE:
        end = t("The hands tie, and this line pays on a tie.") if won else t("The hands tie: it goes back.")
    else:
        end = t("{side} loses: it pays.", side=side) if won else t("{side} wins: it is lost.", side=side)
    return t(" ").join((_score(coup, t), stage, end))
