"""The auditor's desk: one page for each of its tabs."""
