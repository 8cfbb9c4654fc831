"""A coup: its cards in drawn order, who draws, and everything it can come to."""
