"""The rules of the five books. Pure: callers pass in text, time and cards."""
