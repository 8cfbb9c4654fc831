"""The dealer's console: what to do now, what to say, by which clause, and the keys that do it."""
