"""Reports from the journal: replays of rounds, exports, player reports."""
