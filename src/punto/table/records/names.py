"""What a person or a shoe may be called."""

MAX_NAME_LENGTH = 40


def is_name(text: str) -> bool:
    """Short, printable, and with no blanks around it, so that no two names look alike."""
    return 0 < len(text) <= MAX_NAME_LENGTH and text.isprintable() and text == text.strip()
