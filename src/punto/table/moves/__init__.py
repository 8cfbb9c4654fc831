"""What would be accepted now, for screens and for automation."""
