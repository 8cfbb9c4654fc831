"""Who is signed in: sessions, visitors, one-time codes, locks after failed tries."""
