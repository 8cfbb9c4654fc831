"""How reports write a moment on record."""

from datetime import UTC, datetime


def iso_utc(at_us: int) -> str:
    """ISO 8601 in UTC, to the microsecond."""
    return (
        datetime.fromtimestamp(at_us // 1_000_000, UTC)
        .replace(microsecond=at_us % 1_000_000)
        .isoformat(timespec="microseconds")
    )
