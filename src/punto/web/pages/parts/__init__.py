"""What several pages show alike: cards and hands, the dealer's words, bets, insurance, results."""
