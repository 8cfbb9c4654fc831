"""A memo on a game as one HTML page that prints on A4, with its style inside."""

import json
import re
from collections.abc import Iterable, Sequence
from html import escape

import punto
from punto.catalogue.sentence import Language, paragraph, phrase, write
from punto.catalogue.values import Moment, Odds
from punto.cli._shared.memo_figures import Memo, ReadingChangeOut
from punto.cli._shared.odds_tables import merged, rank_range
from punto.odds.counting.advantage import Turned, Turning
from punto.rules.bets.pay_lines import BetRule
from punto.rules.rulebook import Rulebook

_MAIN = ("player", "banker")
_MINUS, _NEVER = "\N{MINUS SIGN}", "\N{EN DASH}"
_STYLE = """
@page { size: A4; margin: 11mm 12mm; }
:root { color-scheme: light; }
body { font: 8.5pt/1.3 "Helvetica Neue", Arial, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif;
  color: #1c1a17; background: #fff; max-width: 186mm; margin: 8mm auto; }
@media print { body { margin: 0 auto; } }
@media screen and (max-width: 800px) { body { margin: 4mm; } .wide { overflow-x: auto; } }
h1 { font-size: 17pt; margin: 0; }
h2 { font-size: 10.5pt; margin: 4mm 0 1mm; border-bottom: 0.4mm solid #8a6d2f; }
p { margin: 0 0 1.5mm; }
@media print, (min-width: 700px) { .side { display: grid; grid-template-columns: 9fr 11fr; gap: 0 6mm; } }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 0.35mm 1mm; text-align: right; border-bottom: 0.2mm solid #ddd3bd; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { font-weight: 600; color: #5a5247; white-space: normal; vertical-align: bottom; }
tbody th { font-weight: 600; }
.side tbody th { white-space: normal; }
code { font: inherit; }
.bettor { background: #fbe3b5; font-weight: 700; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
small { color: #5a5247; font-size: 7pt; }
ul { columns: 2; column-gap: 6mm; margin: 0; padding: 0; list-style: none; font-size: 7.5pt; }
li { break-inside: avoid; margin-bottom: 1.3mm; }
section, tr { break-inside: avoid; }
footer { margin-top: 4mm; color: #5a5247; font-size: 7.5pt; overflow-wrap: anywhere; }
"""


def memo_page(memo: Memo, rules: Rulebook, language: Language) -> str:
    return _Page(memo, rules, language).html()


class _Page:
    def __init__(self, memo: Memo, rules: Rulebook, language: Language) -> None:
        self._memo, self._rules, self._language = memo, rules, language

    def html(self) -> str:
        memo, rules, language = self._memo, self._rules, self._language
        title = self._say("memo.title", game=rules.title_in(language))
        since = Moment(rules.in_force_from)
        in_force = self._say(
            "memo.version" if rules.version else "memo.unversioned", version=rules.version, since=since
        )
        lead = paragraph((in_force, self._say("memo.lead", decks=memo.decks, cards=memo.cards)), language)
        parts = [
            f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{title}</title><style>{_STYLE}</style></head><body>",
            f"<header><h1>{title}</h1><p>{lead}</p></header><main>",
            self._top(),
            self._known_first(),
            self._turning(memo.turning) if memo.turning is not None else "",
            self._readings(),
            f"</main><footer>{self._say('memo.footer', version=punto.__version__, law=memo.law)}</footer>",
            "</body></html>\n",
        ]
        return "\n".join(part for part in parts if part)

    def _top(self) -> str:
        """Edges and insurance, side by side if both are tables."""
        both = self._edges() + self._insurance()
        return f'<div class="side">{both}</div>' if self._memo.insurance_favours_bettor else both

    def _say(self, key: str, **values: object) -> str:
        return escape(write(phrase(key, **values), self._language))

    def _bet(self, bet: str) -> str:
        return self._say(f"bet.{bet}")

    def _section(self, name: str, lead: str, *inside: str) -> str:
        lead = f"<p>{lead}</p>" if lead else ""
        return f'<section><h2>{self._say(f"memo.{name}")}</h2>{lead}<div class="wide">{"".join(inside)}</div></section>'

    def _table(self, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
        heads = "".join(f'<th scope="col">{each}</th>' for each in head)
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(map(_row, rows))}</tbody></table>"

    # ---- the sections

    def _edges(self) -> str:
        head = [self._say(f"memo.{name}") for name in ("bet", "pays", "edge", "wins", "deviation")]
        rows = [
            [
                self._bet(bet),
                self._pays(self._rules.bets[bet]),
                _marked(_percent(each.edge_float, 4), marked=each.edge_float < 0),
                _percent(each.hit_float, 4),
                f"{each.std:.4f}",
            ]
            for bet, each in self._memo.bets.items()
        ]
        return self._section("edges", "", self._table(head, rows))

    def _pays(self, rule: BetRule) -> str:
        odds = dict.fromkeys(line.verdict.odds_text for line in rule.pays if line.verdict.odds_text)
        return escape(write(tuple(map(Odds, odds)), self._language))

    def _insurance(self) -> str:
        memo, cells = self._memo, self._memo.insurance_favours_bettor
        if not memo.insurance_cells:
            return self._section("insurance", self._say("memo.no_insurance"))
        if not cells:
            return self._section("insurance", self._say("memo.insurance_none", cells=memo.insurance_cells))
        times = f"{sum(_share(cell.offered) for cell in cells) * 100:.1f}"
        lead = self._say("memo.insurance_some", some=len(cells), cells=memo.insurance_cells, times=times)
        head = [self._say(f"memo.{name}") for name in ("stage", "insured", "points", "pays", "offered", "advantage")]
        rows = [
            [
                self._say(f"memo.stage_{cell.stage}"),
                self._say(f"side.{cell.side}"),
                f"{cell.player}{_NEVER}{cell.banker}",
                escape(write(Odds(cell.odds), self._language)),
                _percent(_share(cell.offered), 2),
                _marked(_percent(-cell.edge_float, 2), marked=True),
            ]
            for cell in cells
        ]
        return self._section("insurance", lead, self._table(head, rows))

    def _known_first(self) -> str:
        known = self._memo.known_first
        columns = merged({rank: [each.edge for each in bets.values()] for rank, bets in known.items()})
        gains = {(bet, ranks): -known[ranks[0]][bet].edge_float for bet in self._memo.bets for ranks in columns}
        main = max((key for key in gains if key[0] in _MAIN), key=gains.__getitem__)
        best = max(gains, key=gains.__getitem__)
        lead = self._say(
            "memo.first_lead",
            main=_percent(gains[main], 2),
            main_bet=phrase(f"bet.{main[0]}"),
            main_rank=_ranks(main[1]),
            best=_percent(gains[best], 2),
            best_bet=phrase(f"bet.{best[0]}"),
            best_rank=_ranks(best[1]),
        )
        rows = [
            [self._bet(bet), *(_marked(_signed(gains[bet, ranks]), marked=gains[bet, ranks] > 0) for ranks in columns)]
            for bet in self._memo.bets
        ]
        return self._section("first", lead, self._table([self._say("memo.bet"), *map(_ranks, columns)], rows))

    def _turning(self, turning: Turning) -> str:
        lead = self._say("memo.turning_lead", shoes=turning.shoes, seed=turning.seed)
        head = [self._say("memo.bet"), *(self._say("memo.cut", cards=each.cut_card) for each in turning.cuts)]
        rows = [[self._bet(bet), *(_turned(cut.bets[bet]) for cut in turning.cuts)] for bet in self._memo.bets]
        rows.append([self._say("memo.any_bet"), *(_turned(cut.any_bet) for cut in turning.cuts)])
        rows.append([self._say("memo.rounds"), *(f"{cut.rounds / turning.shoes:.1f}" for cut in turning.cuts)])
        return self._section("turning", lead, self._table(head, rows))

    def _readings(self) -> str:
        items = "".join(f"<li>{self._reading(each)}</li>" for each in self._memo.readings)
        heading = f"<h2>{self._say('memo.readings')}</h2><p>{self._say('memo.readings_lead')}</p>"
        return f"<div>{heading}<ul>{items}</ul></div>"

    def _reading(self, reading: ReadingChangeOut) -> str:
        said = [self._say("memo.otherwise", alternative=reading.alternative), escape(reading.effect)]
        for other in reading.edges:
            ours = self._memo.bets[other.bet].edge_float
            values = {"ours": _percent(ours, 2), "other": _percent(other.edge_float, 2)}
            said.append(self._say("memo.other_edge", bet=other.bet, **values))
        if reading.setting is not None:
            key = "memo.reading_adopted" if reading.adopted else "memo.reading_value"
            said.append(self._say(key, setting=reading.setting, value=json.dumps(reading.in_force)))
        clauses = f"<small>{escape(', '.join(reading.clauses))}</small>"
        return f"<b>{escape(reading.title)}</b> {clauses}<br>{_code(paragraph(said, self._language))}"


def _row(cells: Sequence[str]) -> str:
    first, *rest = cells
    return f'<tr><th scope="row">{first}</th>{"".join(map(_cell, rest))}</tr>'


def _cell(cell: str) -> str:
    return cell if cell.startswith("<td") else f"<td>{cell}</td>"


def _code(text: str) -> str:
    return re.sub("`([^`]+)`", r"<code>\1</code>", text)


def _marked(text: str, *, marked: bool) -> str:
    return f'<td class="bettor">{text}</td>' if marked else text


def _percent(part: float, decimals: int) -> str:
    text = f"{abs(part) * 100:.{decimals}f}%"
    return f"{_MINUS}{text}" if part < 0 and float(text[:-1]) else text


def _signed(part: float) -> str:
    """In percent, without its sign."""
    return f"{part * 100:+.2f}".replace("-", _MINUS)


def _share(fraction: str) -> float:
    numerator, _, denominator = fraction.partition("/")
    return int(numerator) / int(denominator or 1)


def _turned(turned: Turned) -> str:
    if not turned.share:
        return _NEVER
    error = "" if turned.share_error is None else f" <small>±{turned.share_error * 200:.3f}</small>"
    return f"{turned.share * 100:.3f}%{error}"


def _ranks(ranks: str) -> str:
    return rank_range(ranks).replace("T", "10").replace("-", _NEVER)
