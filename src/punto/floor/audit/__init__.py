"""The journal read again: is it as it was written, what happened in a round, who won what."""
