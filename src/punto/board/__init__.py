"""What the display shows: the five roads, the ask road, the counts. Pure: results in, pictures and numbers out."""
