"""The tiles and questions of :mod:`punto.table.procedure.trouble` in words and drawings, for guide and referee."""
