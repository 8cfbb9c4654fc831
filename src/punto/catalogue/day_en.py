"""The English sentences of the floor's settings and its gaming day. Part of :mod:`punto.catalogue.en`."""

SENTENCES = {
    "name_taken.table": "{name!r} looks like {table!r}, what another table is called. Choose another one.",
    "page.zone": "Times are those of {zone}.",
    "bad_period.both": "Name a gaming day, or from when to when, not both.",
    "bad_period.no_day": "A shift is part of a gaming day. Say which day.",
    "bad_period.shift": "A gaming day here has the shifts 1 to {most}; {shift} is none of them.",
    "bad_settings.alarm": "No alarm has a threshold named {name!r}. GET /api/settings lists them.",
    "bad_settings.cash": "The amount of large cash must be 0 to {most}. 0 means none.",
    "bad_settings.first": "The first shift must start with the day, at {starts}, not at {shift}.",
    "bad_settings.hour": "{text!r} is not a time of day. Use hours and minutes, such as 08:00.",
    "bad_settings.number": "A gaming day has 1 to {most} shifts; this list has {shifts}.",
    "bad_settings.overlap": "The shifts {shifts} do not follow each other around the clock. List each start once, in the order of the gaming day.",
    "bad_settings.threshold": "The threshold `{name}` must be 0 to {most}. 0 switches the alarm off.",
    "bad_settings.tray": "A table must be able to hold 1 to {most} of the largest chip.",
    "bad_settings.zone": "{zone!r} is not a time zone. Use a name of the IANA database, such as Asia/Singapore.",
}
