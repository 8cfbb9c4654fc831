"""One round: found, read from the journal and stepped through."""
