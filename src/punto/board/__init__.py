"""The display board: the five roads, the ask road and the counts. Pure: from results to pictures and numbers."""
