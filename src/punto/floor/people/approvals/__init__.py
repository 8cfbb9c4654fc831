"""What one person proposes and another approves, and counts by two people."""
