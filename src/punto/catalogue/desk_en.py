"""The English sentences of the auditor's desk. Part of :mod:`punto.catalogue.en`."""

SENTENCES = {
    "day_not_over": "The gaming day {day} is not over yet. Sign it off once it is.",
    "day_signed_off": "You have signed {day} off already. Each person signs a day once.",
    "desk.link": "Audit",
    "desk.title": "Auditor's desk",
    "desk.pages": "Pages of the desk",
    "desk.day_of": "Gaming day {day}",
    "desk.tab.day": "Day",
    "desk.tab.rounds": "Rounds",
    "desk.tab.record": "House record",
    "desk.tab.jobs": "Verify and exports",
    "desk.tab.looks": "Looks",
    "desk.tab.program": "Program",
}
