"""One request: what an endpoint takes and gives, who asks, and what goes wrong."""
