"""What Punto says to people: sentences by key, one module a language."""
