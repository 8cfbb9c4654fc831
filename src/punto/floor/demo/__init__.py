"""The demo floor of a first start: five tables with house players."""
