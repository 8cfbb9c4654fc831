"""Passwords that are tried first: the list is the one that was released, and simple changes do not get around it."""

import hashlib
import tomllib

import pytest

from punto.floor.people.accounts.common_passwords import LIST, common_passwords, is_common


def test_the_list_is_the_one_that_was_released() -> None:
    vendored = tomllib.loads(LIST.with_name("vendored.toml").read_text(encoding="utf-8"))["common_passwords"]
    assert vendored["file"] == LIST.name
    assert hashlib.sha256(LIST.read_bytes()).hexdigest() == vendored["sha256"]
    assert "Redistribution and use" in vendored["licence_text"]
    assert len(common_passwords()) > 19_000


@pytest.mark.parametrize(
    "password",
    [
        "1qaz2wsx3edc",
        "123456789012",
        "abcdefghijkl",
        "lkjihgfedcba",
        "Password1234",
        "password2026!",
        "P@ssw0rd!!!!",
        "!!!welcome!!!",
        "qwertyuiop12",
        "dragon123456",
        "monkeymonkey",
        "letmeinletmein",
        "\uff50\uff41\uff53\uff53word1234",
    ],
)
def test_a_common_password_is_found_however_it_is_dressed_up(password: str) -> None:
    assert is_common(password)


@pytest.mark.parametrize(
    "password",
    [
        "twelve cards in a row",
        "correct horse battery staple",
        "dragon-8213-6640",
        "monkeydragon fifty two",
        "七张黑桃三张红桃十二点半",
    ],
)
def test_a_long_password_of_ones_own_is_none(password: str) -> None:
    assert not is_common(password)
