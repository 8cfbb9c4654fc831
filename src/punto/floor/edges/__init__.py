"""Live edges: what every bet of the next round is worth, from the cards seen at the table. For the pit and auditors."""
