"""The journal: append-only streams of entries, one for each opening of a table and one for the house."""
