"""What other players have bet, and which insurance they have called, in words."""

from punto.catalogue.sentence import phrase
from punto.catalogue.values import Money
from punto.table.records.settings import box_label
from punto.web.messages import TableView
from punto.web.pages.base.i18n import Translator, person_name

MAX_BEHIND = 4


def bets_behind(view: TableView, box: int, me: str, t: Translator) -> str:
    """The bets of other players in a box, at most ``MAX_BEHIND``."""
    others = [bet for bet in (view.round.bets if view.round else ()) if bet.box == box and bet.who != me]
    bets = tuple(
        phrase(
            "table.bet_behind",
            who=person_name(bet.who, t, view.names, _labels(view)) or t("person.registered"),
            amount=Money(bet.stake_minor),
            bet=bet.bet,
        )
        for bet in others[:MAX_BEHIND]
    )
    return t.write(bets) + ("…" if len(others) > MAX_BEHIND else "")


def _labels(view: TableView) -> tuple[str, ...]:
    return view.settings.box_labels if view.settings else ()


def called_insurance(view: TableView, t: Translator) -> list[str]:
    """Each insurance bet of the round that a player has called."""
    now = view.round
    if now is None or now.winner is not None or now.void is not None:
        return []
    return [
        t(
            "insurance.called_by",
            who=person_name(each.who, t, view.names, _labels(view)) or t("person.registered"),
            box=box_label(_labels(view), each.box),
            amount=Money(each.stake_minor),
            side=each.side,
        )
        for each in now.cover
        if each.called
    ]
