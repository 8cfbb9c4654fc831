"""Card counting: the best count for a bet, and what a counter gains with it."""
