"""Running tables: the journal, recovery after a crash, shoes, staff accounts and the audit."""
