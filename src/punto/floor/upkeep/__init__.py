"""Looking after the database of a floor: backups, and older schemas."""
