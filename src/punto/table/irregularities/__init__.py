"""What goes wrong at a table, and how its book has it end.

A report says what was found; what follows (a void, the players' options, cards kept for the next round) is
decided here and cites its clauses. ``pending`` says what has to be seen to before the round goes on.
"""
