"""Every field of every event and of every answer is open, names players, belongs to one player, or is for staff.

What is cut is named in the code, so a new field would be told to everybody: here somebody has to say that it may be.
"""

from collections.abc import Collection, Iterator
from typing import Any

from msgspec import inspect

from punto.floor.settings.thresholds import Thresholds
from punto.table.vocabulary import AnyEvent
from punto.web.messages import Moved, Stopped
from punto.web.server.app import ALL
from punto.web.views.visibility import NAME_FIELDS, STAFF_AMOUNTS, STAFF_EVENTS, STAFF_FIELDS

Records = dict[str, set[str]]
Written = dict[str, str]

OPEN_IN_EVENTS: Written = {
    "BetLimits": "max_minor min_minor",
    "BetCorrected": "bet box clauses played seated stake_minor was_minor",
    "BetFlagged": "bet box clauses flag",
    "BetPlaced": "assumed bet box clauses seated stake_minor",
    "BetsConfirmed": "bets",
    "BetRejected": "bet box clauses stake_minor",
    "BetWithdrawn": "bet box clauses stake_minor",
    "BettingClosed": "clauses played",
    "BettingReopened": "clauses",
    "BettingOpened": "carried clauses last left round",
    "CardCorrected": "burned_unseen card clauses cut_card_in dealt draw place shoe was",
    "CardDealt": "carried clauses place shoe to",
    "CardOrderRuled": "clauses order",
    "CardSqueezed": "clauses laid_open place",
    "CardTurned": "again card order_unseen place",
    "BoardStarted": "",
    "CardsBurned": "card shoe unseen",
    "CardsDrawnOutOfTurn": "cards shoe use",
    "CardsPutBack": "cards clauses rounds shoe",
    "ContinuousShuffler": "back_after_rounds burn",
    "ChipsBought": "kind",
    "ChipsCashed": "kind",
    "ConfirmedBet": "bet box",
    "CutCardReached": "announced_left last shoe",
    "Difference": "amount_minor bet box stage",
    "Hands": "banker player",
    "InsuranceClosed": "clauses cut_short until_next_card",
    "InsuranceCorrected": "banker box clauses odds offered player side stage stake_minor was_minor",
    "InsuranceFlagged": "amount_minor box clauses stage why",
    "InsuranceMissed": "banker clauses cut_short odds player side stage",
    "InsuranceOffered": "clauses makes_good odds side stage",
    "InsuranceRejudged": "clauses cover disturbed missed offered",
    "InsurancePassed": "box clauses stage",
    "InsuranceTaken": "banker box called clauses odds player side stage stake_minor",
    "IrregularityDismissed": "kind",
    "IrregularityRaised": "card clauses kind place report",
    "IrregularityReported": "as_dealt clauses established kind reconstructable round same_in_any_order should_be",
    "LateBetRefused": "amount_minor bet box clauses tried",
    "LimitFlagged": "bet box clauses limit",
    "MinimumAdvised": "bet box clauses",
    "OptionChosen": "choice clauses",
    "OptionCorrected": "choice clauses",
    "OptionsClosed": "clauses established final took_back",
    "OptionsGiven": "by_hand clauses kind reconstructable",
    "OrderRevealed": "cards first_draw nonce order out path round shoe",
    "OrderLost": "places simultaneous",
    "PaymentCorrected": "bet box clauses due_minor paid_minor recovered_minor stake_minor",
    "Payout": "amount_minor bet box stage",
    "PayoutsNotVerified": "clauses payouts round",
    "PaymentsMarked": "lines round taken_back",
    "PayoutsVerified": "clauses payouts round",
    "PlayedBet": "bet box clauses played_minor pro_rata",
    "ProRata": "banker_minor limit_minor player_minor",
    "PlayerIdentified": "left",
    "PlayerLeft": "clauses",
    "PlayerSat": "box",
    "PlayerStood": "box",
    "RejudgedInsurance": "banker box odds player side stage stake_minor",
    "RestartRecorded": "asks clauses from_us to_us",
    "ShoeExchanged": "continuous dealt_again decks shoe was",
    "RoundCancelled": "round restores",
    "RoundResumed": "round",
    "RoundSettled": "banker clauses differences left_over player results winner",
    "RoundVoided": "by_hand clauses ground round",
    "Ruled": "bets clauses effect position",
    "RuledBet": "bet box",
    "Settings": (
        "automations box_labels boxes burn cards_only chip_rounding continuous currency cut_card differential_minor "
        "established_by_staked_bets face_down faces_by_rank forgone_for_the_round house layout "
        "main no_insurance observing private rounding rounds_after_cut_card side smallest_chip_minor "
        "squeeze_by_hand squeeze_granted takes_from"
    ),
    "SettingsChanged": "clauses settings",
    "SettledBet": (
        "bet box clauses commission_minor odds played_minor pro_rata result returned_minor rounded_minor "
        "stage stake_minor"
    ),
    "SettlementReversed": "again clauses round",
    "ShoeInspected": "shoe",
    "ShoeLoaded": "continuous decks formerly shoe",
    "ShoeReconciled": "burned clauses counted dealt difference left shoe",
    "ShoeReplaced": "clauses continuous decks formerly now shoe",
    "ShoeTakenOff": "clauses shoe",
    "SqueezeGranted": "clauses side standing",
    "SqueezeLapsed": "clauses side",
    "SqueezeRefused": "clauses side standing",
    "SqueezeRequested": "clauses from_place side",
    "TableClosed": "taken_off",
    "TableOpened": "book clauses law_hash settings taken_off",
    "ThirdCardInsuranceWaived": "clauses",
    "UninsuredBetPutBack": "box clauses side stake_minor",
    "UninsuredBetReturned": "box by_hand clauses side stake_minor",
}
OPEN_IN_ANSWERS: Written = {
    "Accepted": "cursor events",
    "BookView": "book decks in_force_from law_hash layouts title version",
    "Books": "books",
    "CardResult": "cursor draw events next outcome shoe",
    "Chip": "colour value_minor",
    "ChipSet": "chips",
    "CitedClause": "clause summary",
    "ClauseView": "book clause handled_by kind summary",
    "ComplaintReceived": "number",
    "Covered": "box called odds side stage stake_minor",
    "Due": "at_us automation",
    "EventPage": "events more next",
    "EventView": "at_us cursor event position",
    "FloorRules": "boxes buy_in_minor buy_ins four_eyes tables totp_required visitors",
    "FloorRulesView": "boxes buy_in_minor buy_ins tables visitors",
    "HandView": "cards places shoes draws points opened squeeze_from squeezes",
    "Legal": "command ends_with_minor most",
    "LegalList": "legal sensible",
    "LostAdoption": "reading setting since_us value",
    "Lobby": "not_shown tables visitors",
    "LobbyTable": "book marks phase play_money_minor round settings shoes table table_title taken title",
    "Moved": "cursor events state table",
    "Offered": "clauses closed late odds side stage",
    "OptionsOpen": "by_hand kind reconstructable",
    "Placed": "bet box played_minor seated stake_minor",
    "Problem": "book clauses code legal message propose_at",
    "ReadingList": "lost readings",
    "ReadingView": (
        "alternative clauses effect id in_force least most not_by_the_book ours setting since_us subject text title "
        "values"
    ),
    "ProRata": "banker_minor limit_minor player_minor",
    "RefereeEnd": "back_minor change_minor name who",
    "RefereeOutcome": "ends notes orders over words",
    "RefereeRuling": "book link outcomes refused steps then",
    "RefereeStep": "clauses follows positions step title words",
    "RefusedStep": "clauses code message step",
    "RevealedOrderPage": "next orders",
    "RevealedOrderView": "block cards commitment cursor first_draw nonce order out path place round shoe",
    "RoundPage": "next rounds",
    "RoundReplay": (
        "at_us book box_labels clauses currency earlier ended_us in_play later number opening outcome round shoe steps "
        "table table_title"
    ),
    "RoundStepView": "at_us card clauses cursor event felt lines offers phase position version",
    "RoundSummary": "adjustments at_us banker box_labels cards cursor player results round voided winner",
    "RoundView": (
        "banker bets cover differential_minor last number offer options order_lost player raised results "
        "unassigned void voided waived winner"
    ),
    "TableSnapshot": "state",
    "Settled": (
        "bet box clauses commission_minor odds played_minor pro_rata result returned_minor rounded_minor "
        "stage stake_minor went_back"
    ),
    "SealedShoeView": "block cards commitment decks kind nonce orders shoe",
    "ShoeView": "commitment continuous cut_card_out decks drawn id kind left order",
    "SealedShoeList": "shoes",
    "SqueezeView": "from_place state",
    "SteppedCard": "clauses code draw hand place shoe why",
    "SteppedFelt": "beside hands",
    "SteppedHand": "cards points side",
    "SteppedOffer": "banker clauses late missed odds player side stage",
    "Status": "faulty status",
    "Stopped": "error table",
    "TableView": "book carried due gaming_stopped last_round marks opening phase round settings shoe situation"
    " standing_squeezes stopped table table_title title version waits_for waits_for_dealer",
    "Voided": "clauses ground",
    "BetLimits": OPEN_IN_EVENTS["BetLimits"],
    "ContinuousShuffler": OPEN_IN_EVENTS["ContinuousShuffler"],
    "Sensible": "clauses command ends_with_minor missing positions title who_may yours",
    "Settings": OPEN_IN_EVENTS["Settings"],
}
NAMES_PLAYERS: Written = {
    "Covered": "who",
    "HandView": "accepted_by asked_by lapsed_by",
    "OptionsOpen": "asked",
    "Placed": "who",
    "RoundView": "choices",
    "Settled": "who",
    "SqueezeView": "who",
    "TableView": "seats behind",
}
"""Left empty for nobody in particular."""
ONES_OWN: Written = {
    "Adjusted": "amount_minor at_us clauses who",
    "Me": "adjustments away behind boxes chips_minor name position",
    "Moved": "me",
    "OfferedTo": "box most_minor name stake_minor who",
    "RoundFunds": "after_minor before_minor brought_minor name who",
    "RoundReplay": "funds",
    "RoundStepView": "adjustments postings results",
    "SteppedFelt": "stakes",
    "SteppedOffer": "to",
    "SteppedPosting": "account after_minor before_minor change_minor name",
    "SteppedStake": "bet box name stake_minor who",
    "TableSnapshot": "me",
    "OwnSession": "expires_us here id locked seen_us started_us terminal",
    "OwnSessionList": "sessions",
    "SessionView": "expires_us locked locks_us name position table terminal to_change token totp_to_set_up",
    "TotpSecret": "address secret",
}
"""Made for the person who asks, of what concerns them."""
FOR_THE_STAFF: Written = {
    "AccountLine": "holder locked_until_us name position sessions to_change tokens",
    "AccountList": "accounts",
    "ActDone": "password proposal token",
    "Accepted": "incident",
    "Approved": "cursor events incident proposal",
    "Adjusted": "reason",
    "AlarmList": "alarms next",
    "AlarmView": (
        "acknowledged_by acknowledged_us at_us ended_us escalated_us kind note number opening round severity subject "
        "table values words"
    ),
    "DutyLine": "from_us name position relieves table to_us",
    "DutyList": "duty",
    "Stop": "at_us by number of reason released_because released_by released_us scope",
    "StopList": "stops",
    "FloorRulesView": "four_eyes totp_required",
    "LoneActList": "acts up_to",
    "LoneActView": "at_us by name version what",
    "FloorSettings": "alarms complaints gaming_day large_cash_minor regulator ruling_by_two_minor tray_chips",
    "GamingDay": "shifts starts zone",
    "Thresholds": " ".join(Thresholds.__struct_fields__),
    "EventView": "by command_id happened_at_us",
    "RoundFelt": "cards drawn_early stakes",
    "FeltStake": "bet box stake_minor who",
    "IncidentCommand": ("at_us by command events happened_at_us position proposed_by proposer_position terminal words"),
    "IncidentLine": "at_us kind number opening round state table waits_for",
    "IncidentList": "incidents next",
    "IncidentView": (
        "after at_us before book clauses commands currency kind moved number opening round same_round state table "
        "waits_for"
    ),
    "MovedChips": "amount_minor who",
    "ExceptionPage": "exceptions next",
    "ExceptionView": "alone at_us by event position version",
    "DayExceptionList": "changed_since counts day exceptions over shift sign_offs total zone",
    "DayExceptionView": (
        "at_us by clauses command events game happened_at_us incident kinds position proposed_by reason round table "
        "terminal words"
    ),
    "DaySignOffs": "day sign_offs",
    "SignOffView": "at_us exceptions name note position",
    "RecordPage": "lines next",
    "RecordLine": ("alone approved_by at_us by changes event group position proposed_by stream terminal version words"),
    "ChangedValue": "after before name words",
    "LookPage": "looks next",
    "LookView": "at_us by of position table version what",
    "FoundRoundPage": "more_players next players rounds searched_us unfinished",
    "FoundRoundView": (
        "banker bets book box_labels cards currency dealers ended_us incidents kinds natural number opened_us opening "
        "outcome player round staked_minor table table_title win_minor"
    ),
    "FoundBet": "bet box name outcome returned_minor stake_minor who",
    "SteppedChances": "banker player tie",
    "Pack": (
        "approvals book clauses conditions entries first head links made_us needs_journal next_call older postings "
        "previous punto record release round seal settings stream"
    ),
    "PackBook": "id law title",
    "PackClause": "clause en zh",
    "PackHead": "hash kept_us source version",
    "PackPosting": "account amount_minor version",
    "Approval": "alone approved_by by command command_id position proposed_by terminal version",
    "Conditions": "book box_labels currency decks shoe",
    "Entry": "actor at_us command command_id context event hash law part position stream version",
    "JobList": "exports verifications",
    "JobView": "at_us by done ended_us export id kind position problem state total verified",
    "JobExport": "file format from_us rows sha256 size to_us what",
    "VerifySummary": (
        "backwards commands earlier_revision entries fault_count faults head_copies judged_again longest_backwards_us "
        "seeded shoes signatures_checked signed_afterwards sound streams unchecked_shoes"
    ),
    "Fault": "code message stream version",
    "ProgramView": (
        "build checked clocks earliest_us generator host laws packages packages_digest process release revision schema "
        "settings settings_at_start started_us user"
    ),
    "ProgramCheckView": "at_us build by changed same settings",
    "ClocksView": "behind_record_us compared_us most_s processes",
    "ProcessClockView": "ahead_us doubt_us host process release started_us",
    "GeneratorView": "checked_us fault",
    "HeadCopiesView": "contradicted copied_us every_s fault place",
    "HeadsView": "copies heads",
    "KeptHead": "hash version",
    "KeptHeads": "at_us public_key punto streams",
    "IssuedToken": "name token",
    "OneTimePassword": "name password",
    "Balance": "after_minor before_minor who",
    "Chooser": "back_minor who",
    "ConsequencesView": (
        "as_dealt away balances choosing established established_by finished money more_orders orders positions "
        "should_be then then_positions void"
    ),
    "Ending": "back_minor balance_minor staked_minor who",
    "Finished": "banker endings player winner",
    "Hands": "banker player",
    "MovedMoney": "amount_minor bet box who",
    "PossibleOrder": "cards finished hands order",
    "PreviewView": "clauses consequences events words",
    "Told": (
        "as_dealt away balances choosing endings established finished follows money more_orders orders say say_in "
        "should_be then then_who title who_may"
    ),
    "ProposalList": "proposals",
    "ProposalView": (
        "act at_us command decided_by decided_us happened_at_us id may_approve needs position preview proposed_by "
        "reason round state table"
    ),
    "ReadingView": "by position reason",
    "RestartView": "from_us to_us",
    "Settings": " ".join(STAFF_AMOUNTS),
    "RoundReplay": "incidents",
    "RoundStepView": "alone approved_by by chances command happened_at_us incident proposed_by reason terminal",
    "RoundSummary": "happened_at_us incidents",
    "RoundView": "adjustments",
    "Settled": "reason",
    "PlayerList": "players",
    "PlayerView": "card id name notes registered_us",
    "PlayerCodeView": "code expires_us player table",
    "PlayerDay": "day player ratings zone",
    "RatingLine": "cash_in_minor cash_out_minor figures sittings",
    "SittingLine": "from_us rounds table to_us",
    "CashOfDay": "day large_cash_minor people zone",
    "CashLine": "currency in_minor large out_minor table who",
    "ShoeLives": "shoes",
    "ShoeLifeView": "batch decks maker problem shoe steps table",
    "StepTaken": "at_us by note problem step table",
    "ReportView": "day report shift sign_offs table zone",
    "ReportLines": "alone counts dealers figures findings from_us made_us missing players rulings slips to_us voids",
    "FiguresLine": (
        "bets bets_by_kind box_drop_minor closer_minor commission_minor credits_minor currency deviations "
        "difference_minor drop_minor fills_minor game hold insurance_missed insurance_offered insurance_taken "
        "insurance_turnover_minor mispaid_minor open_minutes opener_difference_minor opener_minor play_money "
        "rounding_minor rounds rounds_an_hour rulings_minor scope settled_again_minor table table_win_minor "
        "theoretical_minor turnover_minor unaccounted_minor unexplained_minor voids vouchers_minor win_by_count_minor "
        "win_minor"
    ),
    "BetLine": (
        "actual_return band_high band_low bet bets deviations game theoretical_minor theoretical_return turnover_minor "
        "win_minor"
    ),
    "PlayerLine": (
        "average_bet_minor changed_minor currency drop_minor minutes play_money rounds table theoretical_minor "
        "turnover_minor vouchers_minor who win_minor"
    ),
    "DealerLine": "corrections insurance_missed irregularities minutes_on name rounds rounds_an_hour voids",
    "FindingLine": "clauses dealer game kind times",
    "PaidRuling": "at_us clauses paid_minor position reason round ruled_by table",
    "LoneAct": "actor at_us position table what",
    "CountLine": "alone at_us counted_minor difference_minor purpose signed_by table",
    "MissingCount": "purpose table",
    "SlipLine": "amount_minor at_us kind number signed_by state",
    "KnownFirst": "bets best cards clauses",
    "BetEdge": "bet edge edge_float",
    "EdgesView": "bets drawn first_card_known round shoe table",
    "PitCallView": "answered_by called_by since_us",
    "SlipView": "amount_minor kind number piles sent slip",
    "ChipPile": "count value_minor",
    "CountAnswer": "counted_minor cursor difference_minor events expected_minor piles waiting",
    "CountList": "waiting",
    "WaitingCount": "at_us by purpose",
    "StoppedBridge": "bridge draw shoe since_us",
    "StoppedBridges": "bridges",
    "Terminal": "enrolled_by enrolled_us id table title",
    "TerminalList": "here terminals",
    "TokenLine": "expires_us stopped table work",
    "TableView": "balances known_first names pit_call restart slips",
    "Voided": "reason",
}
"""Balances, reasons and who did it are left out for others; the rest is at addresses that refuse them."""


def records_in(kind: Any, hidden: Collection[str] = ()) -> Records:
    """The fields of every record that a type can hold, except those inside a hidden field."""
    found: Records = {}
    known: dict[str, type] = {}

    def walk(at: Any) -> None:
        if isinstance(at, inspect.StructType):
            name = at.cls.__name__
            assert known.setdefault(name, at.cls) is at.cls, f"two records are called {name}"
            if name in found:
                return
            found[name] = {field.encode_name for field in at.fields}
            for field in at.fields:
                if field.encode_name not in hidden:
                    walk(field.type)
        for inner in _inner(at):
            walk(inner)

    walk(inspect.type_info(kind))
    return found


def _inner(at: Any) -> Iterator[Any]:
    for several in ("types", "item_types"):
        yield from getattr(at, several, ())
    for one in ("item_type", "key_type", "value_type"):
        if (inner := getattr(at, one, None)) is not None:
            yield inner


def classed(*kinds: Written) -> Records:
    """The fields that are classified, each once."""
    found: Records = {}
    for kind in kinds:
        for record, fields in kind.items():
            assert not found.setdefault(record, set()) & set(fields.split()), record
            found[record] |= set(fields.split())
    return found


def test_every_field_of_every_event_is_open_or_is_cut() -> None:
    hidden = STAFF_FIELDS | NAME_FIELDS
    records = records_in(AnyEvent, hidden)
    whole = {kind.__name__ for kind in STAFF_EVENTS}
    shown = {record: fields - hidden for record, fields in records.items() if record not in whole}
    assert shown == classed(OPEN_IN_EVENTS)
    assert whole <= set(records)
    assert hidden <= set[str]().union(*records.values())  # and nothing is cut that there is not


def test_every_field_of_every_answer_is_open_personal_or_the_staffs() -> None:
    records: Records = {}
    for kind in (*(endpoint.answer for endpoint in ALL if endpoint.answer is not None), Moved | Stopped):
        records |= records_in(kind)
    assert records == classed(OPEN_IN_ANSWERS, NAMES_PLAYERS, ONES_OWN, FOR_THE_STAFF)
