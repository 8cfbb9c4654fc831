"""Tests of the floor: the journal, the runtime, the audit, all on real databases."""
