"""The English sentences of rounds to step through. Part of :mod:`punto.catalogue.en`."""

SENTENCES = {
    "account.bank": "Source of the float",
    "account.float": "Float",
    "account.felt": "Felt",
    "account.commission": "Commission",
    "account.rounding": "Rounding",
    "account.vouchers": "Vouchers",
    "account.brought": "Chips brought along",
    "account.mispaid": "Wrong payments",
    "account.cage": "Cage",
    "account.unexplained": "Found by counts",
    "chips_of": "Chips of {who}",
    "busy.rounds": "Too many rounds are being read at once. Try again in {seconds:# second|# seconds}.",
    "event.options_given_to_others": "The players choose whether to play on.",
    "unknown_round.at_table": "{table} has no round {round}.",
}
