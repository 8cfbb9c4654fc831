"""The journal: append-only streams of entries, what is read from them, and the house's own stream."""
