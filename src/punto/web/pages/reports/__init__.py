"""The report of a shift or a gaming day, to read and to print."""
