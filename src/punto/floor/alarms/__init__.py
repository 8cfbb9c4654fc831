"""The pit's alarms: what rings, how often, and who has acknowledged it."""
