"""Irregularities: what went wrong at a table, and what the book says to do.

A report says what was found; the deciders here derive what follows and cite the clauses. Voiding a round, the
players' options and what must be resolved before a round continues are in ``play``.
"""
