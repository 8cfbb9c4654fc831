"""Is the journal as it was written? Chains, heads, postings, accounts and shoes, each fault with its place."""
