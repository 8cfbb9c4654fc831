"""Where the cards come from: sealed virtual shoes, and real ones that a scanner reads."""
