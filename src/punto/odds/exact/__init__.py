"""Exact odds of any composition, from integer counts of ordered deals."""
