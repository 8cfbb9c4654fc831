"""Code that several commands use."""
