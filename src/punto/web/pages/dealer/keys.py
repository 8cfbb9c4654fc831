"""Every key that the console takes, for the list behind ``?``, the card to print and docs/dealer.md."""

from enum import StrEnum

from msgspec import Struct

from punto.web.pages.base.i18n import Translator


class KeyGroup(StrEnum):
    """In the order of the card."""

    ALWAYS = "always"
    BETS = "bets"
    CARDS = "cards"
    INSURANCE = "insurance"
    SQUEEZE = "squeeze"
    SETTLEMENT = "settlement"
    BETWEEN = "between"


class ListedKey(Struct, frozen=True):
    name: str
    """Of its sentence, ``key_list.NAME``."""
    group: KeyGroup
    keys: tuple[str, ...]
    """As scripts name them."""
    labels: frozenset[str] = frozenset()
    """What is written beside these keys in the moments that have them: ``console.key.LABEL``."""
    typed: str = ""
    """An example, where more than one key is typed."""


def _key(group: KeyGroup, name: str, keys: str, labels: str = "", typed: str = "") -> ListedKey:
    return ListedKey(name, group, tuple(keys.split("|")), frozenset(labels.split()), typed)


ALL_KEYS: tuple[ListedKey, ...] = (
    _key(
        KeyGroup.ALWAYS,
        "next_step",
        "Space",
        "open_table new_shoe burn open_betting close_betting deal deal_unseen deal_four turn offered done settle"
        " end_shoe all_returned guide resume shoe_empty all_paid",
    ),
    _key(KeyGroup.ALWAYS, "guide", "!"),
    _key(KeyGroup.ALWAYS, "call_pit", "H", "call_pit answer_call"),
    _key(KeyGroup.ALWAYS, "corrections", "P", "corrections"),
    _key(KeyGroup.ALWAYS, "buy_in", "B", "buy_in"),
    _key(KeyGroup.ALWAYS, "seats", "S", "seats"),
    _key(KeyGroup.ALWAYS, "seats_beside_cards", "M", "seats"),
    _key(KeyGroup.ALWAYS, "take_back", "Backspace"),
    _key(KeyGroup.ALWAYS, "leave", "Escape"),
    _key(KeyGroup.ALWAYS, "answer", "Y|N"),
    _key(KeyGroup.ALWAYS, "list", "?"),
    _key(KeyGroup.BETS, "bet", "1", "bet", "3B500⏎"),
    _key(KeyGroup.BETS, "behind", "/", "", "5/B2k⏎"),
    _key(KeyGroup.BETS, "second_behind", "/", "", "5/2P7k⏎"),
    _key(KeyGroup.BETS, "end_entry", "Enter"),
    _key(KeyGroup.BETS, "same_bets", "R", "same_bets"),
    _key(KeyGroup.BETS, "confirm_bets", "C", "confirm_bets"),
    _key(KeyGroup.BETS, "advise_minimum", "M", "advise_minimum"),
    _key(KeyGroup.BETS, "reject_excess", "X", "reject_excess"),
    _key(KeyGroup.BETS, "cancel_round", "Y", "cancel_round"),
    _key(KeyGroup.BETS, "lay_there", "E", "lay_there", "E3B500⏎"),
    _key(KeyGroup.BETS, "late_bet", "L", "late_bet", "L3B500⏎"),
    _key(KeyGroup.BETS, "reopen", "U", "reopen"),
    _key(KeyGroup.CARDS, "rank", "A|2|3|4|5|6|7|8|9|0|T|J|Q|K", typed="A 2-9 0 J Q K"),
    _key(KeyGroup.CARDS, "suit", "S|H|D|C"),
    _key(KeyGroup.CARDS, "cut_card", "O", "cut_card"),
    _key(KeyGroup.CARDS, "card_beyond_count", "A", "card_beyond_count"),
    _key(KeyGroup.INSURANCE, "insurance", "I", "insurance", "I3500⏎"),
    _key(KeyGroup.INSURANCE, "largest", "I", "insurance", "I3⏎"),
    _key(KeyGroup.INSURANCE, "called", "I", "insurance", "I3C"),
    _key(KeyGroup.INSURANCE, "insurance_behind", "I", "insurance", "I5/2B500⏎"),
    _key(KeyGroup.INSURANCE, "not_offered", "F", "not_offered"),
    _key(KeyGroup.INSURANCE, "late_offer", "V", "late_offer"),
    _key(KeyGroup.INSURANCE, "waiver", "W", "waiver"),
    _key(KeyGroup.SQUEEZE, "squeeze", "Z", "squeeze", "Z3P⏎"),
    _key(KeyGroup.SQUEEZE, "grant_squeeze", "G", "grant_squeeze"),
    _key(KeyGroup.SQUEEZE, "standing_squeeze", "G", "standing_squeeze"),
    _key(KeyGroup.SQUEEZE, "refuse_squeeze", "F", "refuse_squeeze"),
    _key(KeyGroup.SETTLEMENT, "next_line", "Space", "next_line"),
    _key(KeyGroup.SETTLEMENT, "all_paid", "Shift Space", "all_paid"),
    _key(KeyGroup.SETTLEMENT, "verify_payouts", "V", "verify_payouts"),
    _key(KeyGroup.BETWEEN, "new_shoe", "N", "new_shoe"),
    _key(KeyGroup.BETWEEN, "relief", "D", "relief"),
    _key(KeyGroup.BETWEEN, "table", "T", "table"),
    _key(KeyGroup.BETWEEN, "called_all_the_same", "A", "called_all_the_same"),
)


class ShownKeys(Struct, frozen=True):
    """A group of the list, in words."""

    title: str
    keys: tuple[tuple[str, str], ...]
    """What is pressed, and what it does."""


def show_keys(t: Translator) -> tuple[ShownKeys, ...]:
    return tuple(
        ShownKeys(
            t(f"key_group.{group}"),
            tuple((_written(each, t), t(f"key_list.{each.name}")) for each in ALL_KEYS if each.group is group),
        )
        for group in KeyGroup
    )


def _written(listed: ListedKey, t: Translator) -> str:
    """The example, or the keys as they are labelled on a keyboard."""
    if listed.typed:
        return listed.typed
    names = {
        "Space": t("console.shortcut.space"),
        "Shift Space": t("console.shortcut.shift_space"),
        "Escape": t("console.shortcut.escape"),
        "Enter": t("console.shortcut.enter"),
        "Backspace": "⌫",
    }
    return " ".join(names.get(key, key) for key in listed.keys)
