"""Tables that no event describes: ownership, processes, clocks, locks of names, sealed shoes, scans, jobs, notes."""
