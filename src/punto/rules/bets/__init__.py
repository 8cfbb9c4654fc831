"""What bets and insurance pay."""
