"""The permanent names of rounds."""

import pytest

from punto.web.views.cursors import END
from punto.web.views.round_names import read_round_name, round_address, write_round


@pytest.mark.parametrize("opening", [1, 2, END - 1])
@pytest.mark.parametrize("number", [0, 1, 17, END - 1])
def test_a_name_is_read_as_it_was_written(opening: int, number: int) -> None:
    assert read_round_name(write_round(opening, number)) == (opening, number)
    assert read_round_name(str(number)) == (None, number)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "2-",
        "-17",
        "2-17-1",
        "2 17",
        " 2-17",
        "2-17 ",
        "+2-17",
        "2--17",
        "0-1",
        "two",
        "2-x",
        "2-\u0661",
        "1" * 41,
        f"{END}-1",
        f"1-{END}",
        str(END),
    ],
)
def test_other_texts_name_no_round(text: str) -> None:
    assert read_round_name(text) is None


def test_an_address_quotes_the_table() -> None:
    assert round_address("Orchid 1/ü", 2, 17) == "/tables/Orchid%201%2F%C3%BC/rounds/2-17"
