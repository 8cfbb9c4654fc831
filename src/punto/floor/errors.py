"""Errors between a command and the disk, all in the common form of a refusal."""

from enum import StrEnum
from typing import Any

from punto.rules.refusals import Refused


class FloorCode(StrEnum):
    """Codes of refusals that come from the floor rather than from a rulebook."""

    UNKNOWN_TABLE = "unknown_table"
    TABLE_EXISTS = "table_exists"
    BAD_SETUP = "bad_setup"
    COMMAND_ID_TAKEN = "command_id_taken"
    BAD_COMMAND_ID = "bad_command_id"
    BAD_COMMAND = "bad_command"

    DISK_FULL = "disk_full"
    DATABASE_LOST = "database_lost"
    DATABASE_IN_USE = "database_in_use"
    DATABASE_NEWER = "database_newer"
    DATABASE_OLDER = "database_older"
    NOT_A_FLOOR = "not_a_floor"
    BAD_DATABASE = "bad_database"
    BAD_KEY = "bad_key"

    BUSY = "busy"
    DAY_NOT_OVER = "day_not_over"
    DAY_SIGNED_OFF = "day_signed_off"
    DAY_WITH_OPEN_INCIDENTS = "day_with_open_incidents"
    NOT_SIGNED_IN = "not_signed_in"
    WRONG_PASSWORD = "wrong_password"  # noqa: S105 - a code, not a password
    LOCKED_OUT = "locked_out"
    PASSWORD_TO_CHANGE = "password_to_change"  # noqa: S105 - as above
    BAD_PASSWORD = "bad_password"  # noqa: S105 - as above
    ONE_TIME_EXPIRED = "one_time_expired"
    SESSION_LOCKED = "session_locked"
    UNKNOWN_SESSION = "unknown_session"
    CODE_NEEDED = "code_needed"
    WRONG_CODE = "wrong_code"
    TOTP_TO_SET_UP = "totp_to_set_up"
    NO_PIN = "no_pin"
    WRONG_PIN = "wrong_pin"
    PIN_LOCKED = "pin_locked"
    BAD_PIN = "bad_pin"
    NOT_A_TERMINAL = "not_a_terminal"
    UNKNOWN_TERMINAL = "unknown_terminal"
    UNKNOWN_SHOE = "unknown_shoe"
    BAD_SHOE = "bad_shoe"
    ACCOUNT_EXISTS = "account_exists"
    UNKNOWN_ACCOUNT = "unknown_account"
    UNKNOWN_PLAYER = "unknown_player"
    UNKNOWN_VISITOR = "unknown_visitor"
    CARD_TAKEN = "card_taken"
    BAD_CARD_NUMBER = "bad_card_number"
    BAD_NOTES = "bad_notes"
    NO_VISITORS = "no_visitors"
    NAME_TAKEN = "name_taken"
    NO_POSITION = "no_position"
    BAD_POSITION = "bad_position"
    BAD_TOKEN = "bad_token"  # noqa: S105 - as above
    BAD_FLOOR_RULES = "bad_floor_rules"
    BAD_CHIP_SET = "bad_chip_set"
    BAD_SETTINGS = "bad_settings"
    BAD_DUTY = "bad_duty"
    NOT_ON_DUTY_HERE = "not_on_duty_here"
    UNKNOWN_READING = "unknown_reading"
    BAD_READING = "bad_reading"
    NO_BUY_IN = "no_buy_in"
    NO_PLAYER_CODE = "no_player_code"
    NO_MORE_BOXES = "no_more_boxes"
    VISITOR_ELSEWHERE = "visitor_elsewhere"
    PLAY_MONEY_ONLY = "play_money_only"
    MORE_THAN_TRAY = "more_than_tray"
    NOT_A_CHIP = "not_a_chip"
    COUNTS_DIFFER = "counts_differ"
    STAFF_NEVER_PLAY = "staff_never_play"

    ACCOUNTS_TO_CONFIRM = "accounts_to_confirm"
    SECOND_PERSON_NEEDED = "second_person_needed"
    UNKNOWN_PROPOSAL = "unknown_proposal"
    UNKNOWN_INCIDENT = "unknown_incident"
    UNKNOWN_ALARM = "unknown_alarm"
    OWN_PROPOSAL = "own_proposal"
    TOO_MANY_PROPOSALS = "too_many_proposals"
    PROPOSAL_OVER = "proposal_over"
    PREVIEW_CHANGED = "preview_changed"
    TRAINING_ONLY = "training_only"

    GAMING_STOPPED = "gaming_stopped"
    UNKNOWN_STOP = "unknown_stop"
    BAD_STOP = "bad_stop"

    UNKNOWN_ROUND = "unknown_round"
    NOT_THE_SEALED_CARD = "not_the_sealed_card"
    GENERATOR_FAILED = "generator_failed"
    SHOE_NOT_AS_SEALED = "shoe_not_as_sealed"
    CARD_NOT_DRAWN = "card_not_drawn"
    SEALED_SHOE = "sealed_shoe"
    SHOE_NAME_TAKEN = "shoe_name_taken"
    WRONG_SHOE = "wrong_shoe"
    CARD_GAP = "card_gap"
    CARD_DIFFERS = "card_differs"
    CARD_SCANNED = "card_scanned"
    BRIDGE_STOPPED = "bridge_stopped"
    BRIDGE_NOT_STOPPED = "bridge_not_stopped"

    UNKNOWN_JOB = "unknown_job"
    JOBS_RUNNING = "jobs_running"
    NO_JOB_FILE = "no_job_file"
    BAD_HEADS = "bad_heads"
    BAD_PACK = "bad_pack"
    BAD_PERIOD = "bad_period"
    FILE_EXISTS = "file_exists"
    NOT_EMPTY = "not_empty"
    NOT_A_BACKUP = "not_a_backup"
    MAY_NOT_RESTORE = "may_not_restore"
    BAD_CONFIG = "bad_config"


class FloorRefused(Refused):
    """The floor cannot do what was asked. Nothing has changed."""

    def __init__(self, code: str, /, *, wait_s: int | None = None, **values: Any) -> None:
        super().__init__(code, **values)
        self.wait_s = wait_s
        """Seconds until a retry makes sense, if known."""


class VersionConflict(Exception):
    """Another process appended to the stream first: reload the table and decide again."""


class CommandIdTaken(Exception):
    """A command with this id was accepted before."""


def in_use() -> FloorRefused:
    return FloorRefused(FloorCode.DATABASE_IN_USE)


def id_taken(command_id: str) -> FloorRefused:
    """A different command with this id was accepted before."""
    return FloorRefused(FloorCode.COMMAND_ID_TAKEN, command_id=command_id)


def unfit_value(reason: str) -> FloorRefused:
    """The database cannot hold a value that came with a request. Other work of its batch goes on."""
    return FloorRefused(FloorCode.BAD_COMMAND, variant="value", reason=reason)


def too_busy(table: str) -> FloorRefused:
    """Other processes appended first on every retry."""
    return FloorRefused(FloorCode.DATABASE_LOST, variant="busy", table=table)


def is_database_error(error: BaseException) -> bool:
    """Whether the error concerns the database rather than one table."""
    return isinstance(error, FloorRefused) and error.code in (FloorCode.DATABASE_LOST, FloorCode.DISK_FULL)
