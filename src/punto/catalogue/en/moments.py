"""The English sentences of a round's moments for a player: the squeeze, the win, sounds. Part of ``catalogue.en``."""

SENTENCES = {
    "call.squeezing": "A player squeezes the cards",
    "squeeze.here": "The highest bettor squeezes the cards.",
    "squeeze.none": "With the highest bet you can ask to squeeze a hand: a button appears on it.",
    "squeeze.yours": "Yours to squeeze",
    "squeeze.title": "Squeeze {side:side}'s cards",
    "squeeze.how": "Drag an edge or a corner of a card, or press the arrow keys. Only you see it until you lay it open.",
    "squeeze.card": "{side:side}'s card {number}",
    "squeeze.by_key": "Peel a card",
    "squeeze.lay_open": "Lay open",
    "win.round": "Round {number}:",
    "win.while_away": "While you were away: round {number},",
    "event.card_laid_open": "{who} lays card {place} open.",
}
