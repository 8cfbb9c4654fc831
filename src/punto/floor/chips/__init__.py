"""The chips of the floor, and which of them a dealer hands over after a round."""
