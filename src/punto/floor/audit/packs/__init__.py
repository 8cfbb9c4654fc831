"""Incident packs: a round as one file that a third party checks."""
