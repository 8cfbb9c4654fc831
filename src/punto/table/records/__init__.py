"""The records of a table: what can be asked, what has happened, and the table as it stands."""
