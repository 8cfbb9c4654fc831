"""The English sentences of players at the pit and of their codes. Part of :mod:`punto.catalogue.en`."""

SENTENCES = {
    "no_player_code.closed": "{table!r} is closed. A player gets a code once they have chips at an open table.",
    "no_player_code.felt": "At {table!r} bets lie on the felt, so nobody signs in there.",
    "no_player_code.not_here": "{who!r} has no chips at {table!r}. Sell them some first.",
    "no_player_code.play_money": "{table!r} is for play money. Visitors enter with a name there.",
    "wrong_code.player": "Id and code do not belong together, or the code was used or has ended. Ask your dealer for a new one.",
    "locked_out.player_code": "There were too many wrong codes. Try again in {minutes:# minute|# minutes}, or ask your dealer for a new code.",
    "visitor_elsewhere.code": "Registered players act only at the table of their code, here {table!r}.",
    "visitor_elsewhere.code@player": "You have signed in for the table {table!r}. You can play only there.",
    "visitor_elsewhere.felt": "At {table!r} bets lie on the felt. The dealer enters them.",
    "visitor_elsewhere.felt@player": "At this table bets lie on the felt. The dealer enters them.",
    "enter.player": "With a code",
    "enter.player_lead": "The slip of your buy-in has your id and a code. It works once, today.",
    "enter.player_id": "Your id",
    "enter.player_code": "Code",
    "enter.player_enter": "Play with this code",
}
