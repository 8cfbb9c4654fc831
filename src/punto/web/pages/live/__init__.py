"""Signals that tell pages to update, and one screen per table."""
