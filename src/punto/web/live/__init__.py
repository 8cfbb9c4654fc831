"""Tables watched over a socket."""
