"""A server that runs: the process, the protocols under it, its logs."""
