"""The English sentences of incidents. Part of :mod:`punto.catalogue.en`."""

SENTENCES = {
    "incident.late_bet": "a late bet",
    "incident.uninsured": "insurance that was not offered",
    "incident.restart": "the server was away",
}
