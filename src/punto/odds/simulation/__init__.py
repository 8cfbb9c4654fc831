"""Whole shoes shuffled and dealt by the million."""
