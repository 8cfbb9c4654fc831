"""The commands a table would accept now, for screens and automation."""
