"""Database maintenance: backups and migrations."""
