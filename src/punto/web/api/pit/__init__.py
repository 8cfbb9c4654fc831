"""For the pit: alarms, chips, counts, shoes, reports, settings, stops."""
