"""Accounts, sessions, players, proposals, duty."""
