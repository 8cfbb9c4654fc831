"""The mark of a ruling that rests on no clause, because its book has none on rulings."""

from collections.abc import Sequence

from punto.catalogue.sentence import Phrase, phrase
from punto.table.records.kinds import Irregularity


def mark_ruling(words: Phrase, clauses: Sequence[str]) -> Phrase:
    """What is said of a ruling, with the mark if it cites nothing."""
    return words if clauses else phrase("ruling.no_clause", words=words)


def ground_phrase(ground: Irregularity, clauses: Sequence[str]) -> Phrase:
    """Why a round is void."""
    words = phrase(f"ground.{ground}")
    return mark_ruling(words, clauses) if ground is Irregularity.RULING else words
