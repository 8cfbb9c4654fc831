"""What a person or a shoe may be called."""

MOST_NAME = 40


def is_name(text: str) -> bool:
    """Short, printable, and with no blanks around it, so that no two names look alike."""
    return 0 < len(text) <= MOST_NAME and text.isprintable() and text == text.strip()
