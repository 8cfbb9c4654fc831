"""The English sentences of the referee. Part of :mod:`punto.catalogue.en`."""

SENTENCES = {
    # ---- what is no question
    "out_of_range.question_cards": "A step of a question has at most {most} cards, not {cards}.",
    "out_of_range.shoe_left": "The shoe can have 0 to {most} cards left, not {left}.",
    "bad_request.link": "This link is damaged: it holds no question. Ask for it again, or start with an empty table.",
    "bad_request.link_long": "This link is longer than {most:,} characters, so it holds no question.",
    "bad_request.link_version": "This link is damaged, or a later release made it. Ask for it again, or start with an empty table.",
}
