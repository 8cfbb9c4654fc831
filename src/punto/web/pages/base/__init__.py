"""Shared by all pages: layout, templates, languages and static files."""
