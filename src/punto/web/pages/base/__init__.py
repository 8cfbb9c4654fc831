"""What every page has: its layout, templates, languages and files."""
