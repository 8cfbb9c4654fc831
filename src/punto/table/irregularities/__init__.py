"""What goes wrong at a table, and how its book has it end.

A report says what was found; what follows from it is decided here and cites its clauses. How a round is voided, which
options the players get and what has to be dealt with before the round goes on are in ``play``.
"""
