"""``make demo``: a misdeal from the deal to the verified journal, in a browser that one can watch."""
