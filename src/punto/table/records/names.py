"""Names of people and shoes."""

MAX_NAME_LENGTH = 40


def is_name(text: str, most: int = MAX_NAME_LENGTH) -> bool:
    """Short, printable, and without surrounding spaces, because two names must not look alike."""
    return 0 < len(text) <= most and text.isprintable() and text == text.strip()
