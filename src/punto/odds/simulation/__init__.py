"""Simulation of whole shoes, shuffled and dealt by the million."""
