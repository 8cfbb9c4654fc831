"""Signing in and out: visitors by name, staff by name and password."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.table.records.positions import Position
from tests.browser.conftest import Axe, Screenshot, Troubles
from tests.browser.looking import look_at
from tests.browser.tables import NAME, Felt, felt

OWN = "a fine long evening"


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Felt]:
    """A floor that visitors may enter."""
    with felt(tmp_path_factory.mktemp("enter"), "commission") as made:
        yield made


def test_a_visitor_comes_in_and_is_back_where_he_was_going(
    door: Felt, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    page.goto(f"{door.running.url}/enter?to=/tables/{NAME}/history")
    look_at(page, "enter", axe, screenshot)
    page.get_by_label("Your name at the tables").fill("Cleo")
    page.get_by_role("button", name="Enter as a visitor").click()
    page.wait_for_url(f"**/tables/{NAME}/history")
    expect(page.locator(".bar .who")).to_contain_text("Cleo")
    page.goto(f"{door.running.url}/enter?to=/tables/{NAME}")
    expect(page.locator("main")).to_contain_text("Your name here is Cleo.")
    look_at(page, "entered", axe, screenshot)
    page.get_by_role("link", name="Continue").click()
    page.wait_for_url(f"**/tables/{NAME}")


def test_who_is_sent_to_the_door_of_another_house_comes_to_the_lobby(door: Felt, page: Page) -> None:
    page.goto(f"{door.running.url}/enter?to=//elsewhere.example/")
    page.get_by_label("Your name at the tables").fill("Dido")
    page.get_by_role("button", name="Enter as a visitor").click()
    page.wait_for_url(f"{door.running.url}/")


REFUSED = {
    "ANN": "The name 'ANN' is already taken. Choose another one.",
    "W" * 41: "A name has 1 to 40 printable characters.",
}


def test_a_refused_name_is_said_at_its_field(
    door: Felt, page: Page, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("status of 40[09]")
    door.running.visitor("Ann")
    page.goto(f"{door.running.url}/enter")
    field = page.get_by_label("Your name at the tables")
    field.fill("W" * 41)
    expect(field).to_have_value("W" * 40)
    field.evaluate("field => field.removeAttribute('maxlength')")  # as if the browser let a longer one be written
    wrong = page.locator("form[data-enter=visit] .wrong")
    for name, words in REFUSED.items():
        field.fill(name)
        page.get_by_role("button", name="Enter as a visitor").click()
        expect(wrong).to_have_text(words)
        expect(field).to_be_focused()
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_have_attribute("aria-describedby", wrong.get_attribute("id") or "none")
    look_at(page, "enter-refused", axe, screenshot)
    field.fill("Bea")
    field.press("Enter")
    page.wait_for_url(f"{door.running.url}/")
    expect(page.locator(".bar .who")).to_contain_text("Bea")


def test_one_of_the_staff_signs_in_changes_the_password_and_goes(
    door: Felt, page: Page, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("status of 40[013]")
    once = door.running.run(door.running.service.accounts.create(THE_CONSOLE, "vera", Position.DEALER))
    page.goto(f"{door.running.url}/enter?to=/tables/{NAME}")
    expect(page.get_by_label("Your name at the tables")).to_be_focused()
    expect(page.get_by_label("Password")).to_have_count(0)
    page.get_by_role("link", name="Staff sign in").click()
    name, password = page.get_by_label("Name", exact=True), page.get_by_label("Password")
    name.fill("vera")
    password.fill("guessed and wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("form[data-enter=session] .wrong")).to_contain_text("The name or the password is wrong.")
    expect(password).to_be_focused()
    look_at(page, "enter-wrong-password", axe, screenshot)

    # the one-time password opens only the form for a new one
    password.fill(once)
    password.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Choose your own password")
    page.wait_for_load_state()
    look_at(page, "enter-own-password", axe, screenshot)
    page.goto(door.address)
    expect(page.locator(".bar .who")).to_have_text("Sign in")
    page.goto(f"{door.running.url}/enter?to=/tables/{NAME}")
    page.get_by_label("One-time password").fill(once)
    page.get_by_label("New password").fill("short")
    page.get_by_role("button", name="Change password").click()
    expect(page.locator(".wrong")).to_contain_text("password")
    expect(page.get_by_label("New password")).to_be_focused()
    page.get_by_label("New password").fill(OWN)
    page.get_by_role("button", name="Change password").click()
    page.wait_for_url(f"**/tables/{NAME}")
    expect(page.locator(".bar .who")).to_contain_text("vera")

    page.locator(".bar").get_by_role("button", name="Sign out").click()
    page.wait_for_url(f"{door.running.url}/")
    expect(page.locator(".bar .who")).to_have_text("Sign in")
    page.goto(f"{door.running.url}/enter?to=/pit")
    expect(name).to_be_focused()
    page.goto(f"{door.running.url}/enter?staff=1")
    name.fill("vera")
    password.fill(OWN)
    password.press("Enter")
    page.wait_for_url(f"{door.running.url}/start")
    expect(page.locator(".bar .who").get_by_role("link", name="vera dealer")).to_be_visible()
    expect(page.get_by_role("link", name=f"Deal {NAME}")).to_be_visible()
