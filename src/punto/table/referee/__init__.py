"""The referee: what a book says about a round that anybody describes. No floor and no journal is needed."""
