"""Simulated playing sessions with the same bets every round."""
