"""Normal play, from opening a table to settling a round. Each module has its deciders and evolvers."""
