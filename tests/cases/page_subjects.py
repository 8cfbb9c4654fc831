"""The subjects of docs/irregularities.md, with the text that does not come from the register, commands or cases."""

from msgspec import Struct

from punto.rules.topics import Topic
from punto.table.records import commands, corrections, reports
from punto.table.records.commands import Command

INSURANCE = "commission-insurance"
PLUS = "da-hu-ying-xiong"
BUFFALO = "tiger-buffalo"


class Subject(Struct, frozen=True, kw_only=True):
    title: str
    seen: str
    """What people at the table see."""
    so: str
    """What follows, as a short phrase."""
    commands: tuple[tuple[type[Command] | str, tuple[Topic, ...]], ...]
    """Each command with the topics it follows; a phrase instead of a command if the table acts by itself."""
    rules: tuple[Topic, ...] = ()
    """Topics whose clause summaries are quoted."""
    do: tuple[str, ...]
    cases: tuple[tuple[str, str], ...]
    """Book and name of each worked example."""


SUBJECTS = (
    Subject(
        title="A card too many, or shown too early",
        seen="A card is drawn that the coup does not need, or a card is seen too early",
        so="It is dealt next, in this round or the next; the players may choose",
        commands=((reports.ReportExcessCard, (Topic.EXCESS_CARDS, Topic.EXCESS_OPTIONS)),),
        rules=(Topic.EXCESS_CARDS, Topic.EXCESS_OPTIONS),
        do=(
            "Put no card back. Report the cards in order, including unseen ones, and which hand they lie with.",
            "Cards that the Table of Play needs are dealt next. Others open the next round, seen before betting.",
            "The pit sees what an exposed one is worth to a bettor, and can load another shoe instead.",
            "Before the close nobody chooses: with a card exposed, bets can only be withdrawn. It is dealt first.",
            "With a hand, order lost: the round is void, even if paid, until betting on the next round opens.",
            "With no hand, order lost: it is ruled (`rule_card_order.1`); if it decides the coup, everybody chooses.",
        ),
        cases=((INSURANCE, "A fifth card drawn on a natural is carried over to the next round"),),
    ),
    Subject(
        title="A hand with too many or too few cards",
        seen="A hand has the wrong number of cards, or the discard rack shows that it had",
        so="Reconstructed, or void, even after payment",
        commands=((reports.ReportWrongNumber, (Topic.WRONG_NUMBER_OF_CARDS,)),),
        rules=(Topic.WRONG_NUMBER_OF_CARDS,),
        do=(
            "Order known, too many cards: name the extra cards. They are treated as cards drawn in excess.",
            "Order known, too few cards: name none. The players choose; then the missing cards are dealt.",
            "If the order is lost, the round is void, even if it has been paid, until betting on the next round opens.",
            "Winnings of a void round are taken back or owed.",
        ),
        cases=((INSURANCE, "A wrong number of cards is found after the settlement, before the next round"),),
    ),
    Subject(
        title="Cards on the wrong side, or with the wrong person",
        seen="A card lies with the wrong hand, or with the person squeezing the other hand",
        so="The order drawn decides whose card it is; the players may choose",
        commands=((reports.ReportWrongSide, (Topic.WRONG_SIDE, Topic.WRONG_AREA, Topic.WRONG_PERSON)),),
        rules=(Topic.WRONG_SIDE,),
        do=(
            "Leave the cards where they are. Report where each one went, in the order drawn.",
            "If the order is lost, say so, and which cards are in doubt. All others stay where they are.",
            "The players choose; then a pit supervisor rules the order, unless every order gives the same result.",
            "Report the wrong person only if somebody has accepted a hand, or is recorded as having opened a card.",
        ),
        cases=((INSURANCE, "Cards on the wrong side, a bet decided, the order known: nobody chooses"),),
    ),
    Subject(
        title="A card dealt face up at a face-down table",
        seen="A card lands face up where cards are dealt face down",
        so="The card and the round stand; the players may choose",
        commands=((reports.ReportFaceUpCard, (Topic.FACE_UP,)),),
        rules=(Topic.FACE_UP,),
        do=("Report its position, 1 to 6 in the order drawn, and which card it is.",),
        cases=((INSURANCE, "A card is dealt face up at a face-down table: the players choose"),),
    ),
    Subject(
        title="Two or more cards at once",
        seen="Cards come out together, and nobody knows which was first",
        so="A pit supervisor rules which was first; the players choose",
        commands=(
            (reports.ReportSimultaneousCards, (Topic.SIMULTANEOUS_CARDS, Topic.SIMULTANEOUS_OPTIONS)),
            (reports.RuleCardOrder, (Topic.SIMULTANEOUS_CARDS, Topic.OPTION_HAND)),
            (reports.ReplaceShoe, (Topic.REPLACE_SHOE,)),
        ),
        rules=(Topic.SIMULTANEOUS_CARDS, Topic.SIMULTANEOUS_OPTIONS),
        do=(
            "If some of the cards are already entered, say how many of the last ones.",
            "First the order is ruled, then the players choose. The shoe can be replaced, now or after the round.",
        ),
        cases=(
            (INSURANCE, "Two cards come at once: a pit supervisor decides which was first, and the players choose"),
        ),
    ),
    Subject(
        title="Any other dealing error",
        seen="Any other mistake in dealing",
        so="The players choose",
        commands=((reports.ReportDealingError, (Topic.OPTIONS,)),),
        rules=(Topic.OPTIONS,),
        do=(
            "Report what happened, whether the order is lost, and of which cards. Then the players choose.",
            "A pit supervisor rules the order of those cards after that; first, if one lies with no hand.",
            "Noticed after the settlement and before the next call for bets: a shift manager rules (`rule.1`).",
        ),
        cases=((INSURANCE, "Another dealing error: the players choose, whatever is decided"),),
    ),
    Subject(
        title="The players choose",
        seen="After an error, players may be able to take their bets back",
        so="Each player goes on or takes all their bets back",
        commands=(
            (reports.ChooseOption, (Topic.OPTION_HAND, Topic.OPTION_RECONSTRUCTED, Topic.OPTION_RETURN)),
            (reports.CallTime, (Topic.OPTIONS,)),
        ),
        do=(
            "Ask everybody with a bet, seated or standing: go on with the cards as they come, or take all bets back?",
            "One choice covers all of a player's boxes, bets and insurance, including decided bets.",
            "If only the order of hands is lost, they choose before the ruling; if a card lay with no hand, after it.",
            (
                "A player who is away, or has not chosen when time is called, goes on. Time, a ruling on the order, a "
                "card, a further error, own insurance or the settlement ends the choice. Until then its entry is "
                "corrected (`correct_option.1`), afterwards a shift manager rules (`rule.1`)."
            ),
            "Where only cards are recorded, ask everybody, give bets back by hand, and call time with the number.",
        ),
        cases=((INSURANCE, "Four cards, some on the wrong side, and the order is lost: the players choose"),),
    ),
    Subject(
        title="Wrong cards in the shoe",
        seen="A card with another back, one copy too many, or cards in order of suit",
        so="The round is void; another shoe is needed",
        commands=(
            (reports.ReportForeignCard, (Topic.FOREIGN_CARD,)),
            (reports.ReportCardCount, (Topic.CARD_COUNT,)),
            (reports.ReportNotShuffled, (Topic.NOT_SHUFFLED,)),
            (reports.InspectShoe, ()),
            ("a void round returns all bets", (Topic.VOID, Topic.VOID_RETURNS)),
        ),
        rules=(Topic.VOID, Topic.FOREIGN_CARD, Topic.CARD_COUNT, Topic.NOT_SHUFFLED, Topic.VOID_RETURNS),
        do=(
            "If found between rounds, settled rounds stand, and the shoe is still removed.",
            "If a card appears of which every copy has been seen, the table stops by itself.",
            "The shoe comes back only when it was inspected (`inspect_shoe.1`), and under another name.",
        ),
        cases=((INSURANCE, "A fifth copy of a card turns up in a shoe of four decks"),),
    ),
    Subject(
        title="The shoe runs out",
        seen="The coup needs a card, and the shoe is empty",
        so="The round is void; another shoe is needed",
        commands=((reports.ReportShoeRunOut, (Topic.SHOE_RUN_OUT,)),),
        rules=(Topic.SHOE_RUN_OUT,),
        do=(
            "An empty count voids nothing: if no card comes out, a pit supervisor reports it.",
            "A table that deals by itself voids the round at once.",
            "A nearly empty shoe is no reason to void a round.",
            "If a card comes out after all, name it. The deck then has one card too many, and the table stops.",
        ),
        cases=((INSURANCE, "The shoe runs out one card before the end"),),
    ),
    Subject(
        title="The table stops by itself",
        seen="The screen says `irregularity_open`",
        so="Make the report it names, or dismiss it",
        commands=((reports.DismissIrregularity, ()),),
        do=(
            "For a card too many, start the report with the card at which the table stopped.",
            "If nothing was wrong, such as a misread card, dismiss it with a reason.",
        ),
        cases=((INSURANCE, "What looked like a fifth copy was misread"),),
    ),
    Subject(
        title="A power failure, or the system stops",
        seen="The power fails, or the screens go dark",
        so="Void if nothing is decided, otherwise the round goes on",
        commands=(
            (
                reports.ReportInterruption,
                (Topic.INTERRUPTION, Topic.INTERRUPTION_GOES_ON, Topic.INTERRUPTION_VOIDS),
            ),
        ),
        rules=(Topic.INTERRUPTION_GOES_ON, Topic.INTERRUPTION_VOIDS),
        do=(
            "At a real shoe nothing is void because the server was away: see [below](#the-server-was-away).",
            "Fewer than three cards: void.",
            "Three cards, all seen: it goes on; at Da Hu it is void if Player has 0 to 5 without a pair.",
            "Four or more cards, the first four seen and in order: it goes on. Otherwise only if a bet is decided.",
            "With `established_by_staked_bets` (not by the book): only if a staked bet is decided, whatever the cards.",
            "If it goes on, an open offer of insurance opens again.",
            "Commission: nothing is void; the round resumes.",
        ),
        cases=((PLUS, "The power fails after three cards that decide nothing"),),
    ),
    Subject(
        title="The server was away",
        seen="Punto stops at a table with a real shoe, and the game goes on",
        so="Nothing is void; after 5 s the dealer confirms the table",
        commands=((reports.ResumeRound, ()), (reports.ReportRestart, ())),
        do=(
            "Play on, and write bets, cards and insurance on paper, with the time.",
            "When it is back, compare the cards on the felt with those on record, and confirm them.",
            "Then enter what is on paper, with [`happened_at`](felt.md#when-the-server-was-away).",
            "If the game was stopped too, a supervisor reports it instead.",
        ),
        cases=(),
    ),
    Subject(
        title="The floor was restored from a backup",
        seen="Punto starts again from a backup, and somebody may know the rest of a sealed shoe",
        so="The round is judged as after a power failure; what goes on does so from a new shoe",
        commands=((reports.ExchangeShoe, ()),),
        do=("Cards face up stay; the others are dealt again: see [Restore a backup](backup.md#restore-a-backup).",),
        cases=(),
    ),
    Subject(
        title="Something was entered wrongly",
        seen="The record is wrong, and the felt is right: a slip with a card, a bet, insurance, a choice",
        so="Correct it: everything that follows is worked out again",
        commands=(
            (corrections.CorrectCard, (Topic.DISPLAY,)),
            (corrections.CorrectBet, (Topic.CHIPS_POSITION,)),
            (corrections.CorrectInsurance, (Topic.CHIPS_POSITION,)),
            (corrections.ReopenBetting, ()),
            (corrections.CancelRound, ()),
            (corrections.CorrectPayment, (Topic.CHIPS_POSITION,)),
            (corrections.CorrectOption, (Topic.OPTIONS,)),
        ),
        rules=(Topic.DISPLAY, Topic.CHIPS_POSITION),
        do=(
            "Say what really lay there. [Run a real table](felt.md#when-something-was-entered-wrongly) has an example.",
            "How far the round has come says who may: the same page has every slip, who corrects it and until when.",
            "Insurance is judged as if entered in order: with nothing at the first offer, the second was forgone.",
            "After the settlement it is made again, with what the dealer pays and collects (`differences`).",
            "After the next call for bets it is [an error in an earlier round](#an-error-in-an-earlier-round).",
            "Cards and choices can be corrected at every table whose cards are typed, the rest at felt tables.",
        ),
        cases=(
            (
                INSURANCE,
                "It turns out that nothing lay at four cards: the player had passed, and the later stake goes back",
            ),
        ),
    ),
    Subject(
        title="Chips that move after the close",
        seen="A chip is placed, added or pulled after the close",
        so="Refused: the bets at the close play",
        commands=((reports.ReportLateBet, (Topic.BETTING_CLOSED, Topic.LATE_WITHDRAWAL)),),
        rules=(Topic.LATE_WITHDRAWAL,),
        do=("Return a chip that was placed late; a chip that was pulled still plays. Record the attempt.",),
        cases=((INSURANCE, "A bet pulled after the close still plays"),),
    ),
    Subject(
        title="Insurance was not offered",
        seen="A card was drawn without offering insurance that was due",
        so="A late offer, or the bet is returned",
        commands=(
            (reports.OfferLateInsurance, (Topic.LATE_INSURANCE,)),
            (reports.ReturnUninsuredBets, (Topic.UNINSURED_BET,)),
        ),
        rules=(Topic.LATE_INSURANCE, Topic.UNINSURED_BET),
        do=(
            "An offer is also missed if a card is exposed that this round may still need, next or later.",
            "If an offer is open then, it was missed for those who had not answered. Over an unseen card it goes on.",
            "If the cards now showing give an offer of their own, make it as usual, with its usual cap.",
            "Da Hu and Tiger Buffalo, next card unseen: the missed offer is made late.",
            "With late insurance, all insurance of the round together can win at most the bet.",
            "At a table that waits for the offer, a card that is already drawn is dealt with `not_offered`.",
            "Otherwise ask at the end, before the next call for bets, who meant to insure and had room under the cap.",
            "Among the legal commands, the return says what the player would end with (`ends_with_minor`).",
        ),
        cases=(
            (BUFFALO, "The missed offer is noticed before anybody has seen the next card: a late offer"),
            (
                INSURANCE,
                "Insurance was not offered and would have won: a player who meant to take it gets the bet back",
            ),
            (INSURANCE, "The card is seen: who had not answered counts as not having been offered insurance"),
        ),
    ),
    Subject(
        title="A player walks away",
        seen="A player leaves with chips on the felt",
        so="Their bets play, and winnings are kept for them",
        commands=((commands.Leave, (Topic.WALKING_AWAY,)),),
        rules=(Topic.WALKING_AWAY,),
        do=("They keep their box until the end of the round. Their insurance stands, and they can take no more.",),
        cases=((INSURANCE, "A player who walks away keeps their insurance and can take no more"),),
    ),
    Subject(
        title="An error in an earlier round",
        seen="A mistake in an earlier round is noticed",
        so="Nothing changes; a ruling can correct a payment",
        commands=((reports.ReportLaterError, (Topic.LATER_ERROR,)),),
        rules=(Topic.LATER_ERROR,),
        do=("Record it and continue.",),
        cases=((INSURANCE, "An error in an earlier round is found after the next one has started"),),
    ),
    Subject(
        title="Nothing here fits",
        seen="None of the above",
        so="A shift manager rules",
        commands=((reports.Rule, (Topic.RULING,)),),
        rules=(Topic.RULING,),
        do=(
            "They can let the round go on or void it, return bets, and pay or take amounts, always with a reason.",
            "Until the next call for bets they can also void a settled round or return its bets.",
        ),
        cases=(
            (INSURANCE, "No clause covers it: one bet is returned"),
            (INSURANCE, "A ruling voids a settled round until the next call for bets"),
        ),
    ),
)
