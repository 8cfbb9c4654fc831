"""A gaming day of twenty tables, played through the API, and its reports recomputed from the journal."""
