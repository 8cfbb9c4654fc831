"""A small drawing for each tile: cards, hands and chips on a felt, with what is wrong in yellow. No text in them."""

from punto.table.procedure.trouble.tiles import TileName

_FELT, _IVORY, _INK, _NAVY, _BRASS = "#0e4f3c", "#fdfaf1", "#221a13", "#1c2735", "#d9bd7c"
_BLUE, _RED, _WRONG = "#7db0ff", "#ff9286", "#ffcf4d"
_HEART = "#b3172b"


def _drawing(*parts: str) -> str:
    felt = (
        f'<rect x=".75" y=".75" width="94.5" height="62.5" rx="9" fill="{_FELT}" stroke="{_BRASS}" stroke-width="1.5"/>'
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 64" aria-hidden="true" focusable="false" '
        f'fill="none" stroke-linecap="round" stroke-linejoin="round">{felt}{"".join(parts)}</svg>'
    )


def _at(x: float, y: float, turned: float, part: str) -> str:
    return f'<g transform="translate({x} {y}) rotate({turned})">{part}</g>'


def _card(x: float, y: float, *, turned: float = 0, pip: str = _HEART, wrong: bool = False) -> str:
    """A card face up, around its middle."""
    edge, width = (_WRONG, 2.6) if wrong else (_INK, 0.7)
    face = (
        f'<rect x="-8" y="-11" width="16" height="22" rx="2.4" fill="{_IVORY}" stroke="{edge}" stroke-width="{width}"/>'
    )
    return _at(x, y, turned, f'{face}<path d="M0-5.5 4 0 0 5.5-4 0Z" fill="{pip}"/>')


def _back(x: float, y: float, *, turned: float = 0, colour: str = _NAVY, wrong: bool = False) -> str:
    edge, width = (_WRONG, 2.6) if wrong else (_INK, 0.7)
    face = (
        f'<rect x="-8" y="-11" width="16" height="22" rx="2.4" fill="{_IVORY}" stroke="{edge}" stroke-width="{width}"/>'
    )
    inner = f'<rect x="-6" y="-9" width="12" height="18" rx="1.2" fill="{colour}"/>'
    return _at(x, y, turned, f'{face}{inner}<path d="M0-5 3.4 0 0 5-3.4 0Z" stroke="{_BRASS}" stroke-width="1"/>')


def _hands() -> str:
    """Player's place on the left, Banker's on the right."""
    place = '<rect x="{x}" y="14" width="38" height="36" rx="6" stroke="{colour}" stroke-width="1.6"/>'
    return place.format(x=7, colour=_BLUE) + place.format(x=51, colour=_RED)


def _gap(x: float, y: float, *, turned: float = 0) -> str:
    """A place without its card."""
    outline = f'stroke="{_WRONG}" stroke-width="2" stroke-dasharray="3.4 3.6"'
    return _at(x, y, turned, f'<rect x="-8" y="-11" width="16" height="22" rx="2.4" {outline}/>')


def _chip(x: float, y: float, *, colour: str = _HEART, radius: float = 9, wrong: bool = False) -> str:
    edge = f'<circle r="{radius + 2.2}" stroke="{_WRONG}" stroke-width="2.2"/>' if wrong else ""
    rim = f'<circle r="{radius}" fill="{colour}" stroke="{_IVORY}" stroke-width="1"/>'
    dashes = 'stroke-width="3" stroke-dasharray="4 4.2" stroke-linecap="butt"'
    spots = f'<circle r="{radius - 1.6}" stroke="{_IVORY}" {dashes}/>'
    return _at(
        x, y, 0, f'{edge}{rim}{spots}<circle r="{radius - 4}" fill="{colour}" stroke="{_IVORY}" stroke-width=".8"/>'
    )


def _line(path: str, *, colour: str = _WRONG, width: float = 3) -> str:
    return f'<path d="{path}" stroke="{colour}" stroke-width="{width}"/>'


def _shoe(*, empty: bool = False) -> str:
    """A dealing shoe on the left whose mouth is on the right."""
    box = f'<path d="M10 46V24L32 14H46V46Z" fill="#3a2a1c" stroke="{_BRASS}" stroke-width="1.4"/>'
    window = f'<path d="M38 20H46V40H38Z" fill="{"#120d09" if empty else _IVORY}" stroke="{_BRASS}" stroke-width="1"/>'
    return box + window


def _screen(*, dark: bool = False) -> str:
    glass = "#0a0d12" if dark else "#dfe9f5"
    return (
        f'<rect x="14" y="13" width="40" height="28" rx="3.5" fill="{glass}" stroke="{_IVORY}" stroke-width="2"/>'
        f'<path d="M34 41V48M25 50H43" stroke="{_IVORY}" stroke-width="2.4"/>'
    )


_BOLT = f'<path d="M70 9 56 34H66L60 55 80 27H69L76 9Z" fill="{_WRONG}" stroke="{_INK}" stroke-width=".8"/>'
_WARNING = (
    f'<path d="M71 20 87 48H55Z" fill="{_WRONG}" stroke="{_INK}" stroke-width="1"/>'
    f'<path d="M71 30V38" stroke="{_INK}" stroke-width="3.4"/><circle cx="71" cy="43.6" r="1.9" fill="{_INK}"/>'
)
_STOP = (
    f'<path d="M38 10H58L72 24V40L58 54H38L24 40V24Z" fill="#b3172b" stroke="{_IVORY}" stroke-width="2.4"/>'
    f'<path d="M36 32H60" stroke="{_IVORY}" stroke-width="7" stroke-linecap="butt"/>'
)
_PENCIL = (
    f'<path d="M86 14 62 38 59 46 67 43 91 19Z" fill="{_WRONG}" stroke="{_INK}" stroke-width="1"/>'
    f'<path d="M59 46 63.4 44.4 60.6 41.6Z" fill="{_INK}"/>'
)
_SHIELD = (
    f'<path d="M70 12 86 18C86 34 81 45 70 52 59 45 54 34 54 18Z" stroke="{_WRONG}" stroke-width="2.4" '
    'stroke-dasharray="4.2 4.4"/>'
)
_DOOR = (
    f'<path d="M64 52V12H86V52" fill="#3a2a1c" stroke="{_BRASS}" stroke-width="1.8"/>'
    f'<circle cx="68.6" cy="33" r="1.6" fill="{_BRASS}"/>'
)
_GAVEL = _at(
    50,
    26,
    -32,
    f'<rect x="-15" y="-8" width="30" height="16" rx="3" fill="#7a4a22" stroke="{_BRASS}" stroke-width="1.4"/>'
    f'<path d="M-10-8V8M10-8V8" stroke="{_BRASS}" stroke-width="1.4"/>'
    f'<path d="M0 8V34" stroke="#7a4a22" stroke-width="5.4"/>',
)
_DISK = (
    f'<path d="M32 20V44C32 48 39 50.5 48 50.5S64 48 64 44V20" fill="#27384d" stroke="{_IVORY}" stroke-width="1.6"/>'
    f'<ellipse cx="48" cy="20" rx="16" ry="6" fill="#3c5573" stroke="{_IVORY}" stroke-width="1.6"/>'
    f'<path d="M32 32C32 36 39 38.5 48 38.5S64 36 64 32" stroke="{_IVORY}" stroke-width="1.6"/>'
)
_AGAIN = _line("M20 46A31 24 0 0 1 20 17M20 17 13 20M20 17 24 23") + _line(
    "M76 17A31 24 0 0 1 76 46M76 46 83 43M76 46 72 40"
)

DRAWINGS: dict[TileName, str] = {
    TileName.EXCESS: _drawing(
        _hands(),
        _card(17, 32),
        _card(35, 32, pip=_INK),
        _card(61, 32, pip=_INK),
        _card(79, 32),
        _card(48, 22, turned=16, wrong=True),
    ),
    TileName.WRONG_NUMBER: _drawing(
        _hands(),
        _card(14, 32),
        _card(22, 32, pip=_INK),
        _card(30, 32),
        _card(38, 32, pip=_INK, wrong=True),
        _card(61, 32),
        _gap(79, 32),
    ),
    TileName.WRONG_SIDE: _drawing(
        _hands(),
        _card(17, 32),
        _gap(35, 32),
        _card(60, 32, pip=_INK),
        _card(70, 32),
        _card(81, 36, turned=8, pip=_INK, wrong=True),
        _line("M33 12C42 3 62 3 74 13M74 13 67 13.6M74 13 72.6 6.4"),
    ),
    TileName.FACE_UP: _drawing(_back(16, 32), _back(37, 32), _card(58, 32, wrong=True), _back(79, 32)),
    TileName.AT_ONCE: _drawing(
        _shoe(),
        _back(60, 27, turned=-6, wrong=True),
        _back(74, 37, turned=8, wrong=True),
        _line("M50 54H66M66 54 61 50.6M66 54 61 57.4"),
    ),
    TileName.DEALING_ERROR: _drawing(_card(20, 30, turned=-14), _back(37, 37, turned=22), _WARNING),
    TileName.OPTIONS: _drawing(
        _chip(48, 32, radius=12),
        _line("M68 32H86M86 32 79 26M86 32 79 38", colour=_BLUE),
        _line("M28 32H10M10 32 17 26M10 32 17 38", colour=_RED),
    ),
    TileName.WRONG_CARDS: _drawing(_shoe(), _back(58, 32), _back(70, 32), _back(82, 32, colour="#a81d2f", wrong=True)),
    TileName.RUNS_OUT: _drawing(_shoe(empty=True), _gap(66, 32, turned=0)),
    TileName.STOPPED: _drawing(_STOP),
    TileName.INTERRUPTION: _drawing(_screen(dark=True), _BOLT),
    TileName.SERVER_AWAY: _drawing(
        _screen(dark=True),
        _line("M26 20 42 34M42 20 26 34"),
        _card(68, 32, turned=-8),
        _card(80, 34, turned=8, pip=_INK),
    ),
    TileName.RESTORED: _drawing(_DISK, _AGAIN),
    TileName.ENTERED_WRONGLY: _drawing(
        _screen(), _at(34, 27, 0, f'<path d="M0-8 6 0 0 8-6 0Z" fill="{_INK}"/>'), _PENCIL
    ),
    TileName.LATE_BET: _drawing(
        f'<rect x="10" y="34" width="76" height="20" rx="6" stroke="{_BLUE}" stroke-width="1.6"/>',
        _chip(30, 44, radius=7.5, colour="#14693f"),
        _line("M10 28H86", colour=_RED, width=2.4),
        _chip(62, 16, radius=7.5, wrong=True),
        _line("M62 29V43M62 43 57.4 38.4M62 43 66.6 38.4"),
    ),
    TileName.UNINSURED: _drawing(_card(17, 32), _card(34, 32, pip=_INK), _SHIELD, _line("M56 49 84 14")),
    TileName.WALKS_AWAY: _drawing(
        _chip(16, 40), _chip(30, 36, colour="#1c1b20"), _DOOR, _line("M42 32H58M58 32 52.4 26.6M58 32 52.4 37.4")
    ),
    TileName.EARLIER_ROUND: _drawing(
        _back(18, 34, turned=-12),
        _back(26, 34),
        _back(34, 34, turned=12),
        f'<circle cx="68" cy="32" r="17" fill="{_NAVY}" stroke="{_IVORY}" stroke-width="2"/>',
        _line("M68 32V21M68 32 60 37", colour=_IVORY, width=2.6),
        _line("M50 20A22 22 0 0 0 47 38M47 38 42 33M47 38 52.6 34.6"),
    ),
    TileName.NOTHING_FITS: _drawing(_GAVEL, f'<path d="M24 53H46" stroke="{_BRASS}" stroke-width="5"/>'),
}
