"""What docs/irregularities.md speaks of, subject by subject: only what neither register, commands nor cases say."""

from msgspec import Struct

from punto.rules.topics import Topic
from punto.table.records import commands, reports
from punto.table.records.commands import Command

INSURANCE = "commission-insurance"
PLUS = "da-hu-ying-xiong"
BUFFALO = "tiger-buffalo"


class Subject(Struct, frozen=True, kw_only=True):
    """One thing that goes wrong."""

    title: str
    seen: str
    """How it looks on the table."""
    so: str
    """What follows, in a few words."""
    commands: tuple[tuple[type[Command] | str, tuple[Topic, ...]], ...]
    """What sees to it, by which rules; in words where the table does by itself."""
    rules: tuple[Topic, ...] = ()
    """What the book says, in the register's words."""
    do: tuple[str, ...]
    cases: tuple[tuple[str, str], ...]
    """Book and name."""


SUBJECTS = (
    Subject(
        title="A card too many, or shown too early",
        seen="A card on the felt that nobody wanted; a card seen before its time",
        so="It is dealt next, now or in the next round; the players may choose",
        commands=((reports.ReportExcessCard, (Topic.EXCESS_CARDS, Topic.EXCESS_OPTIONS)),),
        rules=(Topic.EXCESS_CARDS, Topic.EXCESS_OPTIONS),
        do=(
            "Put no card back. Say which came out, in order, unseen ones too, and with which hand they lie.",
            "Wanted by the Table of Play, they are dealt next; if not, they open the next round, seen before betting.",
            "Order lost: say so, and why. First the players choose; then a pit supervisor gives `rule_card_order`.",
        ),
        cases=(
            (INSURANCE, "A fifth card drawn on a natural waits for the next round"),
            (INSURANCE, "The first card is exposed before anything else is known: the players choose"),
        ),
    ),
    Subject(
        title="A hand with too many or too few cards",
        seen="A hand has the wrong number of cards, or the rack shows that it had",
        so="Put right like a card too many; or void, even after paying",
        commands=((reports.ReportWrongNumber, (Topic.WRONG_NUMBER_OF_CARDS,)),),
        rules=(Topic.WRONG_NUMBER_OF_CARDS,),
        do=(
            "The order is known: name the cards too many. The rest is as for a card too many.",
            "Too few cards: name none. The players choose, whatever is decided; then the missing cards are dealt.",
            "The order is lost: void, even after paying, until the next call for bets. Winnings go back or are owed.",
        ),
        cases=((INSURANCE, "A wrong number of cards comes to light after the settlement, before the next round"),),
    ),
    Subject(
        title="Cards on the wrong side, or with the wrong person",
        seen="Player's card lies with Banker or the other way round; the wrong person squeezes",
        so="The order drawn decides whose it is; the players may choose",
        commands=((reports.ReportWrongSide, (Topic.WRONG_SIDE, Topic.WRONG_AREA, Topic.WRONG_PERSON)),),
        rules=(Topic.WRONG_SIDE,),
        do=(
            "Leave the cards where they are. Say where each went, in the order drawn.",
            "Their order is lost: say so. The players choose first, then it is ruled.",
        ),
        cases=((INSURANCE, "Cards on the wrong side, something decided, and the order is known: nobody chooses"),),
    ),
    Subject(
        title="A card dealt face up where cards lie face down",
        seen="A card lands face up at a face-down table",
        so="It stays; the round stands; the players may choose",
        commands=((reports.ReportFaceUpCard, (Topic.FACE_UP,)),),
        rules=(Topic.FACE_UP,),
        do=("Say its place, 1 to 6 in the order drawn, and which card it is.",),
        cases=((INSURANCE, "A card is dealt face up where cards lie face down: the players choose"),),
    ),
    Subject(
        title="Two cards or more at once",
        seen="Cards slide out together, and nobody knows which was first",
        so="A pit supervisor rules which was first; the players choose",
        commands=(
            (reports.ReportSimultaneousCards, (Topic.SIMULTANEOUS_CARDS, Topic.SIMULTANEOUS_OPTIONS)),
            (reports.RuleCardOrder, (Topic.SIMULTANEOUS_CARDS, Topic.OPTION_HAND)),
            (reports.ReplaceShoe, (Topic.REPLACE_SHOE,)),
        ),
        rules=(Topic.SIMULTANEOUS_CARDS, Topic.SIMULTANEOUS_OPTIONS),
        do=("First the order, then the choice. The shoe may be replaced too, from the next round on or at once.",),
        cases=((INSURANCE, "Two cards come at once: a pit supervisor says which was first, and the players choose"),),
    ),
    Subject(
        title="Any other dealing error",
        seen="Something else was dealt wrongly",
        so="The players choose",
        commands=((reports.ReportDealingError, (Topic.OPTIONS,)),),
        rules=(Topic.OPTIONS,),
        do=("Say what happened, and whether the order is lost. If it is, the players choose first; then it is ruled.",),
        cases=((INSURANCE, "Another dealing error: the players choose, whatever is decided"),),
    ),
    Subject(
        title="The players choose",
        seen="After an error: who may have his bets back?",
        so="Each goes on, or has all his bets back",
        commands=(
            (reports.ChooseOption, (Topic.OPTION_HAND, Topic.OPTION_RECONSTRUCTED, Topic.OPTION_RETURN)),
            (reports.CallTime, (Topic.OPTIONS,)),
        ),
        do=(
            "Ask everybody with a bet, seated or standing: go on with the cards as they come, or have all bets back?",
            "One choice, for all his boxes and bets and his insurance, decided ones too.",
            "The order is lost: they choose first, and then it is ruled. After cards drawn at once it is ruled first.",
            "Whoever is away, or silent when time is called, goes on. The round is played for those who stayed.",
        ),
        cases=(
            (INSURANCE, "One choice is for all his boxes and bets, and for insurance"),
            (INSURANCE, "Cards on the wrong side, four cards out, and the order is lost: the players choose"),
        ),
    ),
    Subject(
        title="The cards are not what they should be",
        seen="Another back; a card of which the shoe has no more; cards in order of suit",
        so="Void, and another shoe",
        commands=(
            (reports.ReportForeignCard, (Topic.FOREIGN_CARD,)),
            (reports.ReportCardCount, (Topic.CARD_COUNT,)),
            (reports.ReportNotShuffled, (Topic.NOT_SHUFFLED,)),
            ("a void round returns all", (Topic.VOID, Topic.VOID_RETURNS)),
        ),
        rules=(Topic.VOID, Topic.FOREIGN_CARD, Topic.CARD_COUNT, Topic.NOT_SHUFFLED, Topic.VOID_RETURNS),
        do=(
            "Found between rounds: what is settled stands, and the shoe goes all the same.",
            "A card of which every copy has been seen stops the table by itself.",
        ),
        cases=((INSURANCE, "A fifth copy of a card turns up in a shoe of four decks"),),
    ),
    Subject(
        title="The shoe runs out",
        seen="A card is wanted, and the shoe is empty",
        so="Void, and another shoe",
        commands=(("the shoe runs out", (Topic.SHOE_RUN_OUT,)),),
        rules=(Topic.SHOE_RUN_OUT,),
        do=(
            "Deal the card that is not there, naming none: the table voids the round. A thin shoe alone voids nothing.",
            "A card comes out all the same: name it. The deck has one too many, and the table stops.",
        ),
        cases=((INSURANCE, "The shoe runs out one card before the end"),),
    ),
    Subject(
        title="The table stops by itself",
        seen="The screen says `irregularity_open`",
        so="Make the report it names, or have it dismissed",
        commands=((reports.DismissIrregularity, ()),),
        do=(
            "A card too many: the report begins with the card at which the table stopped.",
            "It was nothing, a card misread or a draw that never was: have it dismissed, with the reason.",
        ),
        cases=((INSURANCE, "What looked like a fifth copy was misread"),),
    ),
    Subject(
        title="A power failure, or the system stops",
        seen="The lights go out, the screens are dark",
        so="Void if nothing is decided, else it goes on",
        commands=(
            (
                reports.ReportInterruption,
                (Topic.INTERRUPTION, Topic.INTERRUPTION_GOES_ON, Topic.INTERRUPTION_VOIDS),
            ),
        ),
        rules=(Topic.INTERRUPTION_GOES_ON, Topic.INTERRUPTION_VOIDS),
        do=(
            "Fewer than three cards out: void.",
            "Three that are seen: it goes on, but at Da Hu not while Player has 0 to 5 unpaired.",
            "Four or more: it goes on, if the settings look at the whole menu, as they do if nobody changed that.",
            "Settings that look at staked bets alone: it goes on only if one of those is decided, on any cards.",
            "It goes on: an open offer of insurance opens again.",
            "Commission: nothing is void, the round resumes.",
        ),
        cases=((PLUS, "The lights go out after three cards that decide nothing"),),
    ),
    Subject(
        title="Chips that move after the close",
        seen="A chip put down, added or pulled after the close",
        so="Refused: what lay there at the close plays",
        commands=((reports.ReportLateBet, (Topic.BETTING_CLOSED, Topic.LATE_WITHDRAWAL)),),
        rules=(Topic.LATE_WITHDRAWAL,),
        do=("A chip put down goes back to its owner; one pulled still plays. Put it on record.",),
        cases=((INSURANCE, "A bet pulled after the close plays all the same"),),
    ),
    Subject(
        title="Insurance was not offered",
        seen="A card was drawn, and nobody had offered insurance",
        so="A late offer, or the bet goes back",
        commands=(
            (reports.OfferLateInsurance, (Topic.LATE_INSURANCE,)),
            (reports.ReturnUninsuredBets, (Topic.UNINSURED_BET,)),
        ),
        rules=(Topic.LATE_INSURANCE, Topic.UNINSURED_BET),
        do=(
            "A card is exposed that may still come in this round, be it the one after the next: the offer is missed.",
            "Da Hu and Tiger Buffalo, Original Bets still open: a late offer, at the odds for the cards now showing.",
            "Late, all insurance of a bet wins at most that bet. A squeeze ends a late offer; after one there is none.",
            "Otherwise at the end, and until the next call for bets: ask who had meant to insure.",
        ),
        cases=(
            (BUFFALO, "Noticed while the bets are open: a late offer at the line for the cards now showing"),
            (INSURANCE, "Insurance was forgotten and would have won: who had meant to take it has the bet back"),
        ),
    ),
    Subject(
        title="A player walks away",
        seen="A player leaves with chips on the felt",
        so="His bets play, and what he wins is kept for him",
        commands=((commands.Leave, (Topic.WALKING_AWAY,)),),
        rules=(Topic.WALKING_AWAY,),
        do=("His box stays his until the end of the round. The insurance he has stands, and he takes no more.",),
        cases=((INSURANCE, "Who walks away keeps the insurance he has and can take no more"),),
    ),
    Subject(
        title="An error in an earlier round",
        seen="A mistake in a round before this one",
        so="Nothing changes; a ruling can put a payment right",
        commands=((reports.ReportLaterError, (Topic.LATER_ERROR,)),),
        rules=(Topic.LATER_ERROR,),
        do=("Put it on record, and play on.",),
        cases=((INSURANCE, "An error of an earlier round is found when the next has begun"),),
    ),
    Subject(
        title="Nothing here fits",
        seen="None of these",
        so="A shift manager rules",
        commands=((reports.Rule, (Topic.RULING,)),),
        rules=(Topic.RULING,),
        do=("He can have the round go on or void it, return bets, pay or take amounts; always with the reason.",),
        cases=((INSURANCE, "A matter that no clause covers: one bet goes back"),),
    ),
)
