"""Cards, outcomes and limits in words."""

from punto.rules.coup.space import Winner
from punto.table.play.limits import limits_of
from punto.table.records.settings import Settings
from punto.web.pages.base.i18n import Tongue
from punto.web.pages.base.templates import money

_RANKS = {
    "A": "ace", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight",
    "9": "nine", "T": "ten", "J": "jack", "Q": "queen", "K": "king",
}  # fmt: skip
_SUITS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
_OUTCOMES = {Winner.PLAYER: "Player wins", Winner.BANKER: "Banker wins", Winner.TIE: "Tie"}
CHINESE = {"player": "閒", "banker": "庄", "tie": "和"}


def say_card(code: str, t: Tongue) -> str:
    """A card by its name."""
    return t("{rank} of {suit}", rank=t(_RANKS[code[0]]), suit=t(_SUITS[code[1]]))


def say_outcome(winner: Winner, t: Tongue) -> str:
    """Who has won."""
    return t(_OUTCOMES[winner])


def limits_said(settings: Settings, t: Tongue) -> list[tuple[str, str]]:
    """The limits of a table, by what they are for."""
    found = []
    for words, bet in (("Player, Banker", "player"), ("Other bets", "tie")):
        limits = limits_of(settings, bet)
        found.append((t(words), _range(limits.min_minor, limits.max_minor, t)))
    if settings.differential_minor is not None:
        found.append((t("Differential of a box"), money(settings.differential_minor)))
    return found


def _range(least: int | None, most: int | None, t: Tongue) -> str:
    if least is not None and most is not None:
        return t("{least} to {most}", least=money(least), most=money(most))
    if least is not None:
        return t("from {least}", least=money(least))
    return t("up to {most}", most=money(most)) if most is not None else t("any")
