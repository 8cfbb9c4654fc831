"""The settlement of a round: stakes in, what goes back out."""
