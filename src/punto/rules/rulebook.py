"""What a book says, as frozen records. ``loader`` makes them from TOML."""

from collections.abc import Iterable
from enum import StrEnum
from functools import cached_property

from msgspec import Struct

from punto.catalogue.sentence import Language, knows, phrase, say
from punto.rules.bets.insurance import Insurance, InsuranceLine
from punto.rules.bets.pay_lines import BetRule, Verdict
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import Space
from punto.rules.coup.table_of_play import TableOfPlay
from punto.rules.earlier_laws import EARLIER_HASHES
from punto.rules.refusals import Clause, Code, Refused
from punto.rules.topics import RULE_SWITCHES, Topic


class ClauseKind(StrEnum):
    """What a clause is about."""

    DEFINITION = "definition"
    EQUIPMENT = "equipment"
    BETTING = "betting"
    LIMITS = "limits"
    DEALING = "dealing"
    INSURANCE = "insurance"
    SETTLEMENT = "settlement"
    IRREGULARITY = "irregularity"
    AUTHORITY = "authority"
    NOTICE = "notice"


class HandledBy(StrEnum):
    """Who or what handles a clause."""

    ENGINE = "engine"
    STAFF = "staff"
    """The table's staff, through a command."""
    PEOPLE = "people"
    """People, without a command; ``Rulebook.offered`` says what Punto offers them."""


class RegisteredClause(Struct, frozen=True):
    """A clause in the register; its summary is in the catalogue."""

    id: Clause
    kind: ClauseKind
    handled_by: HandledBy
    command: str | None = None
    """The command by which staff carry it out; None if something else handles it."""


class LayoutKind(StrEnum):
    """The size of the table, if the book names it."""

    BIG = "big"
    BEAN = "bean"
    MINI = "mini"


class Layout(Struct, frozen=True):
    """A table layout: an appendix of the book."""

    id: str
    kind: LayoutKind | None
    least_boxes: int | None
    """None if the book gives no number. Then it is chosen when a table is opened."""
    most_boxes: int | None
    menu: tuple[str, ...]
    clause: Clause


class Decks(Struct, frozen=True):
    """How many decks the game is played with."""

    least: int
    most: int
    clause: Clause


class Rulebook(Struct, frozen=True, dict=True):
    """One book of rules."""

    id: str
    version: str | None
    in_force_from: str
    """Singapore time, ISO 8601; a bare date where the book gives no hour."""
    law_hash: str
    """Hash of everything that decides a round, without names, summaries and the clauses of the topics."""
    decks: Decks
    layouts: dict[str, Layout]
    table_of_play: TableOfPlay
    bets: dict[str, BetRule]
    insurance: Insurance | None
    topics: dict[Topic, tuple[Clause, ...]]
    clauses: dict[Clause, RegisteredClause]
    words: dict[str, dict[str, str]] = {}
    """What the book itself says in the place of the catalogue, by key and language."""
    bases: tuple[str, ...] = ()
    """The ids of the books it extends, the nearest first."""

    @property
    def title(self) -> str:
        """In English; :meth:`title_in` has the other languages."""
        return self.title_in("en")

    def title_in(self, language: Language) -> str:
        """The name of the game, with the kind of baccarat if the name does not include it."""
        if not knows(f"book.{self.id}"):
            return self.id
        name = phrase(f"book.{self.id}")
        if not knows(f"book_kind.{self.id}"):
            return say(name.key, language)
        return say("book_title", language, name=name, kind=phrase(f"book_kind.{self.id}"))

    def summary(self, clause: Clause, language: Language = "en") -> str:
        """A clause in our own words; the book itself is the law. Clauses taken over have the words of their book."""
        found = next((book for book in (self.id, *self.bases) if knows(f"clause.{book}.{clause}")), None)
        return clause if found is None else say(f"clause.{found}.{clause}", language)

    def offered(self, clause: Clause, language: Language = "en") -> str | None:
        """What Punto offers the people who handle a clause; None if people do not handle it."""
        if self.clauses[clause].handled_by is not HandledBy.PEOPLE:
            return None
        found = next((book for book in (self.id, *self.bases) if knows(f"offers.{book}.{clause}")), None)
        return None if found is None else say(f"offers.{found}.{clause}", language)

    def is_law(self, law_hash: str) -> bool:
        """Whether a hash is that of this law, given by this release or an earlier one."""
        return law_hash == self.law_hash or law_hash in EARLIER_HASHES.get(self.law_hash, ())

    def has(self, topic: Topic) -> bool:
        """Whether the book has the rule that the topic switches on."""
        if topic not in RULE_SWITCHES:
            raise ValueError(f"{topic} switches no rule")
        return bool(self.topics[topic])

    @property
    def has_shuffler(self) -> bool:
        """Whether the book knows electronic shufflers. Only new settings depend on it, so the law's hash does not."""
        return bool(self.topics[Topic.ELECTRONIC_SHUFFLER])

    @cached_property
    def space(self) -> Space:
        """All runs of this book's Table of Play."""
        return Space(self.table_of_play)

    def coup(self, text: str = "") -> Coup:
        """A coup of this book from its written cards."""
        return Coup.of(self.space, text)

    def offers(self, coup: Coup) -> tuple[InsuranceLine, ...]:
        """The insurance that a coup has offered so far; empty if the book has no insurance."""
        return self.insurance.offers(coup) if self.insurance else ()

    def layout(self, name: str | None) -> Layout:
        """The layout of that name. Without a name, the first one, if all layouts have the same menu."""
        if name is None:
            layouts = list(self.layouts.values())
            if any(set(layout.menu) != set(layouts[0].menu) for layout in layouts):
                raise Refused(
                    Code.LAYOUT_REQUIRED,
                    topic=Topic.LAYOUTS,
                    clauses=self.topics[Topic.LAYOUTS],
                    book=self.id,
                    layouts=tuple(self.layouts),
                )
            return layouts[0]
        if name not in self.layouts:
            raise self.unknown_layout(name)
        return self.layouts[name]

    def unknown_layout(self, name: str) -> Refused:
        """The refusal for a layout that the book does not have."""
        return Refused(
            Code.UNKNOWN_LAYOUT,
            topic=Topic.LAYOUTS,
            clauses=self.topics[Topic.LAYOUTS],
            book=self.id,
            layout=name[:40],
            layouts=tuple(self.layouts),
        )

    def verdicts(self, layout: str | None) -> dict[str, tuple[Verdict, ...] | BetRule]:
        """For each bet on a layout's menu, its verdicts by the index of the outcome, or its rule if cards matter."""
        verdicts = self._verdicts.get(layout)
        if verdicts is None:
            menu = self.layout(layout).menu
            verdicts = self._verdicts[layout] = {bet: self._column(self.bets[bet]) for bet in menu}
        return verdicts

    @cached_property
    def _verdicts(self) -> dict[str | None, dict[str, tuple[Verdict, ...] | BetRule]]:
        return {}

    @staticmethod
    def _column(rule: BetRule) -> tuple[Verdict, ...] | BetRule:
        return rule.verdicts if rule.automaton is None else rule

    def needs_suits(self, menu: Iterable[str]) -> bool:
        """Whether some bet of the menu cannot be settled by the ranks of the cards alone."""
        return any(self.bets[bet].needs_suits for bet in menu)

    def not_on_menu(self, bet: str, layout: Layout) -> Refused:
        """The refusal for a bet that cannot be placed on that layout."""
        return self.not_on_layout(bet, layout) if bet in self.bets else self.unknown_bet(bet, layout.menu)

    def not_on_layout(self, bet: str, layout: Layout) -> Refused:
        """The refusal for a bet that the layout does not offer. It cites the bet's clause if the book has the bet."""
        lines = self.bets[bet].pays if bet in self.bets else ()
        pays = tuple(dict.fromkeys(line.verdict.clauses[0] for line in lines))
        return Refused(
            Code.BET_NOT_ON_LAYOUT,
            variant="elsewhere" if bet in self.bets else "unknown",
            topic=Topic.BETS_OFFERED,
            clauses=(*self.topics[Topic.BETS_OFFERED], *pays),
            bet=bet[:40],
            layout=layout.id,
            book=self.id,
            menu=tuple(layout.menu),
        )

    def unknown_bet(self, bet: str, menu: Iterable[str]) -> Refused:
        """The refusal for a bet that the book does not have."""
        return Refused(
            Code.UNKNOWN_BET,
            topic=Topic.BETS_OFFERED,
            clauses=self.topics[Topic.BETS_OFFERED],
            book=self.id,
            bet=bet[:40],
            menu=tuple(menu),
        )

    def require_decks(self, decks: int | None) -> int:
        """The number of decks, within the book's range; None gives the most."""
        if decks is None:
            return self.decks.most
        if not self.decks.least <= decks <= self.decks.most:
            raise self.decks_out_of_range(decks)
        return decks

    def decks_out_of_range(self, decks: int) -> Refused:
        """The refusal for a number of decks that the book does not allow."""
        return Refused(
            Code.DECKS_OUT_OF_RANGE,
            topic=Topic.DECKS,
            clauses=(self.decks.clause,),
            book=self.id,
            least=self.decks.least,
            most=self.decks.most,
            decks=decks,
        )
