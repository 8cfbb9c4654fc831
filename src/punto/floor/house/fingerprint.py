"""What the house's stream says of hashes and secrets that are stored beside it."""

from hashlib import sha256


def fingerprint(stored: str | bytes) -> str:
    """Of a stored hash or secret, for the house's stream. Both have random parts, so nothing can be guessed from it."""
    encoded = stored.encode("utf-8", "surrogatepass") if isinstance(stored, str) else stored
    return sha256(encoded).hexdigest() if encoded else ""
