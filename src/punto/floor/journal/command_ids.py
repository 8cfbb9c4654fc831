"""Command ids. Clients make their own; the house's follow from the state, so that two processes make the same one."""

from punto.floor.errors import FloorCode, FloorRefused

MAX_COMMAND_ID = 100
HOUSE_ID, DEALER_ID, RECOVERY_ID, SCAN_ID = "house:", "auto:", "recovery:", "scan:"
"""How the house's own ids begin: of the house itself, the automatic dealer, a recovery, a card that was scanned."""
OF_THE_HOUSE = (HOUSE_ID, DEALER_ID, RECOVERY_ID, SCAN_ID)


def require_client_id(command_id: str) -> None:
    """Refuse an id that a client may not use."""
    if not (0 < len(command_id) <= MAX_COMMAND_ID and command_id.isprintable()):
        message = f"expected a command id of 1 to {MAX_COMMAND_ID} printable characters"
        raise FloorRefused(FloorCode.BAD_COMMAND_ID, message)
    if command_id.startswith(OF_THE_HOUSE):
        message = f"command ids that begin with {', '.join(OF_THE_HOUSE)} are the house's own"
        raise FloorRefused(FloorCode.BAD_COMMAND_ID, message)
