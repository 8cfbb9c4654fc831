"""The player's page of a table."""
