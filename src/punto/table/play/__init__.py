"""An evening at the table, from opening to settlement: each file holds its deciders and its evolvers."""
