"""For auditors: exceptions, the record, looks, jobs, packs, search, the program."""
