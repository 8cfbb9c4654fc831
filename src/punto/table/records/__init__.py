"""The records of a table: commands, events and state."""
