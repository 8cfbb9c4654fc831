"""Corrections: what was entered wrongly is entered again, and everything after it is judged again.

The slip stays on record. How the table changes is in ``play`` and ``irregularities``, beside what is corrected.
"""
