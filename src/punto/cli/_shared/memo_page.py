"""A memo on a game as one HTML page that prints on A4, with its style inside."""

import json
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from html import escape
from importlib.resources import files

from msgspec import Struct

import punto
from punto.catalogue.values import Moment, Odds
from punto.cli._shared.memo_figures import Memo, ReadingChangeOut
from punto.cli._shared.odds_tables import merged, rank_range
from punto.odds.counting.advantage import Turned, Turning
from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import BetRule
from punto.rules.rulebook import Rulebook
from punto.web.words.translator import Translator

_MAIN = ("player", "banker")
_MINUS, _NEVER = "\N{MINUS SIGN}", "\N{EN DASH}"
_STYLE = files("punto.cli._shared").joinpath("memo.css").read_text(encoding="utf-8")


class _Figure(Struct, frozen=True):
    """A cell of a table."""

    text: str
    error: str = ""
    favours_bettor: bool = False

    def html(self) -> str:
        error = f" <small>{escape(self.error)}</small>" if self.error else ""
        return f"<td{' class=bettor' if self.favours_bettor else ''}>{escape(self.text)}{error}</td>"


_Row = tuple[str, Sequence[_Figure]]
"""A row of a table: its heading and its cells."""


def memo_page(memo: Memo, rules: Rulebook, t: Translator) -> str:
    title = escape(t("memo.title", game=rules.title_in(t.language)))
    since = Moment(rules.in_force_from)
    in_force = (
        t("memo.version", version=rules.version, since=since) if rules.version else t("memo.unversioned", since=since)
    )
    lead = t.paragraph((in_force, t("memo.lead", decks=memo.decks, cards=memo.cards)))
    parts = [
        f'<!doctype html>\n<html lang="{t.language}"><head><meta charset="utf-8">',
        f'<meta name="viewport" content="width=device-width"><title>{title}</title><style>{_STYLE}</style></head>',
        f"<body><header><h1>{title}</h1><p>{escape(lead)}</p></header><main>",
        _edges_and_insurance(memo, rules, t),
        _known_first(memo, t),
        *([] if memo.turning is None else [_turning(memo.turning, memo, t)]),
        _readings(memo, t),
        f"</main><footer>{escape(t('memo.footer', version=punto.__version__, law=memo.law))}</footer></body></html>\n",
    ]
    return "\n".join(parts)


def _section(title: str, lead: str, table: str = "") -> str:
    said = f"<p>{escape(lead)}</p>" if lead else ""
    inside = f'<div class="wide" tabindex="0" role="group" aria-label="{escape(title)}">{table}</div>' if table else ""
    return f"<section><h2>{escape(title)}</h2>{said}{inside}</section>"


def _table(head: Sequence[str], rows: Iterable[_Row]) -> str:
    heads = "".join(f'<th scope="col">{escape(each)}</th>' for each in head)
    lines = (
        f'<tr><th scope="row">{escape(name)}</th>{"".join(cell.html() for cell in cells)}</tr>' for name, cells in rows
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


# ---- the sections


def _edges_and_insurance(memo: Memo, rules: Rulebook, t: Translator) -> str:
    """Side by side if both are tables."""
    both = _edges(memo, rules, t) + _insurance(memo, t)
    return f'<div class="side">{both}</div>' if memo.insurance_favours_bettor else both


def _edges(memo: Memo, rules: Rulebook, t: Translator) -> str:
    head = [t("memo.bet"), t("memo.pays"), t("memo.edge"), t("memo.wins"), t("memo.deviation")]
    rows = [
        (
            t(f"bet.{bet}"),
            [
                _Figure(_pays(rules.bets[bet], t)),
                _Figure(_percent(each.edge_float, 4), favours_bettor=each.edge_float < 0),
                _Figure(_percent(each.hit_float, 4)),
                _Figure(f"{each.std:.4f}"),
            ],
        )
        for bet, each in memo.bets.items()
    ]
    return _section(t("memo.edges"), "", _table(head, rows))


def _pays(rule: BetRule, t: Translator) -> str:
    odds = dict.fromkeys(line.verdict.odds_text for line in rule.pays if line.verdict.odds_text)
    return t.write(tuple(map(Odds, odds)))


def _insurance(memo: Memo, t: Translator) -> str:
    title, cells = t("memo.insurance"), memo.insurance_favours_bettor
    if not memo.insurance_cells:
        return _section(title, t("memo.no_insurance"))
    if not cells:
        return _section(title, t("memo.insurance_none", cells=memo.insurance_cells))
    times = f"{float(sum(Fraction(cell.offered) for cell in cells)) * 100:.1f}"
    lead = t("memo.insurance_some", some=len(cells), cells=memo.insurance_cells, times=times)
    head = [
        t("memo.stage"),
        t("memo.insured"),
        t("memo.points"),
        t("memo.pays"),
        t("memo.offered"),
        t("memo.advantage"),
    ]
    rows = [
        (
            t("memo.stage_four") if cell.stage == Stage.FOUR else t("memo.stage_third"),
            [
                _Figure(t(f"side.{cell.side}")),
                _Figure(f"{cell.player}{_NEVER}{cell.banker}"),
                _Figure(t.write(Odds(cell.odds))),
                _Figure(_percent(float(Fraction(cell.offered)), 2)),
                _Figure(_percent(-cell.edge_float, 2), favours_bettor=True),
            ],
        )
        for cell in cells
    ]
    return _section(title, lead, _table(head, rows))


def _known_first(memo: Memo, t: Translator) -> str:
    known = memo.known_first
    columns = merged({rank: [each.edge for each in bets.values()] for rank, bets in known.items()})
    gains = {(bet, ranks): -known[ranks[0]][bet].edge_float for bet in memo.bets for ranks in columns}
    main = max((key for key in gains if key[0] in _MAIN), key=gains.__getitem__)
    best = max(gains, key=gains.__getitem__)
    lead = t(
        "memo.first_lead",
        main=_percent(gains[main], 2),
        main_bet=main[0],
        main_rank=_ranks(main[1]),
        best=_percent(gains[best], 2),
        best_bet=best[0],
        best_rank=_ranks(best[1]),
    )
    rows = [
        (
            t(f"bet.{bet}"),
            [_Figure(_signed(gains[bet, ranks]), favours_bettor=gains[bet, ranks] > 0) for ranks in columns],
        )
        for bet in memo.bets
    ]
    return _section(t("memo.first"), lead, _table([t("memo.bet"), *map(_ranks, columns)], rows))


def _turning(turning: Turning, memo: Memo, t: Translator) -> str:
    rounds = max(cut.rounds for cut in turning.cuts)
    lead = t("memo.turning_lead", shoes=turning.shoes, rounds=rounds, seed=turning.seed)
    head = [t("memo.bet"), *(t("memo.cut", cards=cut.cut_card) for cut in turning.cuts)]
    rows = [(t(f"bet.{bet}"), [_turned(cut.bets[bet]) for cut in turning.cuts]) for bet in memo.bets]
    rows.append((t("memo.any_bet"), [_turned(cut.any_bet) for cut in turning.cuts]))
    rows.append((t("memo.rounds"), [_Figure(f"{cut.rounds / turning.shoes:.1f}") for cut in turning.cuts]))
    return _section(t("memo.turning"), lead, _table(head, rows))


def _turned(turned: Turned) -> _Figure:
    if not turned.share:
        return _Figure(_NEVER)
    error = "" if turned.share_error is None else f"±{turned.share_error * 200:.3f}"
    return _Figure(_percent(turned.share, 3), error)


def _readings(memo: Memo, t: Translator) -> str:
    items = "".join(f"<li>{_reading(each, memo, t)}</li>" for each in memo.readings)
    return f"<h2>{escape(t('memo.readings'))}</h2><p>{escape(t('memo.readings_lead'))}</p><ul>{items}</ul>"


def _reading(reading: ReadingChangeOut, memo: Memo, t: Translator) -> str:
    said = [t("memo.otherwise", alternative=reading.alternative), reading.effect]
    for other in reading.edges:
        ours = _percent(memo.bets[other.bet].edge_float, 2)
        said.append(t("memo.other_edge", bet=other.bet, ours=ours, other=_percent(other.edge_float, 2)))
    if reading.setting is not None:
        value = json.dumps(reading.in_force)
        said.append(
            t("memo.reading_adopted", setting=reading.setting, value=value)
            if reading.adopted
            else t("memo.reading_value", setting=reading.setting, value=value)
        )
    words = re.sub("`([^`]+)`", r"<code>\1</code>", escape(t.paragraph(said)))
    return f"<b>{escape(reading.title)}</b> <small>{escape(', '.join(reading.clauses))}</small><br>{words}"


# ---- figures


def _percent(part: float, decimals: int) -> str:
    text = f"{part * 100:.{decimals}f}%"
    return text.replace("-", _MINUS) if float(text[:-1]) else text.lstrip("-")


def _signed(part: float) -> str:
    """In percent, without its sign."""
    return f"{part * 100:+.2f}".replace("-", _MINUS)


def _ranks(ranks: str) -> str:
    return rank_range(ranks).replace("T", "10").replace("-", _NEVER)
