"""What is shown of a table, cut to who looks."""
