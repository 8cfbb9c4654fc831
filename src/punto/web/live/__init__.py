"""The live connection: one socket a client."""
