"""The server process, its protocols and its logs."""
