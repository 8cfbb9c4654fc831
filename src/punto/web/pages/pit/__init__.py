"""The pit: a tile a table, what waits for approval, and everything about one table."""
