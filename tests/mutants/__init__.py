"""Small faults in the core that the tests have to find: ``python -m tests.mutants``."""
