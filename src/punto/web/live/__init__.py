"""Live updates over WebSockets, one connection per client."""
