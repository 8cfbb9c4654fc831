"""A round to step through, entry by entry."""
