"""Running the tables of a floor."""
