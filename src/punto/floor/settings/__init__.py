"""What a floor has settled for itself: its gaming day, the thresholds of its alarms, its limits for cash."""
