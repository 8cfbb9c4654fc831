"""What the books say. Pure: text, time and cards are handed in."""
