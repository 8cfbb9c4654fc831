"""Which names people may take."""
