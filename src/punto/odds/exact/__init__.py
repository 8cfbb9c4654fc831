"""Exact odds of any composition: whole numbers of ordered deals, nothing sampled."""
