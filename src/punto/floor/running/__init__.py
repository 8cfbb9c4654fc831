"""The tables of a floor while a process runs them."""
