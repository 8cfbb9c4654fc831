"""A question as a short text for the address of a page, and back."""

import binascii
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode

import msgspec

from punto.rules.refusals import Code, Refused
from punto.table.referee.question import RefereeQuestion, read_question

LINK_VERSION = "1"
"""The first character of every link. What one version writes, every later one reads."""
MAX_LINK_LENGTH = 4_000
MAX_JSON_BYTES = 16_000
_WINDOW = -15
"""Raw deflate: a link needs no header and no checksum."""
_COMMON = (
    b'{"command":"report_wrong_number.1"report_interruption.1"report_not_shuffled.1"report_foreign_card.1"'
    b'report_card_count.1"report_dealing_error.1"report_face_up_card.1"report_simultaneous_cards.1"entered":'
    b'report_late_bet.1"report_later_error.1"rule.1"effect":"amounts":{"rule_card_order.1","order":[2,1]'
    b'{"command":"open_insurance.1"}{"command":"take_insurance.1","stake_minor":{"command":"choose_option.1",'
    b'"who":"box 1","choice":"continue"}"choice":"return"}{"command":"report_wrong_side.1","as_dealt":["banker",'
    b'"player","banker","player"],"reconstructable":false,"in_doubt":["to":"player","reason":"'
    b'{"command":"report_excess_card.1","cards":["{"command":"settle.1"}"layout":"A","table":{"face_down":true}'
    b'"betting_open":true"decks":8,{"book":"tiger-buffalo"da-hu-ying-xiong"super-six-plus"commission-insurance",'
    b'"bets":[{"box":1,"bet":"banker","stake":"100"},{"box":2,"bet":"player","stake":"50"}],"happened":["9s 2d Kh 3c"'
)
"""What questions have in common, so that it need not be in the link. It belongs to the version."""


def write_link(question: RefereeQuestion) -> str:
    deflate = zlib.compressobj(9, zlib.DEFLATED, _WINDOW, zdict=_COMMON)
    packed = deflate.compress(msgspec.json.encode(question)) + deflate.flush()
    return LINK_VERSION + urlsafe_b64encode(packed).decode().rstrip("=")


def read_link(text: str) -> RefereeQuestion:
    """The question of a link; refused if it is none, or of a version that is not known here."""
    if len(text) > MAX_LINK_LENGTH:
        raise Refused(Code.WRONG_TYPE, variant="link_long", most=MAX_LINK_LENGTH)
    if text[:1] != LINK_VERSION:
        raise Refused(Code.WRONG_TYPE, variant="link_version")
    try:
        packed = urlsafe_b64decode(text[1:].encode("ascii") + b"=" * (-(len(text) - 1) % 4))
        inflate = zlib.decompressobj(_WINDOW, zdict=_COMMON)
        content = inflate.decompress(packed, MAX_JSON_BYTES)
    except (UnicodeEncodeError, binascii.Error, zlib.error) as error:
        raise Refused(Code.WRONG_TYPE, variant="link") from error
    if not inflate.eof:
        raise Refused(Code.WRONG_TYPE, variant="link")
    return read_question(content)
