"""What the journal tells people: rounds to replay, exports, who played how much."""
