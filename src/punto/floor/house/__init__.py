"""The house as an aggregate: what is appended to its stream, and the tables of the database that follow from it."""
