"""The English sentences of the program's check, of the clocks, and of the page on complaints. Part of :mod:`punto.catalogue.en`."""

SENTENCES = {
    "alarm.clock_differs_database_ahead": "The clock of {subject} is {seconds:# second|# seconds} ahead of the database's.",
    "alarm.clock_differs_database_behind": "The clock of {subject} is {seconds:# second|# seconds} behind the database's.",
    "alarm.clock_differs_process_ahead": "The clock of {subject} is {seconds:# second|# seconds} ahead of that of {other}.",
    "alarm.clock_differs_process_behind": "The clock of {subject} is {seconds:# second|# seconds} behind that of {other}.",
    "alarm.clock_differs_record_behind": "The clock of {subject} is {seconds:# second|# seconds} behind the last entry on record.",
    "alarm.program_changed": "Files of the running program have changed: {files}.",
    "threshold.clock_differs_s": "Clocks differ by",
    "bad_settings.contact": "A contact has at most {most} characters, all of them printable.",
}
