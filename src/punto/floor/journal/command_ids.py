"""Command ids. Clients make their own; the house's follow from the state, so that two processes make the same one."""

from punto.floor.errors import FloorCode, FloorRefused

MAX_COMMAND_ID = 100
HOUSE_ID, DEALER_ID, RECOVERY_ID, SCAN_ID = "house:", "auto:", "recovery:", "scan:"
"""How the house's own ids begin: of the house itself, the automatic dealer, a recovery, a card that was scanned."""
OF_THE_HOUSE = (HOUSE_ID, DEALER_ID, RECOVERY_ID, SCAN_ID)


def require_client_id(command_id: str) -> None:
    """Refuse an id that a client may not use."""
    if not (0 < len(command_id) <= MAX_COMMAND_ID and command_id.isprintable()):
        raise FloorRefused(FloorCode.BAD_COMMAND_ID, variant="form", most=MAX_COMMAND_ID)
    if command_id.startswith(OF_THE_HOUSE):
        raise FloorRefused(FloorCode.BAD_COMMAND_ID, variant="house", prefixes=OF_THE_HOUSE)
