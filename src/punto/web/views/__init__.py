"""Tables and the floor as each viewer may see them."""
