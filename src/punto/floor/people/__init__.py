"""Who is on the floor: staff accounts, visitors, sessions, names."""
