"""What a player's evening looks like."""
