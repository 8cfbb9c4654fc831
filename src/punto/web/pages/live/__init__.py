"""What tells a page that it has changed."""
