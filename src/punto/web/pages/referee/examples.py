"""Questions to start from: what docs/irregularities.md shows, one for each thing that one can see."""

from typing import Any

from msgspec import Struct

from punto.table.referee.question import BetLaid, RefereeQuestion

_BOTH = (BetLaid(1, "banker", "100"), BetLaid(2, "player", "50"))
_BANKER = _BOTH[:1]
_CROSSED = ["banker", "player", "banker", "player"]


class Example(Struct, frozen=True):
    tile: str
    """What one sees, as the guide names it."""
    question: RefereeQuestion


def examples(reason: str) -> tuple[Example, ...]:
    """The examples, with this reason wherever one is needed."""

    def insurance(tile: str, *happened: str | dict[str, Any], **more: Any) -> Example:
        return Example(tile, RefereeQuestion(book="commission-insurance", **{"bets": _BOTH, **more}, happened=happened))

    return (
        insurance("excess", "9 2 K 3 5", {"command": "report_excess_card.1", "cards": ["5"]}),
        insurance(
            "wrong_number",
            "K Q T J 2 5",
            {"command": "settle.1"},
            {"command": "report_wrong_number.1", "reason": reason},
        ),
        insurance("wrong_side", "9 2 K 3", {"command": "report_wrong_side.1", "as_dealt": _CROSSED}),
        insurance(
            "face_up", "??", {"command": "report_face_up_card.1", "place": 1, "card": "9"}, table={"face_down": True}
        ),
        insurance("at_once", {"command": "report_simultaneous_cards.1", "cards": ["2", "9"]}),
        insurance("dealing_error", "9 2 K 3", {"command": "report_dealing_error.1", "reason": reason}),
        insurance(
            "options",
            "2 9 3 K",
            {"command": "report_wrong_side.1", "as_dealt": _CROSSED, "reconstructable": False, "reason": reason},
        ),
        insurance("wrong_cards", "9s 5h", {"command": "report_card_count.1"}, decks=4, seen="5h 5h 5h 5h"),
        insurance("runs_out", "K Q T J 2 ??", left=5),
        insurance(
            "stopped",
            "9s 5h",
            {"command": "dismiss_irregularity.1", "reason": reason},
            "5d Kh Tc",
            decks=4,
            seen="5h 5h 5h 5h",
        ),
        Example(
            "interruption",
            RefereeQuestion(
                book="da-hu-ying-xiong",
                bets=(*_BANKER, BetLaid(2, "tiger", "50")),
                happened=("2 9 A", {"command": "report_interruption.1"}),
            ),
        ),
        insurance(
            "late_bet",
            "9 2",
            {
                "command": "report_late_bet.1",
                "who": "box 1",
                "box": 1,
                "bet": "banker",
                "tried": "withdrawn",
                "amount_minor": 10000,
            },
        ),
        Example(
            "uninsured",
            RefereeQuestion(
                book="tiger-buffalo",
                table={"face_down": True},
                bets=_BANKER,
                happened=("A 2 3 3 ??", {"command": "offer_late_insurance.1"}),
            ),
        ),
        insurance(
            "uninsured",
            "A 2 3 3 5 K",
            {"command": "return_uninsured_bets.1", "who": "box 1", "box": 1, "side": "banker", "reason": reason},
            bets=(*_BANKER, BetLaid(1, "tie", "10")),
        ),
        insurance(
            "walks_away",
            "A 2 3 3",
            {"command": "take_insurance.1", "who": "box 1", "box": 1, "stake_minor": 2000},
            {"command": "leave.1", "who": "box 1"},
            "5 K",
            bets=_BANKER,
        ),
        Example(
            "nothing_fits",
            RefereeQuestion(
                book="super-six-plus",
                bets=(*_BOTH, BetLaid(1, "tie", "10")),
                happened=(
                    "9 2",
                    {
                        "command": "rule.1",
                        "reason": reason,
                        "effect": "return",
                        "bets": [{"who": "box 1", "box": 1, "bet": "tie"}],
                    },
                    "K 3",
                ),
            ),
        ),
    )
