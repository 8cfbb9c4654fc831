"""The people of a floor: staff accounts, visitors, sessions and names."""
