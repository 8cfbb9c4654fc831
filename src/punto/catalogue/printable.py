"""Text from elsewhere that is shown on a terminal."""


def printable(text: str) -> str:
    """The text with everything escaped that is not printable: control characters, and marks that reorder a line."""
    return text if text.isprintable() else "".join(map(_escaped, text))


def _escaped(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode()
