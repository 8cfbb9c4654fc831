"""The acts of the house that two people do together, as clients propose them too."""

from typing import Annotated

from msgspec import Meta, Struct

from punto.floor.house.projections.stops import MAX_STOP_NUMBER
from punto.floor.journal.token_bounds import TOKEN_DAYS, TokenWork
from punto.floor.people.floor_rules import FloorRules
from punto.floor.settings.floor_settings import SettingsChange
from punto.table.procedure.chip_set import Chip
from punto.table.records.positions import Position

MAX_VERSION = 2**62


class Act(Struct, frozen=True, tag_field="act", forbid_unknown_fields=True):
    """An act of the house, as one person proposes it."""


class CreateAccount(Act, frozen=True, tag="create_account.1"):
    name: str
    position: Position | None = None
    """None if off duty."""


class AssignPosition(Act, frozen=True, tag="assign_position.1"):
    name: str
    position: Position | None
    """As above."""


class ResetPassword(Act, frozen=True, tag="reset_password.1"):
    name: str


class IssueToken(Act, frozen=True, tag="issue_token.1"):
    name: str
    position: Position
    days: int = TOKEN_DAYS
    work: TokenWork = TokenWork.UNBOUND
    """What it is for. Required: no token is issued that is bound to nothing."""
    table: str = ""


class ChangeFloorRules(Act, frozen=True, tag="change_floor_rules.1"):
    rules: FloorRules


class ReleaseGaming(Act, frozen=True, tag="release_gaming.1"):
    stop: Annotated[int, Meta(ge=1, le=MAX_STOP_NUMBER)]
    reason: str


class ConfirmAccounts(Act, frozen=True, tag="confirm_accounts.1"):
    """Confirms what one person did alone about accounts and tokens."""

    up_to: Annotated[int, Meta(ge=1, le=MAX_VERSION)]
    """The version of the house's stream up to which it was looked at."""
    names: tuple[str, ...]
    """All accounts concerned; an empty name stands for the rules of the floor."""


class ChangeFloorSettings(Act, frozen=True, tag="change_floor_settings.1"):
    changes: SettingsChange


class ChangeChipSet(Act, frozen=True, tag="change_chip_set.1"):
    chips: tuple[Chip, ...]


AnyAct = (
    CreateAccount
    | AssignPosition
    | ResetPassword
    | IssueToken
    | ChangeFloorRules
    | ReleaseGaming
    | ConfirmAccounts
    | ChangeFloorSettings
    | ChangeChipSet
)
