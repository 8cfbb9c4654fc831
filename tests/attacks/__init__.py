"""Attacks on the house and its customers, over HTTP against a real server."""
