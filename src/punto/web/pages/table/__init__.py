"""The page where players play at a table."""
