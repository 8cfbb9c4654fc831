"""What follows from a command, in words: see :mod:`punto.web.words.event_words`."""

from punto.web.words.event_words import PreviewedEvent, Writer, card_phrase

__all__ = ["PreviewedEvent", "Writer", "card_phrase"]
