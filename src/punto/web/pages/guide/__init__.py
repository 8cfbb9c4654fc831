"""The guide: from the moment something goes wrong at a table to the end of it, step by step."""
