"""The English sentences of the edges before a round. Part of :mod:`punto.catalogue.en`."""

SENTENCES = {
    "edges.caption": "Edges before round {round}, {cards:# card drawn|# cards drawn}",
    "edges.favour": "Below zero:",
    "edges.advantage": "{bet} {advantage}",
    "edges.favours_bettor": "favours the bettor",
    "edges.first_card_known": "A first card is known",
    "edges.unknown": "No edges: there is no shoe for another round, or the round was being dealt when the server started.",
}
