"""``python -m punto``."""

from punto.cli import main

main()
