"""A slow, obvious implementation of the roads: mark by mark on a sheet of squares, as with a pencil.

It shares no code with the board and counts no heights: a derived road only looks whether squares are filled.
"""

Square = tuple[int, int]
"""Column and row, from 0."""


class Sheet:
    """The big road of results such as ``"BPPT"``, filled in twice: with columns of any length, and in six rows."""

    def __init__(self, results: str) -> None:
        self.long: dict[Square, str] = {}
        """Without wrapping, in the order in which the squares were filled."""
        self.ties: list[int] = []
        """Number of ties of each win."""
        early = 0
        last = ""
        column, row = -1, 0
        for result in results:
            if result == "T" and not last:
                early += 1
            elif result == "T":
                self.ties[-1] += 1
            else:
                column, row = (column, row + 1) if result == last else (column + 1, 0)
                self.long[column, row] = last = result
                self.ties.append(0)
                if len(self.ties) == 1:
                    self.ties[0], early = early, 0
        self.waiting = early

    def colours(self, k: int) -> str:
        """A derived road as a string of r and b. It starts at the second mark of column k, or at column k + 1."""
        colours = ""
        for column, row in self.long:
            if (row >= 1 and column >= k) or column >= k + 1:
                colours += self._colour(column, row, k)
        return colours

    def _colour(self, column: int, row: int, k: int) -> str:
        if row == 0:
            # A new column gets the opposite of the colour that the old one would have got by continuing.
            end = 0
            while (column - 1, end) in self.long:
                end += 1
            return "b" if self._colour(column - 1, end, k) == "r" else "r"
        left, above = (column - k, row) in self.long, (column - k, row - 1) in self.long
        return "r" if left == above else "b"


def in_six_rows(marks: str) -> list[Square]:
    """The squares of the marks: down while there is room, then right; a new kind starts at the top."""
    taken: set[Square] = set()
    squares: list[Square] = []
    began, turned, last = -1, False, ""
    for mark in marks:
        if mark == last:
            column, row = squares[-1]
            if turned or row == 5 or (column, row + 1) in taken:
                turned = True
                column += 1
            else:
                row += 1
        else:
            column, row, turned = began + 1, 0, False
            while (column, row) in taken:
                column += 1
            began = column
        last = mark
        assert (column, row) not in taken
        taken.add((column, row))
        squares.append((column, row))
    return squares


def down_then_right(rounds: int) -> list[Square]:
    """The squares of a bead plate."""
    squares: list[Square] = []
    column = row = 0
    for _ in range(rounds):
        squares.append((column, row))
        row += 1
        if row == 6:
            column, row = column + 1, 0
    return squares


def ask(results: str, side: str, k: int) -> str:
    """The mark that another win of that side adds to a derived road: r, b or empty."""
    return Sheet(results + side).colours(k)[len(Sheet(results).colours(k)) :]
