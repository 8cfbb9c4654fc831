"""The tables of the database that follow from the house's stream, a file for each."""
