"""Checks that the journal is as it was written: hash chains, heads, postings, accounts and shoes."""
