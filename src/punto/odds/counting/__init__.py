"""The best count of a bet, and what a counter gains with it."""
